// Sounds: one card per tag and run. All cards share one step, so that sounds can be compared; a single card may be set
// to another step.
import { audioShape } from "../../api/media";
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { apiUrl, getBytes, getJson } from "../../api/client";
import { nearestIndex } from "../../charts/line/layout";
import { useSeen } from "../../base/dom/useNear";
import { count, significant } from "../../base/text/format";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { shownNameOf } from "../../domain/runs/run_names";
import { RunKey } from "../../domain/runs/RunKey";
import { SeriesPage, type Series } from "../../domain/runs/SeriesPage";
import { Snippet } from "../../domain/live/Snippet";
import { useSharedStep } from "../../domain/runs/useSharedStep";
import { damagedText, everyKept } from "../../domain/live/damaged";
import { useResource } from "../../domain/live/resource";
import { soundOf, Waveform } from "./Waveform";
import "./audio.css";

function AudioCard({ run, tag, step: shared }: Series & { step: number | null }): JSX.Element {
  const { ref, seen } = useSeen();
  const { state, retry } = useResource(`${run}\0${tag}\0${seen}`, (signal) =>
    seen ? getJson(audioShape, "audio", { run, tag, limit: 500 }, signal) : Promise.resolve(null),
  );
  const { data, error } = state.value;
  const [own, setOwn] = useState<{ of: number | null; at: number } | null>(null);
  const [wanted, setSample] = useState(0);
  const [played, setPlayed] = useState(0);
  const player = useRef<HTMLAudioElement>(null);
  const last = (data?.steps.length ?? 0) - 1;
  // A change of the shared step resets the cards that were set to their own step.
  const alone = own !== null && own.of === shared ? own.at : null;
  const at = Math.min(alone ?? (shared !== null && data ? nearestIndex(data.steps, shared) : last), last);
  const samples = data?.samples[at] ?? 1;
  const sample = Math.min(wanted, samples - 1);
  const place = data && at >= 0 ? { run, tag, index: data.indices[at], sample } : null;
  const sound = useResource(JSON.stringify(place), async (signal) =>
    place ? soundOf(await getBytes("blob", place, signal)) : null,
  ).state.value.data;
  const seek = (seconds: number): void => {
    if (!player.current) return;
    player.current.currentTime = seconds;
    setPlayed(seconds);
  };
  return (
    <section class="card audio-card" ref={ref} aria-label={`${tag} of ${run}`}>
      <header>
        <h3 title={tag}>{tag}</h3>
      </header>
      <div class="note run-line">
        <RunKey run={run} />{" "}
        <span class="tail" title={run}>
          <bdi>{shownNameOf(run)}</bdi>
        </span>
      </div>
      {error && !data && (
        <p class="trouble">
          {error.message}{" "}
          <button class="link" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      {!place && !error && <div class="audio-room" />}
      {data && data.damaged.length > 0 && <p class="trouble">{damagedText("sound", data.damaged)}</p>}
      {data && place && (
        <>
          <Waveform sound={sound ?? null} at={played} onSeek={seek} />
          <audio
            controls
            preload="metadata"
            ref={player}
            src={apiUrl("blob", place)}
            aria-label={`${tag} of ${run}, step ${data.steps[at]}`}
            onLoadStart={() => setPlayed(0)}
            onTimeUpdate={(event) => setPlayed(event.currentTarget.currentTime)}
          />
          <div class="values">
            <span>step {count(data.steps[at] ?? 0)}</span>
            {sound && (
              <span>
                {significant(sound.seconds, 3)} s{sound.peaks.length > 1 ? ", stereo" : ""}
              </span>
            )}
            <span class="dim">{data.content_types[at]}</span>
            {samples > 1 && (
              <button class="link" onClick={() => setSample((sample + 1) % samples)}>
                sample {sample + 1} of {samples}
              </button>
            )}
            <a
              class="link"
              href={apiUrl("blob", place)}
              download={`${tag.replace(/[^\w.-]+/g, "_")}_${data.steps[at]}`}
            >
              Save
            </a>
          </div>
          {last > 0 && (
            <input
              type="range"
              min="0"
              max={last}
              value={at}
              aria-label={`Step of ${tag} of ${run}`}
              aria-valuetext={`step ${data.steps[at]}`}
              onInput={(event) => setOwn({ of: shared, at: Number(event.currentTarget.value) })}
            />
          )}
        </>
      )}
    </section>
  );
}

export default function Audio(): JSX.Element {
  const { step, slider } = useSharedStep();
  return (
    <SeriesPage
      kind="audio"
      title="Audio"
      note={(runs) => `, ${everyKept("step", runs)}`}
      knobs={slider}
      card={(series) => <AudioCard {...series} step={step} />}
      empty={
        <EmptyPage title="No sounds yet" about="This page plays the logged sounds." lookedFor="sounds">
          <Snippet lines={["writer.add_audio(", `    "sample", waveform, step,`, "    sample_rate=16000)"]} />
        </EmptyPage>
      }
    />
  );
}
