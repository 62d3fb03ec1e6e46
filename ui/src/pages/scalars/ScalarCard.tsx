// One tag, all shown runs, one chart.
import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { postJson } from "../../api/client";
import { postForCurves } from "../../api/curves";
import type { Curve } from "../../api/series";
import { toNumber, type WireNumber } from "../../api/wire";
import { LineChart } from "../../charts/line/LineChart";
import { nearestIndex, smoothed, type Line } from "../../charts/line/layout";
import { useNear } from "../../charts/useNear";
import { csvOf, saveAs } from "../../lib/csv";
import { count, duration, exact, plural, significant } from "../../lib/format";
import type { RunGroup } from "../../lib/run_groups";
import { saveSvg } from "../../lib/svg_file";
import { RunKey } from "../../parts/RunKey";
import { useResource } from "../../state/resource";
import { Icon, ICONS } from "../../shell/icons";

export type Axis = "step" | "relative" | "wall";

export interface CardView {
  readonly axis: Axis;
  readonly smoothing: number;
  readonly logX: boolean;
  readonly logY: boolean;
  readonly clip: boolean;
  readonly zoom: readonly [number, number] | null;
}

function xsOf(curve: Curve, axis: Axis): ArrayLike<number> {
  if (axis === "step") return curve.steps;
  const times = curve.wallTimes();
  const first = times[0] ?? 0;
  return axis === "wall" ? times : Float64Array.from(times, (t) => t - first);
}

export function linesOf(curves: readonly Curve[], axis: Axis, smoothing: number): Line[] {
  return curves.flatMap((curve) => {
    if (curve.error || curve.steps.length === 0) return [];
    return [{ name: curve.run, xs: xsOf(curve, axis), ys: curve.values, smooth: smoothing > 0 ? smoothed(curve.values, smoothing) : null }];
  });
}

interface GroupsAnswer {
  groups: { name: string; x?: WireNumber[]; mean?: WireNumber[]; deviation?: WireNumber[]; counts?: number[]; error?: { message: string } }[];
}

/** The mean of each group, and one standard deviation to either side. */
export function linesOfGroups(answer: GroupsAnswer, smoothing: number): Line[] {
  return answer.groups.flatMap((group) => {
    if (!group.x || group.x.length === 0) return [];
    const ys = Float64Array.from(group.mean ?? [], toNumber);
    const around = smoothing > 0 ? smoothed(ys, smoothing) : ys;
    const spread = Float64Array.from(group.deviation ?? [], toNumber);
    return [{
      name: group.name, xs: Float64Array.from(group.x, toNumber), ys, smooth: smoothing > 0 ? around : null,
      band: { low: around.map((y, i) => y - (spread[i] ?? 0)), high: around.map((y, i) => y + (spread[i] ?? 0)) },
    }];
  });
}

function saveCsv(tag: string, lines: readonly Line[], axis: Axis): void {
  const rows = lines.flatMap((line) => Array.from({ length: line.xs.length }, (_, i) => [line.name, line.xs[i] ?? null, line.ys[i] ?? null]));
  saveAs(`${tag.replace(/[^\w.-]+/g, "_")}.csv`, csvOf(["run", axis, "value"], rows), "text/csv");
}

export function xText(axis: Axis): (x: number) => string {
  if (axis === "step") return (x) => count(x);
  if (axis === "relative") return (x) => (x === 0 ? "0" : duration(x));
  const time = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hour12: false });
  return (x) => time.format(new Date(x * 1000));
}

/** Its height is known before its content: two rows for more than four runs. */
function Values({ count: expected, lines, cursor, digits }: { count: number; lines: readonly Line[]; cursor: Signal<number | null> | null; digits: number }): JSX.Element {
  const at = cursor?.value ?? null; // Read here, so that the pointer redraws these numbers and not the card.
  return (
    <div class={expected > 4 ? "values reserved two" : "values reserved"}>
      {lines.slice(0, 8).map((line) => {
        const i = at === null ? line.xs.length - 1 : nearestIndex(line.xs, at);
        const value = (line.smooth ?? line.ys)[i] ?? NaN;
        const raw = line.ys[i] ?? NaN;
        return <span key={line.name} title={`${line.name}: ${exact(raw)}`} class={Number.isFinite(raw) ? "" : "bad"}><RunKey run={line.name} />{significant(Number.isFinite(raw) ? value : raw, digits)}</span>;
      })}
      {lines.length > 8 && <span class="dim">and {lines.length - 8} more</span>}
    </div>
  );
}

/** What a card draws, and how it is asked for. */
interface Asked {
  readonly lines: (smoothing: number) => Line[];
  readonly total: number;
}

function ask(tag: string, runs: readonly string[], groups: readonly RunGroup[] | null, view: CardView, signal: AbortSignal): Promise<Asked> {
  const common = { points: 1200, axis: view.axis };
  if (groups) {
    const here = new Set(runs);
    const members = groups.map((group) => [group.name, group.runs.filter((run) => here.has(run))] as const).filter(([, of]) => of.length > 0);
    return postJson<GroupsAnswer>("scalars/groups", { ...common, tag, groups: Object.fromEntries(members) }, signal)
      .then((answer) => ({ lines: (smoothing) => linesOfGroups(answer, smoothing), total: answer.groups.reduce((sum, one) => sum + (one.x?.length ?? 0), 0) }));
  }
  const range = view.zoom ? { from: view.zoom[0], to: view.zoom[1] } : {};
  return postForCurves({ ...common, ...range, wall_times: view.axis === "step" ? 0 : 1, series: runs.map((run) => [run, tag] as const) }, signal)
    .then(({ series }) => ({ lines: (smoothing) => linesOf(series, view.axis, smoothing), total: series.reduce((sum, one) => sum + (one.total ?? 0), 0) }));
}

export interface CardFiles {
  svg: (() => string | null) | null;
  csv: (() => void) | null;
}

function LoadedCard({ tag, runs, groups, view, cursor, files, onZoom }: {
  tag: string;
  runs: readonly string[];
  groups: readonly RunGroup[] | null;
  view: CardView;
  cursor: Signal<number | null>;
  files: CardFiles;
  onZoom: (range: readonly [number, number] | null) => void;
}): JSX.Element {
  const zoom = view.zoom;
  const key = [tag, view.axis, groups ? JSON.stringify(groups) : zoom?.join("~") ?? "", ...runs].join("\0");
  const { state, retry } = useResource(key, (signal) => ask(tag, runs, groups, view, signal));
  const { data, error, stale } = state.value;
  const lines = useMemo(() => data?.lines(view.smoothing) ?? [], [data, view.smoothing]);
  const total = data?.total ?? 0;
  const toSvg = useRef<(() => string | null) | null>(null);
  files.svg = () => toSvg.current?.() ?? null;
  files.csv = () => saveCsv(tag, lines, view.axis);
  if (error && !data) {
    return <p class="trouble" role="alert">{error.message} <button class="link" onClick={retry}>Try again</button></p>;
  }
  const summary = lines.map((line) => `${line.name} ends at ${significant(line.ys[line.ys.length - 1] ?? NaN)}`).slice(0, 5).join(", ");
  return (
    <>
      <LineChart lines={lines} summary={`${tag}, ${plural(total, "point")}: ${summary}`} cursor={cursor} onZoom={onZoom} toSvg={toSvg} changing={stale}
        logX={view.logX} logY={view.logY} clipOutliers={view.clip} xRange={zoom} yRange={null} xText={xText(view.axis)} />
      <Values count={groups?.length ?? runs.length} lines={lines} cursor={cursor} digits={5} />
    </>
  );
}

function Tools({ tag, files, pinned, wide, onPin, onWide }: {
  tag: string; files: CardFiles; pinned: boolean; wide: boolean; onPin: () => void; onWide: () => void;
}): JSX.Element {
  return (
    <>
      <button class="icon text" aria-label={`Save ${tag} as SVG`} title="Save the chart" onClick={() => { const svg = files.svg?.(); if (svg) saveSvg(tag, svg); }}>SVG</button>
      <button class="icon text" aria-label={`Save ${tag} as CSV`} title="Save the points" onClick={() => files.csv?.()}>CSV</button>
      <button class="icon" aria-label={`${pinned ? "Unpin" : "Pin"} ${tag}`} aria-pressed={pinned} title="Pin" onClick={onPin}><Icon d={ICONS.pin} /></button>
      <button class="icon" aria-label={`Full width: ${tag}`} aria-pressed={wide} title="Full width" onClick={onWide}><Icon d={ICONS.wide} /></button>
    </>
  );
}

export function ScalarCard(props: {
  tag: string;
  runs: readonly string[];
  groups: readonly RunGroup[] | null;
  view: CardView;
  cursor: Signal<number | null>;
  pinned: boolean;
  wide: boolean;
  /** Whether it is one of the first, which most windows show without scrolling. */
  first: boolean;
  onZoom: (range: readonly [number, number] | null) => void;
  onPin: () => void;
  onWide: () => void;
}): JSX.Element {
  const { ref, near } = useNear(props.first);
  const files = useRef<CardFiles>({ svg: null, csv: null }).current;
  return (
    <section class={`card${props.wide ? " wide" : ""}`} ref={ref} aria-label={props.tag}>
      <header>
        <h3 title={props.tag}>{props.tag}</h3>
        {near && <Tools {...props} files={files} />}
      </header>
      {near ? <LoadedCard tag={props.tag} runs={props.runs} groups={props.groups} view={props.view} cursor={props.cursor} files={files} onZoom={props.onZoom} /> : (
        <>
          <div class="plot" />
          <Values count={props.groups?.length ?? props.runs.length} lines={[]} cursor={null} digits={5} />
        </>
      )}
    </section>
  );
}
