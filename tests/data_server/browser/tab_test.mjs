// The tab COMPRESSION in a real browser: our pages inside stock TensorBoard, below its own address.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openWindow, picture, startBrowser } from "../../page/support/browser.mjs";
import { loaded, startTensorBoard } from "./stock_tensorboard.mjs";

const logdir = mkdtempSync(join(tmpdir(), "cboard-tab-"));
let browser;

before(async () => {
  const script = fileURLToPath(new URL("../../foreign/write_with_torch.py", import.meta.url));
  execFileSync(process.env["PYTHON"], [script, join(logdir, "torch")], { stdio: "ignore" });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  rmSync(logdir, { recursive: true, force: true });
});

async function start(t, options) {
  const board = await startTensorBoard(logdir, { tab: true, ...options });
  t.after(() => board.stop());
  await loaded(board, (tags) => tags.torch);
  return board;
}

/** Opens TensorBoard, clicks the tab and returns the frame of our page. */
async function openTab(window, board) {
  const { page } = window;
  await page.goto(board.address);
  await page.locator("plugin-selector, mat-select").first().waitFor();
  await page.locator('plugin-selector [role="tab"]', { hasText: "Compression" }).click();
  const frame = page.frameLocator("iframe").frameLocator('iframe[title="Compression Board"]');
  await frame.locator("main h1").waitFor();
  return frame;
}

async function walk(t, board, name) {
  const window = await openWindow(browser);
  t.after(() => window.close());
  const frame = await openTab(window, board);
  await picture(window.page, name);
  for (const page of ["Scalars", "Histograms", "Images", "HParams"]) {
    await frame.locator("nav a", { hasText: page }).first().click();
    await frame.locator("main h1", { hasText: page }).waitFor();
    await frame.locator("main [aria-busy=true]").waitFor({ state: "detached" });
  }
  await frame.locator("nav a", { hasText: "Scalars" }).first().click();
  await frame.locator(".card", { hasText: "loss/train" }).first().waitFor();
  const outside = window.troubles.filter((trouble) => trouble.startsWith("asked elsewhere") || trouble.startsWith("uncaught"));
  assert.deepEqual(outside, []);
  return window;
}

/** Processes below `pid`, as [pid, command]. */
function children(pid) {
  return execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(pid)]).toString().trim().split("\n").map((line) => /^\s*(\d+) (.*)$/.exec(line).slice(1));
}
const isPortOpen = (port) => fetch(`http://127.0.0.1:${port}/healthz`).then(() => true, () => false);
const portsOf = (pid) => [...execFileSync("ss", ["-Hltnp"]).toString().matchAll(new RegExp(`:(\\d+)\\s+\\S+\\s+users:.*pid=${pid},`, "g"))].map(([, port]) => port);

test("pages open at the root", async (t) => {
  await walk(t, await start(t), "tab-root");
});

test("pages open below --path_prefix", async (t) => {
  const board = await start(t, { flags: ["--host", "127.0.0.1", "--path_prefix", "/team/board"] });
  assert.match(board.address, /\/team\/board\/$/);
  await walk(t, board, "tab-prefix");
});

test("pages open with --bind_all, and the board behind the tab is on loopback with a token", async (t) => {
  const board = await start(t, { flags: ["--bind_all"] });
  await walk(t, board, "tab-bind-all");
  const [pid] = children(board.pid).find(([, command]) => /compression-board /.test(command));
  const [port] = portsOf(pid);
  assert.equal((await fetch(`http://127.0.0.1:${port}/api/v1/status`)).status, 401);
  const others = execFileSync("hostname", ["-I"]).toString().trim().split(/\s+/).filter((address) => address.includes("."));
  for (const address of others) await assert.rejects(fetch(`http://${address}:${port}/healthz`));
});

test("a new point is shown without a reload of the page", async (t) => {
  const board = await start(t);
  const window = await walk(t, board, "tab-live");
  const script = "import sys; from torch.utils.tensorboard import SummaryWriter as W\nw = W(sys.argv[1]); w.add_scalar('grown', 1.5, 0); w.close()";
  execFileSync(process.env["PYTHON"], ["-c", script, join(logdir, "later")], { stdio: "ignore" });
  const frame = window.page.frameLocator("iframe").frameLocator('iframe[title="Compression Board"]');
  await frame.locator(".card", { hasText: "grown" }).first().waitFor();
});

test("TensorBoard says that there is no data when our data server was killed", async (t) => {
  const board = await start(t);
  const [pid] = children(board.pid).find(([, command]) => command.includes("data-server"));
  process.kill(Number(pid), "SIGKILL");
  const window = await openWindow(browser);
  t.after(() => window.close());
  await window.page.goto(`${board.address}#scalars`);
  await window.page.getByText("Data could not be loaded.").waitFor();
});

test("two TensorBoards at once have a board each, and nothing is left behind", async () => {
  const boards = [];
  for (const loader of ["ours", "python"]) boards.push(await startTensorBoard(logdir, { tab: true, loader }));
  const pids = [];
  const ports = [];
  for (const board of boards) {
    await loaded(board, (tags) => tags.torch);
    const window = await openWindow(browser);
    await openTab(window, board);
    await window.close();
    for (const [pid] of children(board.pid)) {
      pids.push(pid);
      ports.push(...portsOf(pid));
    }
  }
  assert.equal(pids.length, 3); // A data server and two boards.
  assert.equal(new Set(ports).size, ports.length);
  await boards[0].stop("SIGKILL");
  await boards[1].stop("SIGTERM");
  for (const end = Date.now() + 20_000; Date.now() < end && pids.some((pid) => existsSync(`/proc/${pid}`)); ) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(pids.filter((pid) => existsSync(`/proc/${pid}`)), []);
  for (const port of ports) assert.equal(await isPortOpen(port), false);
});
