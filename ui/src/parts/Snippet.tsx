// How to log what a page would show, into the folder that the page follows: copied and run as it stands,
// it shows up.
import type { JSX } from "preact";
import { status } from "../state/live";

/** `lines` are what is done with a SummaryWriter called `writer`. */
export function Snippet({ run = "train", lines }: { run?: string; lines: readonly string[] }): JSX.Element {
  const folder = status.value?.logdirs.paths[0]?.replace(/\/+$/, "") ?? "runs";
  const all = ["from compression_board import SummaryWriter", `with SummaryWriter(${JSON.stringify(`${folder}/${run}`)}) as writer:`, ...lines.map((line) => `    ${line}`)];
  return <pre>{all.join("\n")}</pre>;
}
