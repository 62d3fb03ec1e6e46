// The first figures: what is usual, what is worst, what is best, and how many pass.
import type { JSX } from "preact";
import { fixed, ratio, significant } from "../../lib/format";
import { isMeasured, median, type OverviewData, type Row } from "./rows";

function Tile({ name, figure, unit, from }: { name: string; figure: string; unit?: string; from: JSX.Element | string }): JSX.Element {
  return (
    <div class="tile">
      <div class="name">{name}</div>
      <div class="figure">{figure}{unit && <small> {unit}</small>}</div>
      <div class="from">{from}</div>
    </div>
  );
}

function best(rows: readonly Row[], value: (row: Row) => number | null): { row: Row; value: number } | null {
  let found: { row: Row; value: number } | null = null;
  for (const row of rows) {
    const v = value(row);
    if (v !== null && Number.isFinite(v) && (!found || v > found.value)) found = { row, value: v };
  }
  return found;
}

export function Tiles({ data }: { data: OverviewData }): JSX.Element {
  const drops = data.rows.flatMap((row) => (row.drop === null ? [] : [row.drop]));
  const text = (drop: number): string => (data.qualityIsFraction ? fixed(drop * 100, 2) : significant(drop, 3));
  const unit = data.qualityIsFraction ? "pp" : "";
  const middle = median(drops);
  const worst = best(data.rows, (row) => row.drop);
  const failing = data.rows.filter((row) => row.verdict.fails.length > 0);
  const checked = data.rows.filter((row) => row.verdict.checked > 0);
  const gains = data.resources.slice(0, 2).map((metric) => {
    const measured = data.rows.filter((row) => isMeasured(row.metrics.get(metric.name)));
    return { metric, measured: measured.length, top: best(measured, (row) => row.metrics.get(metric.name)?.gain ?? null) };
  });
  return (
    <div class="tiles">
      {middle !== null && <Tile name="Median drop" figure={text(middle)} unit={unit} from={`${drops.filter((d) => d <= 0).length} of ${drops.length} lose nothing`} />}
      {worst && <Tile name="Worst drop" figure={text(worst.value)} unit={unit}
        from={worst.row.verdict.fails.length > 0 ? <span class="verdict bad">{worst.row.name}</span> : worst.row.name} />}
      {gains.map(({ metric, measured, top }) => top && (
        <Tile key={metric.name} name={`Best ${metric.name === "model_size_mb" ? "ratio" : metric.name === "latency_mean_ms" || metric.name === "throughput" ? "speedup" : metric.label}`}
          figure={ratio(top.value)}
          from={<span class="of-many"><span title={top.row.name}>{top.row.name}</span>, {measured} measured</span>} />
      ))}
      <Tile name="Gates" figure={String(checked.length - failing.length)} unit={`of ${checked.length} pass`}
        from={failing.length > 0 ? <span class="verdict bad">{failing.length} fail, see table</span> : <span class="verdict good">none fails</span>} />
    </div>
  );
}
