// Every dashboard of stock TensorBoard in a real browser, on logs of tensorboardX, PyTorch and TensorFlow: it shows the
// same with our data server as with RustBoard and with the Python loader, and every request that the pages
// make has the same response.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { picture, startBrowser } from "../../page/support/browser.mjs";
import { openDashboard, openRecorder, shownText } from "./dashboards.mjs";
import { bothResponses, isComparable, isSame } from "./same_json.mjs";
import { loaded, LOADERS, startTensorBoard } from "./stock_tensorboard.mjs";

// Text that a dashboard shows: names and values that were logged.
const DASHBOARDS = {
  timeseries: ["accuracy", "picture"],
  scalars: ["loss/train"],
  custom_scalars: ["Losses", "Matches (6)"],
  images: ["picture", "batch"],
  audio: ["sound"],
  graphs: ["Tag", "Default"],
  distributions: ["values/bimodal"],
  histograms: ["values/bimodal"],
  text: ["note"],
  pr_curves: ["curve"],
  hparams: ["optimizer", "adam", "0.87500"],
  mesh: ["scan"],
  projector: ["PCA"],
};
// Lines that differ with the Python loader: it repeats the tag as display name, which the page then adds as a title;
// it takes the label of a sound for a second sound; and without empty bins the axes of histograms are shorter.
const DIFFERS_WITH_PYTHON = { scalars: /^(train|val)$/, audio: /^sample: |^\d$/, histograms: /^[-+\d.e]+$/ };
const WRITERS = ["tensorboardx", "torch", "tensorflow"];

const logdir = mkdtempSync(join(tmpdir(), "cboard-dashboards-"));
const boards = {};
const recorders = {};
let browser;

before(async () => {
  for (const writer of WRITERS) {
    const script = fileURLToPath(new URL(`../../foreign/write_with_${writer}.py`, import.meta.url));
    execFileSync(process.env["PYTHON"], [script, join(logdir, writer)], { stdio: "ignore" });
  }
  browser = await startBrowser("--enable-unsafe-swiftshader"); // Meshes need WebGL.
  for (const loader of Object.keys(LOADERS)) {
    boards[loader] = await startTensorBoard(logdir, { loader });
    await loaded(boards[loader], (tags) => WRITERS.every((writer) => tags[writer]));
    recorders[loader] = await openRecorder(browser, boards[loader]);
  }
});
after(async () => {
  await browser?.close();
  for (const board of Object.values(boards)) await board.stop();
  rmSync(logdir, { recursive: true, force: true });
});

/** Lines in any order: cards come when their data does. */
const unique = (lines) => [...new Set(lines)].sort();
const pairsOf = ({ ours, rustboard, python }, name) => {
  const comparable = (lines) => lines.filter((line) => !DIFFERS_WITH_PYTHON[name]?.test(line));
  return [[ours, rustboard], [comparable(ours), comparable(python)]];
};

for (const [name, expected] of Object.entries(DASHBOARDS)) {
  test(`${name} shows the same as with RustBoard and the Python loader`, async () => {
    for (const loader of Object.keys(LOADERS)) await openDashboard(recorders[loader], boards[loader], name);
    // Charts are drawn some time after their data came.
    let same, shown;
    for (const end = Date.now() + 30_000; !same && Date.now() < end; ) {
      shown = {};
      for (const loader of Object.keys(LOADERS)) shown[loader] = unique(await shownText(recorders[loader].page));
      same = pairsOf(shown, name).every(([ours, theirs]) => isDeepStrictEqual(ours, theirs)) && expected.every((text) => shown.ours.includes(text));
    }
    for (const loader of Object.keys(LOADERS)) await picture(recorders[loader].page, `${loader}-${name}`);
    for (const text of expected) assert.ok(shown.ours.includes(text), `${name} does not show ${text}: ${shown.ours.join(" | ")}`);
    for (const [ours, theirs] of pairsOf(shown, name)) assert.deepEqual(ours, theirs);
  });
}

test("no dashboard had an error", () => {
  assert.deepEqual(recorders.ours.troubles, []);
});

for (const loader of ["rustboard", "python"]) {
  test(`every request of the pages has the response of ${loader}`, async () => {
    const requests = [...recorders.ours.requests.values()];
    const routes = new Set(requests.map(({ path }) => path.split("?")[0].replace(/^experiment\/\w+\//, "")));
    assert.ok(routes.size >= 25, [...routes].join(" "));
    const different = [];
    for (const request of requests.filter((each) => isComparable(loader, each))) {
      const [ours, theirs] = await bothResponses(boards.ours, boards[loader], loader, request);
      if (!isSame(ours, theirs)) different.push({ ...request, ours, theirs });
    }
    assert.deepEqual(different.map(({ method, path, body }) => [method, path, body]), [], JSON.stringify(different[0]));
  });
}
