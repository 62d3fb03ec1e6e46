// Example code that logs data into the log directory of the page: users copy and run it, and the page shows the result.
import type { JSX } from "preact";
import { status } from "./live";

const watchedFolder = (): string => status.value?.logdirs.paths[0]?.replace(/\/+$/, "") ?? "runs";

/** The path of a directory in or below the log directory, quoted for Python or for a shell. */
export const pythonFolder = (below = ""): string => JSON.stringify(watchedFolder() + below);
export const shellFolder = (below = ""): string => {
  const folder = watchedFolder() + below;
  return /^[\w@%+=:,./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`;
};

/** Python code around `lines`. The code creates a SummaryWriter with the name `writer`, and `lines` use it. */
export function Snippet({ run = "train", lines }: { run?: string; lines: readonly string[] }): JSX.Element {
  const all = [
    "from compression_board import SummaryWriter",
    `with SummaryWriter(${pythonFolder(`/${run}`)}) as writer:`,
    ...lines.map((line) => `    ${line}`),
  ];
  return <pre>{all.join("\n")}</pre>;
}

/** Python code that logs the metrics of two variants. */
export const comparisonLines = (): string => `from compression_board import CompressionWriter
fp32 = {"accuracy": 0.9945, "model_size_mb": 217.61}
int8 = {"accuracy": 0.9945, "model_size_mb": 9.42}
with CompressionWriter(${pythonFolder("/alexnet")}) as log:
    log.log_compression_comparison(
        "alexnet", fp32, int8)`;
