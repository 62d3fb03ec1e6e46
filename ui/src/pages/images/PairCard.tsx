// The same image of two runs, one over the other. They are divided by a movable line (wipe), or shown as a difference.
import { type ImagesResponse, imagesShape } from "../../api/media";
import type { JSX } from "preact";
import { apiUrl, getJson } from "../../api/client";
import { nearestIndex } from "../../charts/line/layout";
import { count } from "../../base/text/format";
import { useResource } from "../../domain/live/resource";
import type { Look } from "./look";
import { filterOf, SMALL } from "./look";

export type PairMode = "wipe" | "difference";

interface Side {
  readonly src: string;
  readonly step: number;
  readonly width: number;
  readonly height: number;
}

function sideOf(response: ImagesResponse, run: string, tag: string, step: number | null): Side | null {
  const last = response.steps.length - 1;
  const at = step === null ? last : nearestIndex(response.steps, step);
  if (at < 0 || at > last) return null;
  return {
    src: apiUrl("blob", { run, tag, index: response.indices[at], sample: 0 }),
    step: response.steps[at] ?? 0,
    width: response.widths[at] ?? 0,
    height: response.heights[at] ?? 0,
  };
}

export function PairCard({
  tag,
  a,
  b,
  mode,
  look,
  split,
  onSplit,
}: {
  tag: string;
  a: string;
  b: string;
  mode: PairMode;
  look: Look;
  /** The visible share of A, in per cent from the left. All cards use the same share. */
  split: number;
  onSplit: (split: number) => void;
}): JSX.Element {
  const { state, retry } = useResource([tag, a, b].join("\0"), (signal) =>
    Promise.all([a, b].map((run) => getJson(imagesShape, "images", { run, tag, limit: 500 }, signal))),
  );
  const { data, error } = state.value;
  const [sa, sb] = [data?.[0] && sideOf(data[0], a, tag, look.step), data?.[1] && sideOf(data[1], b, tag, look.step)];
  const follow = (event: PointerEvent): void => {
    if (!(event.currentTarget instanceof HTMLElement)) return;
    const box = event.currentTarget.getBoundingClientRect();
    if (mode === "wipe" && event.buttons !== 0)
      onSplit(Math.round(Math.min(100, Math.max(0, ((event.clientX - box.left) / box.width) * 100))));
  };
  const picture = (side: Side, name: string, more: Record<string, string>): JSX.Element => (
    <img
      class={side.width < SMALL ? "small" : ""}
      src={side.src}
      alt={`${tag} of ${name}, step ${side.step}`}
      width={side.width}
      height={side.height}
      draggable={false}
      style={{ ...filterOf(look), ...more }}
    />
  );
  return (
    <section class="card image-card" aria-label={`${tag}: ${a} and ${b}`}>
      <header>
        <h3 class="tail" title={tag}>
          <bdi>{tag}</bdi>
        </h3>
      </header>
      {error && !data && (
        <p class="trouble">
          {error.message}{" "}
          <button class="link" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      {sa && sb && (
        <>
          <div class={`image-box pair-box ${mode}`} onPointerDown={follow} onPointerMove={follow}>
            {picture(sa, a, {})}
            {picture(sb, b, mode === "wipe" ? { clipPath: `inset(0 0 0 ${split}%)` } : {})}
            {mode === "wipe" && <span class="wipe-line" style={{ left: `${split}%` }} />}
          </div>
          {mode === "wipe" && (
            <input
              type="range"
              min="0"
              max="100"
              value={split}
              aria-label={`Visible part of the image of ${a}, in per cent`}
              onInput={(event) => onSplit(Number(event.currentTarget.value))}
            />
          )}
          <div class="values">
            <span class="in-a" title={a}>
              ● step {count(sa.step)}
            </span>
            <span class="in-b" title={b}>
              ◆ step {count(sb.step)}
            </span>
            <span class="dim">
              {sa.width} × {sa.height}
              {sa.width !== sb.width || sa.height !== sb.height ? ` and ${sb.width} × ${sb.height}` : ""}
            </span>
          </div>
        </>
      )}
    </section>
  );
}
