// What to keep in float, as it was measured at the end of the network.
import { Fragment, type JSX } from "preact";
import { dbText, gainText } from "../../lib/decibels";
import { asSentence, count, plural } from "../../lib/format";
import { Dialog } from "../../shell/Dialog";
import { query, setQuery } from "../../state/location";
import { bestParts, runsOf, tensorsText, type FloatParts, type VerifiedAnswer } from "./verified_runs";

function Runs({ answer, onClose }: { answer: VerifiedAnswer; onClose: () => void }): JSX.Element {
  const runs = runsOf(answer);
  const [end] = answer.ends;
  return (
    <Dialog label="Runs with parts in float" onClose={onClose}>
      <h2>What the end keeps</h2>
      <p class="note">The output of {answer.ends.length === 1 ? <span class="mono">{end}</span> : `the ${count(answer.ends.length)} last layers on the average`} against the baseline's, on {plural(answer.samples, "sample")}</p>
      <table class="table verified-runs">
        <thead><tr><th scope="col">In float</th><th scope="col" class="num">SQNR, dB</th><th scope="col" class="num">Gained, dB</th></tr></thead>
        <tbody>
          {runs.map((run, i) => (
            <tr key={i} class={i === answer.best ? "best" : ""}>
              <td>{run.text}{run.whyNot && <span class="bad"> could not be run: {run.whyNot}</span>}</td>
              <td class="num">{run.sqnr === null ? "–" : dbText(run.sqnr)}</td>
              <td class="num">{i === 0 || run.gain === null ? "" : gainText(run.gain)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}

export function Verified({ answer, onPick, onKeep, kept }: {
  answer: VerifiedAnswer;
  onPick: (part: FloatParts) => void;
  onKeep: (layers: readonly string[]) => void;
  /** Whether all of these are kept in fp32 by now. */
  kept: (layers: readonly string[]) => boolean;
}): JSX.Element {
  const parts = bestParts(answer);
  const layers = parts.map((part) => part.layer);
  return (
    <section class="panel verified" aria-label="Verified">
      <p>
        {parts.length > 0 ? <b>{asSentence(answer.summary).replace(/\.$/, ":")}</b> : asSentence(answer.summary)}
        {parts.map((part, i) => (
          <Fragment key={part.layer}>{i > 0 ? ", " : " "}<button class="link mono" onClick={() => onPick(part)}>{part.layer}</button> {tensorsText(part.tensors)}</Fragment>
        ))}
      </p>
      <span class="verified-acts">
        {parts.length > 0 && !kept(layers) && <button class="link" onClick={() => onKeep(layers)} title="Keep these layers in fp32">Keep fp32</button>}
        {answer.texts.length > 0 && <button class="link" onClick={() => setQuery({ runs: "1" }, "replace")}>All {plural(answer.texts.length, "run")}</button>}
      </span>
      {query.value.has("runs") && answer.texts.length > 0 && <Runs answer={answer} onClose={() => setQuery({ runs: null }, "replace")} />}
    </section>
  );
}
