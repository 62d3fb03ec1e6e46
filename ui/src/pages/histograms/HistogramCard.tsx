// Cards with histograms: of one run over its steps, or of all runs at one step.
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { useNear } from "../../base/dom/useNear";
import { csvOf, fileName, saveAs } from "../../base/text/csv";
import { count, exact, plural, significant, steady } from "../../base/text/format";
import { distinctNames } from "../../base/text/distinct";
import { shortNames } from "../../base/text/short_names";
import { shownNameOf } from "../../domain/runs/run_names";
import { RunKey } from "../../domain/runs/RunKey";
import { useResource } from "../../domain/live/resource";
import { loadBars, loadPercentiles, loadSteps, loadTogether, type Bars, type Percentiles, type Together } from "./data";
import { HeatChart } from "./HeatChart";
import { percentileName, PercentileChart } from "./PercentileChart";
import { labelOf } from "./layout";
import { RidgeChart } from "./RidgeChart";
import { areChannels } from "../../charts/scalars/lines";
import { RunsChart } from "./RunsChart";

export const MODES = [
  { id: "offset", text: "Offset" },
  { id: "overlay", text: "Overlay" },
  { id: "heatmap", text: "Heatmap" },
  { id: "percentiles", text: "Percentiles" },
  { id: "runs", text: "Runs" },
] as const;
export type Mode = (typeof MODES)[number]["id"];

export interface Look {
  readonly mode: Mode;
  readonly logY: boolean;
  readonly table: boolean;
  /** The step of cards that show all runs. null means the newest step of each run. */
  readonly step: number | null;
}

// The max number of runs in one card, because more cannot be distinguished.
const MAX_STEPS = { offset: 24, overlay: 24, heatmap: 120 } as const;
const ALL_STEPS = 10_000;
const MAX_RUNS = 8; // The max number of outlines on one axis that are readable.

type Trouble = { readonly message: string };

function Failed({ error, onRetry }: { error: Trouble; onRetry: () => void }): JSX.Element {
  return (
    <p class="trouble" role="alert">
      {error.message}{" "}
      <button class="link" onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}

/** Some logs have a histogram per channel: their steps are channels. */
const stepNameOf = (run: string): string => (areChannels([run]) ? "channel" : "step");

function summaryOf(tag: string, run: string, { steps, edges }: Bars): string {
  return `Histograms of ${tag} in ${run} at ${plural(steps.length, "step")}${edges.length > 1 ? `, values from ${significant(edges[0] ?? 0)} to ${significant(edges.at(-1) ?? 0)}` : ""}`;
}

function PercentileTable({ data }: { data: Percentiles }): JSX.Element {
  return (
    <div class="value-table full of-steps" tabIndex={0} role="region" aria-label="Percentiles by step">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Step</th>
            {data.points.map((point) => (
              <th key={point} scope="col" class="num">
                {percentileName(point)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...data.steps.keys()].reverse().map((i) => (
            <tr key={i}>
              <td>{count(data.steps[i] ?? 0)}</td>
              {data.rows[i]?.map((value, p) => (
                <td key={p} class="num" title={exact(value)}>
                  {steady(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function OfPercentiles({ run, tag, table }: { run: string; tag: string; table: boolean }): JSX.Element {
  const { state, retry } = useResource(`${run}\0${tag}`, (signal) => loadPercentiles(run, tag, 300, signal));
  const { data, error } = state.value;
  if (error && !data) return <Failed error={error} onRetry={retry} />;
  if (!data) return <div class="plot" />;
  if (table) return <PercentileTable data={data} />;
  const newest = data.rows.at(-1) ?? [];
  return (
    <PercentileChart
      run={run}
      data={data}
      stepName={stepNameOf(run)}
      summary={`Percentiles of ${tag} in ${run} at ${plural(data.steps.length, "step")}; the newest median is ${significant(newest[4] ?? NaN)}`}
    />
  );
}

function OfSteps({
  run,
  tag,
  mode,
  logY,
}: {
  run: string;
  tag: string;
  mode: "offset" | "overlay" | "heatmap";
  logY: boolean;
}): JSX.Element {
  const limit = MAX_STEPS[mode];
  const { state, retry } = useResource(`${run}\0${tag}\0${limit}`, (signal) => loadBars(run, tag, limit, signal));
  const { data, error } = state.value;
  if (error && !data) return <Failed error={error} onRetry={retry} />;
  if (!data) return <div class="plot" />;
  const summary = summaryOf(tag, run, data);
  return mode === "heatmap" ? (
    <HeatChart data={data} logY={logY} stepName={stepNameOf(run)} summary={summary} />
  ) : (
    <RidgeChart
      run={run}
      data={data}
      overlay={mode === "overlay"}
      logY={logY}
      stepName={stepNameOf(run)}
      summary={summary}
    />
  );
}

async function saveSteps(run: string, tag: string): Promise<void> {
  const data = await loadSteps(run, tag, ALL_STEPS);
  const rows = data.steps.flatMap((step, s) =>
    (data.counts[s] ?? []).map((c, i) => [run, tag, step, data.lefts[s]?.[i] ?? null, data.rights[s]?.[i] ?? null, c]),
  );
  saveAs(fileName(`${run}_${tag}`, "csv"), csvOf(["run", "tag", "step", "left", "right", "count"], rows), "text/csv");
}

/** A card with the histograms of one run over its steps. */
export function HistogramCard({ run, tag, look }: { run: string; tag: string; look: Look }): JSX.Element {
  const { ref, near } = useNear();
  const { mode } = look;
  return (
    <section class="card" ref={ref} aria-label={`${tag} of ${run}`}>
      <header>
        <h3 class="tail" title={tag}>
          <bdi>{tag}</bdi>
        </h3>
        <button
          class="link tool"
          title="Save the bins of all steps as CSV"
          aria-label={`Save ${tag} of ${run} as CSV`}
          onClick={() => void saveSteps(run, tag)}
        >
          CSV
        </button>
      </header>
      <div class="note run-line">
        <RunKey run={run} />{" "}
        <span class="tail" title={run}>
          <bdi>{shownNameOf(run)}</bdi>
        </span>
      </div>
      {!near ? (
        <div class="plot" />
      ) : look.table || mode === "percentiles" || mode === "runs" ? (
        <OfPercentiles run={run} tag={tag} table={look.table} />
      ) : (
        <OfSteps run={run} tag={tag} mode={mode} logY={look.logY} />
      )}
    </section>
  );
}

function RunTable({ data }: { data: Together }): JSX.Element {
  const names = ["min", "max", "mean", "deviation"] as const;
  return (
    <div class="value-table full" tabIndex={0} role="region" aria-label="Values by run">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col" class="num">
              Step
            </th>
            <th scope="col" class="num">
              Values
            </th>
            {names.map((name) => (
              <th key={name} scope="col" class="num">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.runs.map(({ run, step, num, moments }) => (
            <tr key={run}>
              <td title={run}>
                <span class="run-line">
                  <RunKey run={run} />{" "}
                  <span class="tail">
                    <bdi>{shownNameOf(run)}</bdi>
                  </span>
                </span>
              </td>
              <td class="num">{count(step)}</td>
              <td class="num">{count(num)}</td>
              {names.map((name) => (
                <td
                  key={name}
                  class={moments ? "num" : "num none"}
                  title={moments ? exact(moments[name]) : "not logged"}
                >
                  {moments ? significant(moments[name]) : "–"}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function saveTogether(tag: string, data: Together): void {
  const rows = data.edges
    .slice(0, -1)
    .map((left, i) => [left, data.edges[i + 1] ?? null, ...data.runs.map(({ counts }) => counts[i] ?? null)]);
  saveAs(
    fileName(tag, "csv"),
    csvOf(["left", "right", ...data.runs.map(({ run, step }) => `${run} at ${stepNameOf(run)} ${step}`)], rows),
    "text/csv",
  );
}

interface OfRunsProps {
  readonly tag: string;
  readonly runs: readonly string[];
  readonly look: Look;
  readonly range: readonly [number, number] | null;
  readonly onRange: (range: readonly [number, number] | null) => void;
}

function OfRuns({
  tag,
  runs,
  look,
  range,
  onRange,
  drawn,
}: OfRunsProps & { drawn: { current: Together | null } }): JSX.Element {
  const shown = runs.slice(0, MAX_RUNS);
  const { state, retry } = useResource(JSON.stringify([tag, shown, look.step, range]), (signal) =>
    loadTogether(shown, tag, look.step, range, signal),
  );
  const { data, error, stale } = state.value;
  drawn.current = data ?? null;
  if (error && !data) return <Failed error={error} onRetry={retry} />;
  if (!data)
    return (
      <>
        <div class="plot" />
        <div class="values" />
      </>
    );
  const short = shortNames(data.runs.map(({ run }) => run));
  const names = short.map((name) => distinctNames(short).get(name) ?? name);
  const means = data.runs.map(
    ({ run, moments }) =>
      `${run}${moments ? ` has mean ${significant(moments.mean)} and deviation ${significant(moments.deviation)}` : ""}`,
  );
  return (
    <>
      {look.table ? (
        <RunTable data={data} />
      ) : (
        <RunsChart
          data={data}
          logY={look.logY}
          onRange={onRange}
          summary={`${tag} of ${plural(data.runs.length, "run")} in the same bins: ${means.join(", ")}`}
        />
      )}
      <div class="values" aria-busy={stale}>
        {data.runs.map(({ run, step }, i) => (
          <span key={run} class="long" title={run}>
            <RunKey run={run} />
            <span class="tail">
              <bdi>{names[i]}</bdi>
            </span>
            <span class="dim">{labelOf(step, stepNameOf(run))}</span>
          </span>
        ))}
        {runs.length > MAX_RUNS && (
          <span class="dim">and {runs.length - MAX_RUNS} more runs; untick some shown runs to see them</span>
        )}
        {range && (
          <button class="link" onClick={() => onRange(null)}>
            All values
          </button>
        )}
        {data.problems.map((problem) => (
          <span key={problem} class="bad">
            {problem}
          </span>
        ))}
      </div>
    </>
  );
}

/** A card with all runs that have a tag, at one step, on one axis. */
export function RunsCard(props: OfRunsProps): JSX.Element {
  const { tag } = props;
  const { ref, near } = useNear();
  const drawn = useRef<Together | null>(null);
  return (
    <section class="card" ref={ref} aria-label={tag}>
      <header>
        <h3 class="tail" title={tag}>
          <bdi>{tag}</bdi>
        </h3>
        <button
          class="link tool"
          title="Save the histogram bins of this chart as CSV"
          aria-label={`Save ${tag} as CSV`}
          onClick={() => {
            if (drawn.current) saveTogether(tag, drawn.current);
          }}
        >
          CSV
        </button>
      </header>
      {near ? (
        <OfRuns {...props} drawn={drawn} />
      ) : (
        <>
          <div class="plot" />
          <div class="values" />
        </>
      )}
    </section>
  );
}
