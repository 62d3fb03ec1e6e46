// The program under test, serving a directory for the length of a test.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

// Not the user's own cache.
const CACHE = mkdtempSync(join(tmpdir(), "cboard-cache-"));
process.on("exit", () => rmSync(CACHE, { recursive: true, force: true }));

const PROGRAM = process.env["COMPRESSION_BOARD"] ?? "compression-board";

/** Serves `logdir`, or what the flags say if it is null, until `stop`; `address` ends in a slash. */
export async function startBoard(logdir, ...flags) {
  const where = logdir === null ? [] : ["--logdir", logdir];
  const board = spawn(PROGRAM, [...where, "--port", "0", "--reload_interval", "1", ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, XDG_CACHE_HOME: CACHE },
  });
  let complaints = "";
  board.stderr.on("data", (text) => (complaints += text));
  const address = await new Promise((resolve, reject) => {
    createInterface(board.stdout).on("line", (line) => {
      const found = /https?:\/\/\S+/.exec(line);
      if (found) resolve(found[0].replace(/\/?$/, "/"));
    });
    board.on("error", reject);
    board.on("exit", (code) => reject(new Error(`${PROGRAM} ended with ${code}: ${complaints}`)));
  });
  const ended = new Promise((resolve) => board.once("exit", resolve));
  return {
    address,
    stop: () => {
      board.kill("SIGTERM");
      return ended;
    },
  };
}

/** Asks until everything has been read, so that what a test sees is not a matter of timing. */
export async function everythingRead(board) {
  for (;;) {
    const status = await (await fetch(`${board.address}api/v1/status`)).json();
    if (status.progress.complete) return status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
