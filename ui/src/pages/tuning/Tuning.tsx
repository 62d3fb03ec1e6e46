// Accuracy-driven tuning: the accuracy of each trial compared with the baseline, and the trial to ship.
import { tuningShape } from "../../api/compression/panels";
import { stagesShape } from "../../api/graphs";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { getJson } from "../../api/client";
import { duration, percent, points, plural, significant } from "../../base/text/format";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { pythonFolder } from "../../domain/live/Snippet";
import { useKeys } from "../../base/keys";
import { Menu } from "../../widgets/Menu";
import { go, hrefOf, query, setQuery } from "../../base/address";
import { comparison, model } from "../../domain/models/pair";
import { useResource } from "../../domain/live/resource";
import { firstStage } from "../../domain/models/stages";
import { readTrials, DEFAULT_TARGET, type Trial } from "./data";
import { allowedLoss, goalText } from "./progress";
import { loadSearches } from "./searches";
import { SearchPanel } from "./SearchPanel";
import { TrialChart } from "./TrialChart";
import "./tuning.css";

const WAYS = [
  ["compare", "Compare"],
  ["layers", "Layers"],
] as const;

// Metrics that are shown in addition to accuracy, if a trial logged them.
const FIGURES = [
  { metric: "model_size_mb", text: "Size, MB" },
  { metric: "latency_mean_ms", text: "Latency, ms" },
];

function Verdict({ trial }: { trial: Trial }): JSX.Element {
  if (trial.isBaseline) return <span class="dim">reference</span>;
  if (trial.passes === null) return <span class="dim">{trial.accuracy === null ? "not measured" : "no baseline"}</span>;
  return trial.passes ? (
    <span class="verdict good">meets the goal</span>
  ) : (
    <span class="verdict bad">accuracy drop too large</span>
  );
}

function TrialTable({
  trials,
  of,
  picked,
  onPick,
  onOpen,
}: {
  trials: readonly Trial[];
  of: string;
  picked: Trial | null;
  onPick: (trial: Trial) => void;
  onOpen: (trial: Trial) => void;
}): JSX.Element {
  const body = useRef<HTMLTableSectionElement>(null);
  const logged = comparison.value?.byName.get(of);
  const figures = FIGURES.filter(({ metric }) => trials.some((trial) => logged?.value(trial.name, metric) != null));
  useEffect(
    () => body.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }),
    [picked],
  );
  return (
    <div class="tuning-table scroll-x keep-names">
      <table class="table">
        <caption class="sr">Trials</caption>
        <thead>
          <tr>
            <th scope="col">Trial</th>
            <th scope="col" class="num">
              Accuracy, %
            </th>
            <th scope="col" class="num">
              Change, pp
            </th>
            <th scope="col">Verdict</th>
            {figures.map(({ metric, text }) => (
              <th key={metric} scope="col" class="num">
                {text}
              </th>
            ))}
            <th scope="col">Changed settings</th>
            <th scope="col" class="num">
              Duration
            </th>
            <th scope="col">
              <span class="sr">Open in</span>
            </th>
            <th scope="col" class="of-run">
              Run
            </th>
          </tr>
        </thead>
        <tbody ref={body}>
          {trials.map((trial) => (
            <tr
              key={trial.run}
              tabIndex={0}
              aria-selected={trial === picked}
              onFocus={() => onPick(trial)}
              onClick={(event) => {
                if (!(event.target instanceof Element && event.target.closest("a"))) onOpen(trial);
              }}
              onKeyDown={(event) => {
                if (event.key === "Enter" && event.target === event.currentTarget) onOpen(trial);
              }}
            >
              <td>
                {trial.name}
                {trial.isBest ? <b> best</b> : ""}
              </td>
              <td class="num">
                {trial.accuracy === null ? <span class="none">not measured</span> : percent(trial.accuracy)}
              </td>
              <td class="num">
                {trial.change === null || trial.isBaseline ? "–" : points(trial.change).replace(" pp", "")}
              </td>
              <td>
                <Verdict trial={trial} />
              </td>
              {figures.map(({ metric }) => {
                const value = logged?.value(trial.name, metric);
                return (
                  <td key={metric} class="num">
                    {value == null ? (
                      <span class="none" title="not logged">
                        –
                      </span>
                    ) : (
                      significant(value)
                    )}
                  </td>
                );
              })}
              <td
                class="dim changes"
                title={trial.fromBest
                  .map(({ name, here, best }) => `${name}: ${here}, the best has ${best}`)
                  .join("\n")}
              >
                {trial.changed || "–"}
              </td>
              <td class="num">{trial.duration > 0 ? duration(trial.duration) : "–"}</td>
              <td>
                {!trial.isBaseline &&
                  WAYS.map(([page, text]) => (
                    <a key={page} class="link" href={hrefOf([page], { model: of, a: "baseline", b: trial.name })}>
                      {text}
                    </a>
                  ))}
              </td>
              <td class="mono dim of-run" title={trial.run}>
                {trial.run}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export default function Tuning(): JSX.Element {
  const { state, retry } = useResource("tuning", (signal) => getJson(tuningShape, "compression/tuning", {}, signal));
  const stages = useResource("stages", (signal) => getJson(stagesShape, "compression/stages", {}, signal)).state.value
    .data;
  const searches = useResource("searches", loadSearches).state.value.data ?? [];
  const { data, error } = state.value;
  const timelines = data?.timelines ?? [];
  const timeline =
    timelines.find((t) => t.experiment === query.value.get("experiment")) ??
    timelines.find((t) => t.model === model.value) ??
    timelines[0];
  // The searches of this experiment: their runs are in the experiment's directory.
  const nearby = searches.filter(({ run }) => timelines.length < 2 || run.startsWith(timeline?.experiment ?? ""));
  const goals = nearby[0]?.progress;
  const target = (goals && allowedLoss(goals)) ?? DEFAULT_TARGET;
  const trials = useMemo(() => (timeline ? readTrials(timeline, target) : []), [timeline, target]);
  const pickedNow = (): Trial | null => trials.find((trial) => trial.name === query.value.get("trial")) ?? null;
  const pick = (trial: Trial): void => setQuery({ trial: trial.name }, "replace");
  const open = (trial: Trial): void => {
    if (!trial.isBaseline && timeline) go(hrefOf(["compare"], { model: timeline.model, a: "baseline", b: trial.name }));
  };
  const move = (by: number) => (): void => {
    const now = pickedNow();
    const at = now ? trials.indexOf(now) + by : by > 0 ? 0 : trials.length - 1;
    const next = trials[Math.max(0, Math.min(trials.length - 1, at))];
    // Enter opens the trial of the focused row.
    if (next)
      document.querySelector<HTMLElement>(`.tuning-table tbody tr:nth-child(${trials.indexOf(next) + 1})`)?.focus();
  };
  useKeys([
    { key: "]", does: "Next trial", run: move(1) },
    { key: "[", does: "Previous trial", run: move(-1) },
    { key: "j", does: "Next trial", run: move(1) },
    { key: "k", does: "Previous trial", run: move(-1) },
  ]);
  if (error && !data)
    return (
      <p class="trouble" role="alert">
        {error.message}{" "}
        <button class="link" onClick={retry}>
          Try again
        </button>
      </p>
    );
  if (!data) return <div class="view" aria-busy="true" />;
  if (!timeline && searches.length > 0)
    return (
      <div class="view">
        <div class="page-bar">
          <h1>Tuning</h1>
          <span class="note">no trial has ended yet</span>
        </div>
        {searches.map((search) => (
          <SearchPanel key={search.run} search={search} />
        ))}
      </div>
    );
  if (!timeline) return <Empty />;
  const picked = pickedNow();
  const withGraphs = stages?.timelines.filter((one) => one.has_graph.filter(Boolean).length > 1) ?? [];
  const played = withGraphs.find((one) => one.model === timeline.model) ?? withGraphs[0];
  const best = trials.find((trial) => trial.isBest);
  const overTime = query.value.get("x") === "time";
  return (
    <div class="view">
      <div class="page-bar">
        <h1>Tuning</h1>
        <span class="note">
          {plural(trials.filter((t) => !t.isBaseline).length, "trial")}
          {best?.accuracy != null
            ? `; best so far ${best.name} with ${percent(best.accuracy)} %${best.change === null ? "" : `, ${best.change === 0 ? "as good as the baseline" : `${points(best.change)} from the baseline`}`}`
            : ""}
        </span>
        {played && (
          <a
            class="link push"
            href={hrefOf(["graph"], { model: played.model, stage: firstStage({ timeline: played }), play: "1" })}
            title="Shows the graph of each stage of quantization, one after the other"
          >
            ▶ Graph stages
          </a>
        )}
        <span class={`seg${played ? "" : " push"}`} role="group" aria-label="Trials over">
          <button aria-pressed={!overTime} onClick={() => setQuery({ x: null }, "replace")}>
            Trial
          </button>
          <button aria-pressed={overTime} onClick={() => setQuery({ x: "time" }, "replace")}>
            Time
          </button>
        </span>
        {timelines.length > 1 && (
          <Menu
            label={`Experiment: ${timeline.experiment}`}
            value={timeline.experiment}
            choices={timelines.map((t) => ({ value: t.experiment, text: t.experiment }))}
            onPick={(experiment) => setQuery({ experiment, trial: null })}
          >
            {timeline.experiment}
          </Menu>
        )}
      </div>
      <p class="note tuning-target">
        {goals && allowedLoss(goals) !== null
          ? `Target: ${goalText(goals)}, the goal of the search.`
          : `Target: at most ${percent(DEFAULT_TARGET, 0)} % relative loss of accuracy. This is our default, since the log names no target.`}
      </p>
      <section class="panel tuning-panel" aria-label="Accuracy by trial">
        <TrialChart trials={trials} target={target} overTime={overTime} picked={picked} onPick={pick} onOpen={open} />
      </section>
      {nearby.map((search) => (
        <SearchPanel key={search.run} search={search} />
      ))}
      <TrialTable trials={trials} of={timeline.model} picked={picked} onPick={pick} onOpen={open} />
    </div>
  );
}

function Empty(): JSX.Element {
  return (
    <EmptyPage
      title="No tuning runs yet"
      about="This page compares the trials of an accuracy-driven tuning with the baseline: the trials that meet the goal, the changes of each trial, and the best one."
      lookedFor={
        <>
          run directories named like <span class="mono">baseline_acc_0.776</span> and{" "}
          <span class="mono">tune_1_acc_0.095</span>
        </>
      }
    >
      <p>
        neural-compressor logs such runs with <span class="mono">tensorboard: true</span> in its configuration; from
        PyTorch:
      </p>
      <pre>{`from compression_board import TuningLogger
logger = TuningLogger(${pythonFolder("/eval")})
with logger.evaluation(
        model, settings={"bits": 8}) as trial:
    trial.accuracy = evaluate(trial.model)`}</pre>
    </EmptyPage>
  );
}
