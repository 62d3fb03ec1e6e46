// The results of `compare --verify`: layers to keep in float, with their measured gain in output SQNR.
import type { Runs } from "../../api/board";
import type { VerifiedResponse } from "../../api/compression/layers";
import { Fragment, type JSX } from "preact";
import { dbText, gainText } from "../../domain/layers/decibels";
import { asSentence, count, plural } from "../../base/text/format";
import { Dialog } from "../../widgets/Dialog";
import { query, setQuery } from "../../base/address";
import { bestParts, runsOf, tensorsText, type FloatParts } from "../../domain/layers/verified_runs";

function Runs({ response, onClose }: { response: VerifiedResponse; onClose: () => void }): JSX.Element {
  const runs = runsOf(response);
  const [end] = response.ends;
  return (
    <Dialog label="Output SQNR with parts restored to float" onClose={onClose}>
      <h2>Output SQNR with parts restored to float</h2>
      <p class="note">
        The output of{" "}
        {response.ends.length === 1 ? (
          <span class="mono">{end}</span>
        ) : (
          `the ${count(response.ends.length)} last layers on average`
        )}{" "}
        compared with the baseline, on {plural(response.samples, "sample")}
      </p>
      <table class="table verified-runs">
        <thead>
          <tr>
            <th scope="col">In float</th>
            <th scope="col" class="num">
              SQNR, dB
            </th>
            <th scope="col" class="num">
              Gain, dB
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run, i) => (
            <tr key={i} class={i === response.best ? "best" : ""}>
              <td>
                {run.text}
                {run.whyNot && <span class="bad"> could not be run: {run.whyNot}</span>}
              </td>
              <td class="num">{run.sqnr === null ? "–" : dbText(run.sqnr)}</td>
              <td class="num">{i === 0 || run.gain === null ? "" : gainText(run.gain)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}

export function Verified({
  response,
  onPick,
  onKeep,
  kept,
}: {
  response: VerifiedResponse;
  onPick: (part: FloatParts) => void;
  onKeep: (layers: readonly string[]) => void;
  /** Whether all of the given layers are marked to be kept in FP32. */
  kept: (layers: readonly string[]) => boolean;
}): JSX.Element {
  const parts = bestParts(response);
  const layers = parts.map((part) => part.layer);
  return (
    <section class="panel verified" aria-label="Verified">
      <p>
        {parts.length > 0 ? <b>{asSentence(response.summary).replace(/\.$/, ":")}</b> : asSentence(response.summary)}
        {parts.map((part, i) => (
          <Fragment key={part.layer}>
            {i > 0 ? ", " : " "}
            <button class="link mono" onClick={() => onPick(part)}>
              {part.layer}
            </button>{" "}
            {tensorsText(part.tensors)}
          </Fragment>
        ))}
      </p>
      <span class="verified-acts">
        {parts.length > 0 && !kept(layers) && (
          <button class="link" onClick={() => onKeep(layers)} title="Keep these layers in fp32">
            Keep fp32
          </button>
        )}
        {response.texts.length > 0 && (
          <button class="link" onClick={() => setQuery({ runs: "1" }, "replace")}>
            All {plural(response.texts.length, "run")}
          </button>
        )}
      </span>
      {query.value.has("runs") && response.texts.length > 0 && (
        <Runs response={response} onClose={() => setQuery({ runs: null }, "replace")} />
      )}
    </section>
  );
}
