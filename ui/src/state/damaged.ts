// The runs of which some of the log could not be read: whoever lists runs marks them, and nobody says of
// them that everything is there.
import { effect, signal } from "@preact/signals";
import { getJson } from "../api/client";
import type { Runs } from "../api/types";
import { bytes, plural } from "../lib/format";
import { status } from "./live";

/** By run, what is missing. */
export const damagedRuns = signal<ReadonlyMap<string, string>>(new Map());

function lossesOf(damaged: Runs): ReadonlyMap<string, string> {
  return new Map(damaged.names.map((run, i) => {
    const [lost, failed] = [damaged.damaged_bytes[i] ?? 0, damaged.failed_files[i] ?? 0];
    return [run, [...(lost > 0 ? [`${bytes(lost)} of its log`] : []), ...(failed > 0 ? [plural(failed, "file")] : [])].join(" and ")];
  }));
}

let newest = 0;

// Most logs are whole, and then there is nothing to ask for. Else only of the damaged ones, which are few
// where runs are many.
effect(() => {
  const now = status.value;
  const mine = (newest += 1);
  if (!now || now.damaged_runs === 0) {
    if (damagedRuns.peek().size > 0) damagedRuns.value = new Map();
    return;
  }
  void getJson<Runs>("runs", { damaged: 1 }).then((runs) => { if (mine === newest) damagedRuns.value = lossesOf(runs); }, () => undefined); // The next change asks again.
});

/** "every point kept", or what is true of these runs instead. */
export function everyKept(what: string, runs: readonly string[]): string {
  return runs.some((run) => damagedRuns.value.has(run)) ? `every ${what} that could be read` : `every ${what} kept`;
}

/** A value of a tag whose record is whole, but which is not what the tag is made of. */
export interface DamagedValue {
  index: number;
  step: number;
  message: string;
}

/** "1 image is damaged and left out: …", with the reason for the first. */
export function damagedText(what: string, damaged: readonly DamagedValue[]): string {
  return `${plural(damaged.length, what)} ${damaged.length === 1 ? "is" : "are"} damaged and left out: ${damaged[0]?.message ?? ""}`;
}
