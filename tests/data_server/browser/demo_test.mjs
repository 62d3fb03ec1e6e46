// Our demo's 500 runs in stock TensorBoard: every dashboard opens, and every tag has the response of RustBoard and of
// the Python loader.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { picture, startBrowser } from "../../page/support/browser.mjs";
import { openDashboard, openRecorder, shownText } from "./dashboards.mjs";
import { bothResponses, isSame } from "./same_json.mjs";
import { getJson, loaded, LOADERS, startTensorBoard } from "./stock_tensorboard.mjs";

const DASHBOARDS = ["timeseries", "scalars", "custom_scalars", "images", "audio", "graphs", "distributions", "histograms", "text", "pr_curves", "hparams", "mesh", "projector"];
const MAX_SERIES = 400; // Per plugin, evenly spread over all.

// DEMO names logs that are there already.
const logdir = process.env["DEMO"] ?? mkdtempSync(join(tmpdir(), "cboard-demo-"));
const boards = {};

before(async () => {
  if (!process.env["DEMO"]) execFileSync(process.env["COMPRESSION_BOARD"], ["demo", "--write-only", "--logdir", logdir], { stdio: "ignore" });
  for (const loader of Object.keys(LOADERS)) boards[loader] = await startTensorBoard(logdir, { loader });
  await loaded(boards.python, (tags) => Object.keys(tags).length > 300);
  const expected = Object.keys(await settled(boards.python)).length;
  for (const board of Object.values(boards)) await loaded(board, (tags) => Object.keys(tags).length === expected);
});
after(async () => {
  for (const board of Object.values(boards)) await board.stop();
  if (!process.env["DEMO"]) rmSync(logdir, { recursive: true, force: true });
});

/** The tags of the Python loader, which publishes runs while it reads, when they no longer change. */
async function settled(board) {
  for (let tags = {}; ; ) {
    const before = Object.keys(tags).length;
    await new Promise((resolve) => setTimeout(resolve, 3000));
    tags = await getJson(board, "data/plugin/scalars/tags");
    if (Object.keys(tags).length === before) return tags;
  }
}

/** Waits until the page shows a dashboard: the projector loads its code for a long time on a busy machine. */
async function untilShown(page, name) {
  for (const end = Date.now() + 120_000; (await shownText(page)).length <= 50; await page.waitForTimeout(1000)) {
    assert.ok(Date.now() < end, `${name} shows nothing`);
  }
}

test("every dashboard opens without an error", async (t) => {
  const browser = await startBrowser("--enable-unsafe-swiftshader");
  t.after(() => browser.close());
  const recorder = await openRecorder(browser, boards.ours);
  for (const name of DASHBOARDS) {
    await openDashboard(recorder, boards.ours, name);
    await untilShown(recorder.page, name);
    await picture(recorder.page, `demo-${name}`);
  }
  assert.deepEqual(recorder.troubles, []);
});

/** A request for each tag of a plugin. */
async function requestsOf(plugin) {
  const tags = await getJson(boards.ours, `data/plugin/${plugin}/tags`);
  const series = Object.entries(tags).flatMap(([run, names]) => (Array.isArray(names) ? names : Object.keys(names)).map((tag) => ({ run, tag })));
  const stride = Math.max(1, Math.ceil(series.length / MAX_SERIES));
  return series.filter((_, i) => i % stride === 0).map((query) => ({ method: "GET", path: `data/plugin/${plugin}/${plugin}?${new URLSearchParams({ ...query, sample: "0" })}`, body: "" }));
}

for (const loader of ["rustboard", "python"]) {
  test(`every tag has the response of ${loader}`, async () => {
    const requests = [{ method: "GET", path: "data/runs", body: "" }];
    for (const plugin of ["scalars", "histograms", "distributions", "images", "audio", "text", "pr_curves"]) {
      requests.push({ method: "GET", path: `data/plugin/${plugin}/tags`, body: "" }, ...(await requestsOf(plugin)));
    }
    assert.ok(requests.length > 400);
    const different = [];
    for (const request of requests) {
      const [ours, theirs] = await bothResponses(boards.ours, boards[loader], loader, request);
      if (!isSame(ours, theirs)) different.push({ ...request, ours, theirs });
    }
    assert.deepEqual(different.map(({ path }) => path), [], JSON.stringify(different[0])?.slice(0, 2000));
  });
}
