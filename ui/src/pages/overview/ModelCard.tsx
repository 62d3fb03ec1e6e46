// The tooltip of a model: all its metrics of A and B, with full values.
import type { JSX } from "preact";
import { asFraction } from "../../domain/models/gates";
import { fixed, ratio, significant, withComma } from "../../base/text/format";
import type { OverviewData, Row } from "./rows";

export function ModelCard({ row, data, a, b }: { row: Row; data: OverviewData; a: string; b: string }): JSX.Element {
  const show = (v: number | null): string =>
    v === null ? "–" : data.qualityIsFraction ? `${fixed(asFraction(v) * 100, 2)} %` : significant(v);
  return (
    <>
      <b>{row.name}</b>
      <dl>
        <dt />
        <dd class="in-a">● {a}</dd>
        <dd class="in-b">◆ {b}</dd>
        <dd class="dim">change</dd>
        <dt>{data.quality.label}</dt>
        <dd>{show(row.quality.a)}</dd>
        <dd>{show(row.quality.b)}</dd>
        <dd>
          {row.drop === null
            ? "–"
            : data.qualityIsFraction
              ? `${fixed(-row.drop * 100, 2)} pp`
              : significant(-row.drop)}
        </dd>
        {data.resources.map((metric) => {
          const pair = row.metrics.get(metric.name);
          if (!pair || (pair.a === null && pair.b === null)) return null;
          return (
            <>
              <dt>
                {withComma(metric.label)}
                {pair.derived && ", derived"}
              </dt>
              <dd>{pair.a === null ? "–" : significant(pair.a)}</dd>
              <dd>{pair.b === null ? "–" : significant(pair.b)}</dd>
              <dd>{pair.gain === null ? "–" : ratio(pair.gain)}</dd>
            </>
          );
        })}
      </dl>
    </>
  );
}
