// The stages of quantization as a row of dots; stages with a graph can be opened.
import type { Timeline } from "../../api/graphs";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { plural } from "../../base/text/format";

export function Stages({
  timeline,
  stage,
  playing,
  onPlay,
  onPick,
}: {
  timeline: Timeline;
  stage: number;
  playing: boolean;
  onPlay: () => void;
  onPick: (name: string) => void;
}): JSX.Element {
  const fact = (i: number): string => {
    if (!timeline.has_graph[i]) return "no graph";
    const histograms = timeline.histogram_counts[i] ?? 0;
    return histograms > 0 ? plural(histograms, "histogram") : timeline.has_resources[i] ? "graph, memory" : "graph";
  };
  const line = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => {
    // Sets the scroll position directly, because scrollIntoView may also scroll the page.
    const [list, shown] = [line.current, line.current?.querySelector<HTMLElement>("[aria-current]")?.parentElement];
    if (list && shown)
      list.scrollLeft = Math.max(0, shown.offsetLeft + shown.offsetWidth / 2 - list.offsetLeft - list.clientWidth / 2);
  }, [stage, timeline]);
  return (
    <div class="stages">
      {timeline.has_graph.filter(Boolean).length > 1 && (
        <button
          class="icon play"
          aria-label={playing ? "Stop" : "Play the stages"}
          aria-pressed={playing}
          title={playing ? "Stop" : "Play the stages, one after the other"}
          onClick={onPlay}
        >
          {playing ? "■" : "▶"}
        </button>
      )}
      <ol aria-label="Stages" ref={line}>
        {timeline.names.map((name, i) => (
          <li key={name}>
            <button
              aria-current={i === stage ? "step" : undefined}
              disabled={!timeline.has_graph[i]}
              title={name}
              onClick={() => onPick(name)}
            >
              {timeline.titles[i] ?? name}
              <small>{fact(i)}</small>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
