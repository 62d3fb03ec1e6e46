import type { JSX } from "preact";
import { fixed } from "../../lib/format";
import { logScale } from "../../lib/scale";
import type { Row } from "./rows";

const SHOWN = 12;

/** Models by score. Bars leave break-even; the scale is logarithmic, since the score is a product. */
export function AuroraPanel({ rows, hot, onHot, onOpen }: {
  rows: readonly Row[];
  hot: string | null;
  onHot: (name: string | null) => void;
  onOpen: (name: string) => void;
}): JSX.Element {
  const scored = rows
    .flatMap((row) => (row.aurora?.score != null && row.aurora.score > 0 ? [{ row, score: row.aurora.score, coverage: row.aurora.coverage }] : []))
    .sort((p, q) => q.score - p.score);
  const missing = rows.length - scored.length;
  const reason = rows.find((row) => row.aurora?.reason)?.aurora?.reason;
  const shown = scored.length > SHOWN ? [...scored.slice(0, SHOWN - 3), ...scored.slice(-3)] : scored;
  const lo = Math.min(0.8, ...shown.map((s) => s.score));
  const hi = Math.max(1.25, ...shown.map((s) => s.score));
  const at = logScale(lo, hi, 0, 100);
  const even = at(1);
  return (
    <section class="panel" aria-labelledby="aurora-title">
      <div class="panel-head">
        <h2 id="aurora-title">AURORA</h2>
        <span class="note">1.00 is break-even with the baseline</span>
      </div>
      {scored.length > 0 && (
        <ol class="ranks">
          <li class="rank note" aria-hidden="true">
            <span />
            <span class="track"><span class="even-label" style={{ left: `${even}%` }}>1.00</span></span>
            <span class="num">score</span>
            <span class="num" title="Share of the weights whose metrics were logged">cover</span>
          </li>
          {shown.map(({ row, score, coverage }, i) => (
            <li key={row.name} class={`rank${hot === row.name ? " hot" : ""}${i === SHOWN - 3 && scored.length > SHOWN ? " gap" : ""}`}
              onPointerEnter={() => onHot(row.name)} onPointerLeave={() => onHot(null)} onClick={() => onOpen(row.name)}>
              <span class="name" title={row.name}>{row.name}</span>
              <span class="track">
                <span class="bar" style={{ left: `${Math.min(even, at(score))}%`, width: `${Math.abs(at(score) - even)}%` }} />
                <span class="even" style={{ left: `${even}%` }} />
              </span>
              <span class="num">{fixed(score, 2)}</span>
              <span class="num dim">{fixed(coverage, 2)}</span>
            </li>
          ))}
        </ol>
      )}
      <p class="note aurora-note">
        {scored.length > SHOWN && <>The best {SHOWN - 3} and the last 3 of {scored.length}. </>}
        {missing > 0 && <><span class="mid">{missing} of {rows.length} models have no score</span>{reason ? `: ${reason}.` : "."}</>}
      </p>
    </section>
  );
}
