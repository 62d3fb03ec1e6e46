// Stock TensorBoard as a user starts it, with a loader of choice and with our tab.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PYTHON = process.env["PYTHON"] ?? "python3";
const SOURCES = fileURLToPath(new URL("../../../python", import.meta.url));
const ENTRY_POINT = "[tensorboard_plugins]\ncompression_board = tensorboard_plugin_compression_board.plugin:CompressionBoardPlugin\n";

/** Flags and variables of each way to load a log directory. */
export const LOADERS = {
  ours: { flags: ["--load_fast=true"], variables: { TENSORBOARD_DATA_SERVER_BINARY: process.env["DATA_SERVER"] } },
  rustboard: { flags: ["--load_fast=true"], variables: {} },
  python: { flags: ["--load_fast=false"], variables: {} },
};

/** A folder that makes our sources look like an installed package, so that TensorBoard finds the tab. */
function installed(scratch) {
  const information = join(scratch, "compression_board-0.1.0.dist-info");
  mkdirSync(information);
  writeFileSync(join(information, "METADATA"), "Metadata-Version: 2.1\nName: compression-board\nVersion: 0.1.0\n");
  writeFileSync(join(information, "entry_points.txt"), ENTRY_POINT);
  return `${scratch}:${SOURCES}`;
}

/** Starts TensorBoard; `address` ends in a slash. `tab` also installs the tab COMPRESSION. */
export async function startTensorBoard(logdir, { loader = "ours", flags = ["--host", "127.0.0.1"], tab = false } = {}) {
  const scratch = mkdtempSync(join(tmpdir(), "cboard-stock-"));
  const { flags: loading, variables } = LOADERS[loader];
  const env = { ...process.env, XDG_CACHE_HOME: join(scratch, "cache"), COMPRESSION_BOARD_PROGRAM: process.env["COMPRESSION_BOARD"], ...variables };
  if (tab) env["PYTHONPATH"] = installed(scratch);
  const board = spawn(PYTHON, ["-m", "tensorboard.main", "--logdir", logdir, "--port", "0", "--reload_interval", "1", ...loading, ...flags], {
    stdio: ["ignore", "ignore", "pipe"],
    env,
  });
  let said = "";
  const address = await new Promise((resolve, reject) => {
    createInterface(board.stderr).on("line", (line) => {
      said += `${line}\n`;
      const found = /http:\/\/[^\s/]+:(\d+)(\/\S*)/.exec(line);
      if (found) resolve(`http://127.0.0.1:${found[1]}${found[2]}`);
    });
    board.on("error", reject);
    board.on("exit", (code) => reject(new Error(`TensorBoard ended with ${code}: ${said}`)));
  });
  const ended = new Promise((resolve) => board.once("exit", resolve));
  return {
    address,
    pid: board.pid,
    said: () => said,
    stop: async (signal = "SIGTERM") => {
      board.kill(signal);
      await ended;
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

export async function getJson(board, path) {
  const response = await fetch(board.address + path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** Waits until the loader has read everything: `expected(json)` holds for the scalars' tags. */
export async function loaded(board, expected) {
  for (const end = Date.now() + 120_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 200))) {
    if (await getJson(board, "data/plugin/scalars/tags").then(expected, () => false)) return;
  }
  throw new Error(`not loaded in time: ${board.said()}`);
}
