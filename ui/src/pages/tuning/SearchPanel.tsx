// A search of `compression-board tune`: its state, its trials, and the layers that are not in 8 bits, with the reason.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { postJson } from "../../api/client";
import { stopShape, type SearchTrial } from "../../api/compression/progress";
import { asSentence, bytes, fixed, plural, significant } from "../../base/text/format";
import { status } from "../../domain/live/live";
import { Name } from "../../widgets/Name";
import { goalText, isRunning, stateText } from "./progress";
import type { Search } from "./searches";

const NotMeasured = (): JSX.Element => <span class="none">not measured</span>;

function numberOr(value: number | null, text: (value: number) => string): JSX.Element | string {
  return value === null ? <NotMeasured /> : text(value);
}

const signed = (value: number, digits: number): string =>
  `${value > 0 ? "+" : value < 0 ? "−" : ""}${fixed(Math.abs(value), digits)}`;

const signedBytes = (value: number): string => `${value > 0 ? "+" : value < 0 ? "−" : ""}${bytes(Math.abs(value))}`;

function Trials({
  trials,
  best,
  metric,
  chosen,
  onChoose,
}: {
  trials: readonly SearchTrial[];
  best: number | null;
  metric: string;
  chosen: number | null;
  onChoose: (number: number) => void;
}): JSX.Element {
  const timed = trials.some(({ latency_ms }) => latency_ms !== null);
  return (
    <div class="scroll-x">
      <table class="table search-trials">
        <caption class="sr">Trials of the search</caption>
        <thead>
          <tr>
            <th scope="col">Trial</th>
            <th scope="col">Tried</th>
            <th scope="col" class="num">
              {metric}
            </th>
            <th scope="col" class="num">
              Size
            </th>
            {timed && (
              <th scope="col" class="num">
                Latency, ms
              </th>
            )}
            {timed && (
              <th scope="col" class="num">
                Speedup
              </th>
            )}
            <th scope="col" class="num">
              Output SQNR, dB
            </th>
            <th scope="col">Goals</th>
            <th scope="col">Pareto set</th>
          </tr>
        </thead>
        <tbody>
          {trials.map((trial) => (
            <tr
              key={trial.number}
              tabIndex={0}
              aria-selected={trial.number === chosen}
              onFocus={() => onChoose(trial.number)}
              onClick={() => onChoose(trial.number)}
            >
              <td>
                {trial.number}
                {trial.number === best ? <b> best</b> : ""}
              </td>
              <td>{trial.note}</td>
              <td class="num">
                {trial.accuracy === null ? (
                  <span class="bad" title={trial.failure}>
                    failed
                  </span>
                ) : (
                  significant(trial.accuracy)
                )}
              </td>
              <td class="num">{bytes(trial.size_bytes)}</td>
              {timed && <td class="num">{numberOr(trial.latency_ms, significant)}</td>}
              {timed && <td class="num">{numberOr(trial.speedup, (value) => `${fixed(value, 2)}×`)}</td>}
              <td class="num">{numberOr(trial.end_sqnr_db, (value) => fixed(value, 1))}</td>
              <td>
                <span class={trial.is_met ? "verdict good" : "verdict bad"}>{trial.is_met ? "met" : "missed"}</span>
              </td>
              <td>{trial.is_pareto ? "yes" : <span class="none">–</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Layers({ trial }: { trial: SearchTrial }): JSX.Element {
  if (trial.reverted.length === 0) return <p class="note">Trial {trial.number} has all layers in 8 bits.</p>;
  return (
    <div class="scroll-x">
      <table class="table reverted">
        <caption>
          Trial {trial.number}: {plural(trial.reverted.length, "layer")} not in 8 bits, sorted by gain
        </caption>
        <thead>
          <tr>
            <th scope="col">Layer</th>
            <th scope="col">Operator</th>
            <th scope="col">Precision</th>
            <th scope="col">Cause</th>
            <th scope="col" class="num">
              Gain, dB
            </th>
            <th scope="col" class="num">
              Bytes
            </th>
            <th scope="col" class="num">
              Time, ms
            </th>
          </tr>
        </thead>
        <tbody>
          {trial.reverted.map((layer) => (
            <tr key={`${layer.name}\0${layer.change}`}>
              <td class="mono layer-name">
                <Name name={layer.name} />
              </td>
              <td>{layer.op_type || <span class="none">–</span>}</td>
              <td>{layer.change}</td>
              <td title={layer.explanation}>
                {layer.cause === "" ? <span class="none">not found</span> : layer.cause.replaceAll("_", " ")}
              </td>
              <td class="num">{numberOr(layer.gain_db, (value) => signed(value, 1))}</td>
              <td class="num">{signedBytes(layer.bytes)}</td>
              <td class="num">{numberOr(layer.cost_ms, (value) => signed(value, 3))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Stop({ run }: { run: string }): JSX.Element {
  const [asked, setAsked] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  if (asked) return <span class="note">The search is stopping; the best model so far is kept.</span>;
  return (
    <>
      <button
        class="pick"
        onClick={() =>
          postJson(stopShape, "tuning/stop", { run }).then(
            () => setAsked(true),
            (error: unknown) => setFailure(error instanceof Error ? error.message : String(error)),
          )
        }
      >
        Stop
      </button>
      {failure !== null && (
        <span class="bad" role="alert">
          {failure}
        </span>
      )}
    </>
  );
}

/** The state of the search as a word, and as the name of a CSS class. */
function Phase({ search: { progress } }: { search: Search }): JSX.Element {
  if (isRunning(progress)) return <span class="verdict open">running: {progress.phase}</span>;
  if (progress.is_met) return <span class="verdict good">{progress.phase}: goals met</span>;
  return (
    <span class={progress.is_met === null ? "verdict open" : "verdict bad"}>
      {progress.phase}
      {progress.is_met === null ? "" : ": goals missed"}
    </span>
  );
}

export function SearchPanel({ search }: { search: Search }): JSX.Element {
  const { run, progress } = search;
  const [picked, setPicked] = useState<number | null>(null);
  const { trials, best, baseline } = progress;
  const chosen = trials.find(({ number }) => number === (picked ?? best)) ?? trials.at(-1);
  return (
    <section class="panel search-panel" aria-label={`Search ${run}`}>
      <div class="panel-head">
        <h2>Search</h2>
        <Phase search={search} />
        <span class="note" role="status">
          {stateText(progress)}
        </span>
        {progress.can_stop && status.value?.allow_control && <Stop run={run} />}
      </div>
      <p class="note">
        Goal: {goalText(progress) || "none"}; among the models that meet it, the best by {progress.objective}.{" "}
        {baseline
          ? `Baseline: ${progress.metric} ${baseline.accuracy === null ? "not measured" : significant(baseline.accuracy)}, ${bytes(baseline.size_bytes)}.`
          : "The baseline was not evaluated yet."}
      </p>
      {progress.reason !== "" && (
        <p>
          {asSentence(progress.reason)} {progress.next_step}
        </p>
      )}
      {trials.length > 0 && (
        <Trials
          trials={trials}
          best={best}
          metric={progress.metric}
          chosen={chosen?.number ?? null}
          onChoose={setPicked}
        />
      )}
      {chosen && <Layers trial={chosen} />}
    </section>
  );
}
