// A waterfall chart of the factors of a score: each bar begins where the bar above it ends.
import type { JSX } from "preact";
import type { Score } from "../api/compression/summary";
import { fixed } from "../base/text/format";
import { logScale } from "../base/math/scale";

export function Waterfall({ score }: { score: Score }): JSX.Element {
  let running = 1;
  const bars = score.factors.map((f) => {
    const from = running;
    running *= f.factor;
    return { ...f, from, to: running };
  });
  const places = bars.flatMap((bar) => [bar.from, bar.to]).filter((v) => v > 0 && Number.isFinite(v));
  const at = logScale(Math.min(0.8, ...places), Math.max(1.25, ...places), 0, 100);
  const clamp = (v: number): number => (v > 0 ? Math.min(100, Math.max(0, at(v))) : 0);
  return (
    <ol class="ranks waterfall">
      <li class="rank note" aria-hidden="true">
        <span />
        <span class="track">
          <span class="even-label" style={{ left: `${at(1)}%` }}>
            1.00
          </span>
        </span>
        <span class="num">factor</span>
        <span class="num">weight</span>
      </li>
      {bars.map((bar) => (
        <li class="rank" key={bar.name}>
          <span class="name">{bar.name}</span>
          <span class="track">
            <span
              class="bar"
              style={{
                left: `${Math.min(clamp(bar.from), clamp(bar.to))}%`,
                width: `${Math.max(0.5, Math.abs(clamp(bar.to) - clamp(bar.from)))}%`,
              }}
            />
            <span class="even" style={{ left: `${at(1)}%` }} />
          </span>
          <span class="num">×{fixed(bar.factor, 2)}</span>
          <span class="num dim" title="Weight">
            {bar.weight === null ? "" : fixed(bar.weight, 2)}
          </span>
        </li>
      ))}
    </ol>
  );
}
