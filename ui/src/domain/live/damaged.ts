// Runs whose logs are damaged. Lists of runs mark them, and no page claims that their data is complete.
import { type DamagedValue, type Runs, runsShape } from "../../api/board";
import { effect, signal } from "@preact/signals";
import { getJson } from "../../api/client";
import { bytes, plural } from "../../base/text/format";
import { status } from "./live";

/** For each damaged run, a text about the data that is missing. */
export const damagedRuns = signal<ReadonlyMap<string, string>>(new Map());

function lossesOf(damaged: Runs): ReadonlyMap<string, string> {
  return new Map(
    damaged.names.map((run, i) => {
      const [lost, failed] = [damaged.damaged_bytes[i] ?? 0, damaged.failed_files[i] ?? 0];
      return [
        run,
        [...(lost > 0 ? [`${bytes(lost)} of its log`] : []), ...(failed > 0 ? [plural(failed, "file")] : [])].join(
          " and ",
        ),
      ];
    }),
  );
}

let newest = 0;

// Requests only the damaged runs, and only if there are any: most logs are not damaged.
effect(() => {
  const now = status.value;
  const mine = (newest += 1);
  if (!now || now.damaged_runs === 0) {
    if (damagedRuns.peek().size > 0) damagedRuns.value = new Map();
    return;
  }
  void getJson(runsShape, "runs", { damaged: 1 }).then(
    (runs) => {
      if (mine === newest) damagedRuns.value = lossesOf(runs);
    },
    () => undefined,
  ); // On failure, the next change of the logs requests them again.
});

/** The text "every point kept", or "every point that could be read" if one of the given runs is damaged. */
export function everyKept(what: string, runs: readonly string[]): string {
  return runs.some((run) => damagedRuns.value.has(run)) ? `every ${what} that could be read` : `every ${what} kept`;
}

/** "1 image is damaged and left out: …", with the reason for the first. */
export function damagedText(what: string, damaged: readonly DamagedValue[]): string {
  return `${plural(damaged.length, what)} ${damaged.length === 1 ? "is" : "are"} damaged and left out: ${damaged[0]?.message ?? ""}`;
}
