// The budgets of the page beside what was measured, and stock TensorBoard by the same script on the
// same log directories.
//
//   COMPRESSION_BOARD=build/release/bin/compression-board node benchmarks/ui/run.mjs [--rounds 5] [--only NAME,…] [--kept FILE]
//
// Writes benchmarks/RESULTS-ui.md when everything was measured. With --kept, what was measured is kept
// in a file, so that the parts can be measured one after the other, whenever the machine is idle.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { openWindow, startBrowser } from "../../tests/page/support/browser.mjs";
import { EventFile } from "../../tests/page/support/event_file.mjs";
import { startOurs, startTheirs } from "./boards.mjs";
import { hover, manyCards, updateAndZoom } from "./frames.mjs";
import { writeCurves, writeModels } from "./logdirs.mjs";
import { median, openCold, quantile, switchPages, typeIntoFilter, writeToPixel } from "./measure.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const PYTHON = process.env["PYTHON"] ?? join(root, "build/venv/bin/python");
const option = (name) => { const at = process.argv.indexOf(`--${name}`); return at < 0 ? undefined : process.argv[at + 1]; };
const ROUNDS = Number(option("rounds") ?? 5);
const only = option("only")?.split(",");
let measuring = "";
const temporary = mkdtempSync(join(tmpdir(), "cboard-bench-ui-"));
const kept = option("kept");
const rows = kept && existsSync(kept) ? JSON.parse(readFileSync(kept, "utf8")) : [];
const ms = (value) => (Number.isFinite(value) ? `${Math.round(value)} ms` : "never");

// Frames come at 16.7 ms; the clock that measures them adds a little.
const isSmooth = (gaps) => quantile(gaps, 0.95) <= 17.5;

function say(number, what, ours, theirs, goal, met) {
  const same = rows.findIndex((row) => row.what === what);
  rows.splice(same < 0 ? rows.length : same, same < 0 ? 0 : 1, { part: measuring, number, what, ours, theirs, goal, met });
  console.log(`${String(number).padStart(2)}  ${what}: ${ours}${theirs ? ` (TensorBoard ${theirs})` : ""}, goal ${goal}: ${met ? "met" : "not met"}`);
}

async function cold(board, options) {
  const taken = [];
  for (let i = 0; i < ROUNDS; i += 1) {
    taken.push(await openCold(board, options));
    if (taken[0].chart === null) break; // It does not come by itself; waiting again tells nothing.
  }
  const of = (key) => median(taken.map((one) => one[key] ?? Infinity));
  return { paint: of("paint"), chart: of("chart"), list: of("list"), blocking: of("blocking"), shift: of("shift") };
}

/** The same measurements of both boards: [ours, TensorBoard's or null]. */
async function withBoards(logdir, runs, measure) {
  const ours = await startOurs(logdir);
  const mine = await measure(ours);
  await ours.stop();
  const theirs = await startTheirs(logdir, runs, PYTHON);
  const other = theirs ? await measure(theirs) : null;
  await theirs?.stop();
  return [mine, other];
}

const PARTS = {
  async sizes() {
    const logdir = join(temporary, "few");
    writeCurves(logdir, 3, 2, 10);
    const board = await startOurs(logdir);
    const browser = await startBrowser();
    const { page } = await openWindow(browser);
    const asked = new Set();
    page.on("request", (request) => { if (/\.(js|css)$/.test(new URL(request.url()).pathname)) asked.add(request.url()); });
    const sizes = async () => Promise.all([...asked].map(async (url) => gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length / 1024));
    const sum = (all) => all.reduce((total, one) => total + one, 0);
    await page.goto(board.address);
    await page.waitForSelector("main h1");
    const first = sum(await sizes());
    for (const link of await page.locator(".rail a").evaluateAll((all) => all.map((a) => a.href))) {
      await page.goto(link);
      await page.waitForSelector("main h1");
    }
    const all = await sizes();
    await browser.close();
    await board.stop();
    const text = `${first.toFixed(1)} / ${Math.max(...all).toFixed(1)} / ${sum(all).toFixed(1)} KB`;
    say(1, "first load, largest part, all pages (gzip)", text, null, "90 / 60 / 250 KB", first <= 90 && Math.max(...all) <= 60 && sum(all) <= 250);
  },
  async curves() {
    const logdir = join(temporary, "100x20");
    writeCurves(logdir, 100, 20, 100);
    const [ours, theirs] = await withBoards(logdir, 100, async (board) => ({ ...(await cold(board, {})), slow: (await cold(board, { slowdown: 4 })).chart }));
    say(2, "100 runs × 20 tags: first paint", ms(ours.paint), theirs && ms(theirs.paint), "300 ms", ours.paint <= 300);
    say(2, "100 runs × 20 tags: first chart", ms(ours.chart), theirs && ms(theirs.chart), "500 ms", ours.chart <= 500);
    say(3, "100 runs × 20 tags: blocked for", ms(ours.blocking), theirs && ms(theirs.blocking), "50 ms", ours.blocking <= 50);
    say(16, "layout shift while loading", ours.shift.toFixed(3), theirs && theirs.shift.toFixed(3), "0.02", ours.shift <= 0.02);
    say(3, "the same four times slower: first chart", ms(ours.slow), theirs && ms(theirs.slow), "1500 ms", ours.slow <= 1500);
  },
  async runs() {
    const logdir = join(temporary, "1000");
    writeCurves(logdir, 1000, 20, 5);
    const [ours, theirs] = await withBoards(logdir, 1000, (board) => cold(board, { timeout: 15_000 }));
    say(4, "1,000 runs × 20 tags: list of runs", ms(ours.list), theirs && ms(theirs.list), "700 ms", ours.list <= 700);
    say(4, "1,000 runs × 20 tags: first chart", ms(ours.chart), theirs && (Number.isFinite(theirs.chart) ? ms(theirs.chart) : "none by itself: it selects no run beyond 500"), "700 ms", ours.chart <= 700);
    const board = await startOurs(logdir);
    const keys = await typeIntoFilter(board, "run-05");
    const gaps = await hover(board);
    await board.stop();
    say(7, "1,000 runs, 200 lines in each chart: frame while hovering, p95", ms(quantile(gaps, 0.95)), null, "16.7 ms", isSmooth(gaps));
    say(4, "1,000 runs: key in the filter to paint, p95", ms(quantile(keys, 0.95)), null, "50 ms", quantile(keys, 0.95) <= 50);
  },
  async frames() {
    const logdir = join(temporary, "200");
    writeCurves(logdir, 200, 2, 1000);
    const [ours, theirs] = await withBoards(logdir, 200, hover);
    say(7, "200 runs × 1,000 points: frame while hovering, p95", ms(quantile(ours, 0.95)), theirs && ms(quantile(theirs, 0.95)), "16.7 ms", isSmooth(ours));
    const board = await startOurs(logdir);
    const { update, zoom, resample } = await updateAndZoom(board);
    await board.stop();
    say(5, "200 runs × 1,000 points, two charts: change of smoothing to frame", ms(median(update)), null, "50 ms", median(update) <= 50);
    say(5, "200 runs × 1,000 points, two charts: zoom to frame", ms(median(zoom)), null, "40 ms", median(zoom) <= 40);
    say(9, "the finer curves of that zoom: asked for, read, painted", ms(median(resample)), null, "80 ms", median(resample) <= 80);
  },
  async cards() {
    const logdir = join(temporary, "cards");
    writeCurves(logdir, 5, 500, 50);
    const board = await startOurs(logdir);
    const { open, gaps } = await manyCards(board, `${board.page}?tag=metric`);
    await board.stop();
    say(8, "500 cards: back to the page until its first chart", ms(median(open)), null, "300 ms", median(open) <= 300);
    say(8, "500 cards: longest frame while scrolling", ms(Math.max(...gaps)), null, "50 ms", Math.max(...gaps) <= 50);
  },
  async live() {
    const file = new EventFile(join(temporary, "live", "run"));
    file.scalar("loss", 3, 0).scalar("loss", 2, 1);
    const board = await startOurs(join(temporary, "live"));
    const taken = await writeToPixel(board, file, 5);
    await board.stop();
    say(14, "event on disk to page, median of 5", ms(median(taken)), null, "1500 ms", median(taken) <= 1500);
  },
  async switches() {
    const logdir = join(temporary, "mixed");
    writeModels(logdir, 6);
    writeCurves(join(logdir, "curves"), 10, 8, 50);
    const board = await startOurs(logdir);
    const { before, after } = await switchPages(board, 200);
    await board.stop();
    const growth = (after - before) / before;
    say(15, "heap after 200 changes of page", `${before.toFixed(1)} → ${after.toFixed(1)} MB`, null, "grows < 10 %", growth < 0.1);
  },
  async report() {
    const logdir = join(temporary, "models");
    writeModels(logdir, 20);
    const file = join(temporary, "report.html");
    execFileSync(process.env["COMPRESSION_BOARD"] ?? "compression-board", ["report", "--logdir", logdir, "-o", file], { stdio: "ignore" });
    const taken = [];
    let asked = 0;
    for (let i = 0; i < ROUNDS; i += 1) {
      const browser = await startBrowser();
      const page = await (await browser.newContext()).newPage();
      page.on("request", (request) => { if (!request.url().startsWith("file:")) asked += 1; });
      await page.goto(pathToFileURL(file).href);
      taken.push(await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))))));
      await browser.close();
    }
    const size = statSync(file).size / 1e6;
    say(17, "report of 20 models: size, open, requests", `${size.toFixed(2)} MB, ${ms(median(taken))}, ${asked}`, null, "1.5 MB, 500 ms, 0", size <= 1.5 && median(taken) <= 500 && asked === 0);
  },
};

function markdown(loadBefore) {
  const version = execFileSync(PYTHON, ["-c", "import tensorboard; print(tensorboard.__version__)"]).toString().trim();
  const chromium = execFileSync(process.env["CHROMIUM"] ?? "/usr/bin/chromium", ["--version"]).toString().trim();
  const order = [...rows].sort((p, q) => p.number - q.number);
  return `# Results of the page

What \`make bench-ui\` measured last: medians of ${ROUNDS} cold browser profiles, milliseconds from the
start of navigation. Both boards had read everything before the first visit, and were opened by the
same script on the same files (\`benchmarks/ui/\`): ours on Scalars, TensorBoard on Time Series, its
default. Our chart counts from the first frame in which a line is on the screen; TensorBoard's, whose
canvas cannot be read, already when its axes stand, a little before its lines do. Numbers are those of
the performance budgets; only what applies to the pages that exist is listed.

- date: ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC
- machine: ${cpus()[0]?.model ?? "?"}, ${cpus().length} processors, ${Math.round(totalmem() / 1e9)} GB, no GPU
- load before and after: ${loadBefore.toFixed(1)}, ${loadavg()[0].toFixed(1)}
- browser: ${chromium}; peer: TensorBoard ${version}

| # | what | ours | TensorBoard | goal | |
|---|---|---|---|---|---|
${order.map((row) => `| ${row.number} | ${row.what} | ${row.ours} | ${row.theirs ?? "–"} | ${row.goal} | ${row.met ? "met" : "**not met**"} |`).join("\n")}
`;
}

const loadBefore = loadavg()[0];
try {
  for (const [name, part] of Object.entries(PARTS)) {
    measuring = name;
    if (!only || only.includes(name)) await part();
  }
  if (kept) writeFileSync(kept, JSON.stringify(rows));
  const complete = Object.keys(PARTS).every((name) => rows.some((row) => row.part === name));
  if (complete) writeFileSync(join(root, "benchmarks/RESULTS-ui.md"), markdown(loadBefore));
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
