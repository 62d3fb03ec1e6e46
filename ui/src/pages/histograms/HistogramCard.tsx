import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { getJson } from "../../api/client";
import { toNumber, type WireNumber } from "../../api/wire";
import { useNear } from "../../charts/useNear";
import { useSize } from "../../charts/useSize";
import { count, significant } from "../../lib/format";
import { extent, linearScale, padded, ticks } from "../../lib/scale";
import { RunKey } from "../../parts/RunKey";
import { useResource } from "../../state/resource";
import { layoutRidges } from "./layout";

export const MODES = [
  { id: "offset", text: "Offset" },
  { id: "overlay", text: "Overlay" },
  { id: "percentiles", text: "Percentiles" },
] as const;
export type Mode = (typeof MODES)[number]["id"];

interface HistogramAnswer {
  steps: number[];
  lefts: WireNumber[][];
  rights: WireNumber[][];
  counts: WireNumber[][];
}

interface DistributionAnswer {
  steps: number[];
  percentiles: WireNumber[][];
}

function Ridges({ run, tag, overlay }: { run: string; tag: string; overlay: boolean }): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const { state } = useResource(`${run}\u0000${tag}`, (signal) => getJson<HistogramAnswer>("histograms", { run, tag, limit: 24 }, signal));
  const { data, error } = state.value;
  const layout = useMemo(() => data && layoutRidges({
    steps: data.steps, lefts: data.lefts.map((l) => l.map(toNumber)), rights: data.rights.map((l) => l.map(toNumber)), counts: data.counts.map((l) => l.map(toNumber)),
  }, width, height, overlay), [data, width, height, overlay]);
  return (
    <div class="plot" ref={ref} role="img" aria-label={`Histograms of ${tag} in ${run}`}>
      {error && !data && <p class="note bad">{error.message}</p>}
      {layout && (
        <svg class="chart" height={height}>
          {layout.ridges.map((ridge) => (
            <path key={ridge.step} class="ridge" d={ridge.path} style={{ fillOpacity: overlay ? 0.06 : 0.25 + ridge.age * 0.6 }}><title>{`step ${count(ridge.step)}`}</title></path>
          ))}
          {!overlay && layout.ridges.filter((_, i, all) => i === 0 || i === all.length - 1).map((ridge) => (
            <text key={ridge.step} x={layout.box.r + 6} y={ridge.baseline + 4}>{count(ridge.step)}</text>
          ))}
          {ticks(...layout.x.domain, 4).map((t) => <text key={t} x={layout.x(t)} y={height - 6} text-anchor="middle">{significant(t, 3)}</text>)}
        </svg>
      )}
    </div>
  );
}

function Percentiles({ run, tag }: { run: string; tag: string }): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const { state } = useResource(`d ${run}\u0000${tag}`, (signal) => getJson<DistributionAnswer>("distributions", { run, tag, limit: 300 }, signal));
  const data = state.value.data;
  const layout = useMemo(() => {
    if (!data || width < 80) return null;
    const rows = data.percentiles.map((row) => row.map(toNumber));
    const range = extent(rows.flat());
    const steps = extent(data.steps);
    if (!range || !steps) return null;
    const box = { l: 48, r: width - 10, t: 8, b: height - 22 };
    const x = linearScale(steps[0], steps[1] === steps[0] ? steps[0] + 1 : steps[1], box.l, box.r);
    const y = linearScale(...padded(range), box.b, box.t);
    const band = (lo: number, hi: number): string => {
      const up = data.steps.map((s, i) => `${x(s).toFixed(1)} ${y(rows[i]?.[hi] ?? 0).toFixed(1)}`);
      const down = data.steps.map((s, i) => `${x(s).toFixed(1)} ${y(rows[i]?.[lo] ?? 0).toFixed(1)}`).reverse();
      return `M${[...up, ...down].join("L")}Z`;
    };
    const median = `M${data.steps.map((s, i) => `${x(s).toFixed(1)} ${y(rows[i]?.[4] ?? 0).toFixed(1)}`).join("L")}`;
    return { box, x, y, bands: [band(0, 8), band(1, 7), band(2, 6), band(3, 5)], median };
  }, [data, width, height]);
  return (
    <div class="plot" ref={ref} role="img" aria-label={`Percentiles of ${tag} in ${run} over steps`}>
      {layout && (
        <svg class="chart" height={height}>
          {ticks(...layout.y.domain, 4).map((t) => (
            <g key={t}><path class="grid" d={`M${layout.box.l} ${Math.round(layout.y(t)) + 0.5}H${layout.box.r}`} /><text x={layout.box.l - 6} y={layout.y(t) + 4} text-anchor="end">{significant(t, 3)}</text></g>
          ))}
          {layout.bands.map((d, i) => <path key={i} class="band" d={d} />)}
          <path class="line-a" d={layout.median} />
          {ticks(...layout.x.domain, 4).map((t) => <text key={t} x={layout.x(t)} y={height - 6} text-anchor="middle">{count(t)}</text>)}
        </svg>
      )}
    </div>
  );
}

export function HistogramCard({ run, tag, mode }: { run: string; tag: string; mode: Mode }): JSX.Element {
  const { ref, near } = useNear();
  return (
    <section class="card" ref={ref} aria-label={`${tag} of ${run}`}>
      <header><h3 title={tag}>{tag}</h3></header>
      <div class="note run-line"><RunKey run={run} /> <span title={run}>{run}</span></div>
      {near ? (mode === "percentiles" ? <Percentiles run={run} tag={tag} /> : <Ridges run={run} tag={tag} overlay={mode === "overlay"} />) : <div class="plot" />}
    </section>
  );
}
