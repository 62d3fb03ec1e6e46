// A sound as a picture: its loudness over time, and the playback position. A click starts playing at the clicked
// position.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { useSize } from "../../base/dom/useSize";
import { outlineOf, peaksOf, type Peaks } from "./peaks";

const COLUMNS = 600;

export interface Sound {
  readonly peaks: readonly Peaks[]; // The samples of each channel.
  readonly seconds: number;
}

/** The samples of the sound. Null if the browser cannot decode them; it may still be able to play the sound. */
export async function soundOf(bytes: ArrayBuffer): Promise<Sound | null> {
  try {
    const decoded = await new OfflineAudioContext(1, 1, 44_100).decodeAudioData(bytes);
    const channels = Math.min(2, decoded.numberOfChannels);
    return {
      seconds: decoded.duration,
      peaks: Array.from({ length: channels }, (_, c) => peaksOf(decoded.getChannelData(c), COLUMNS)),
    };
  } catch {
    return null;
  }
}

export function Waveform({
  sound,
  at,
  onSeek,
}: {
  sound: Sound | null;
  at: number;
  onSeek: (seconds: number) => void;
}): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const tall = height / Math.max(1, sound?.peaks.length ?? 1);
  const outlines = useMemo(
    () => (sound?.peaks ?? []).map((peaks) => outlineOf(peaks, width, tall)),
    [sound, width, tall],
  );
  const played = sound && sound.seconds > 0 ? (at / sound.seconds) * width : 0;
  return (
    <div
      class="waveform"
      ref={ref}
      onClick={(event) => {
        if (sound && width > 0)
          onSeek(((event.clientX - event.currentTarget.getBoundingClientRect().left) / width) * sound.seconds);
      }}
    >
      {sound && (
        <svg width={width} height={height} aria-hidden="true">
          {outlines.map((outline, i) => (
            <path key={i} d={outline} transform={`translate(0 ${i * tall})`} />
          ))}
          {at > 0 && <path class="played" d={`M${played.toFixed(1)} 0V${height}`} />}
        </svg>
      )}
    </div>
  );
}
