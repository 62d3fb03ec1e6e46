// Parts: what has to be fetched, and how soon the page is there.
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { openWindow, startBrowser } from "../../tests/page/support/browser.mjs";
import { startOurs, startTheirs } from "./boards.mjs";
import { hover } from "./frames.mjs";
import { writeCurves, writeModels } from "./logdirs.mjs";
import { isSmooth, median, ms, openCold, quantile, typeIntoFilter } from "./measure.mjs";

async function cold(board, rounds, options = {}) {
  const taken = [];
  for (let i = 0; i < rounds; i += 1) {
    taken.push(await openCold(board, options));
    if (taken[0].chart === null) break; // It does not come by itself; waiting again tells nothing.
  }
  const of = (key) => median(taken.map((one) => one[key] ?? Infinity));
  return { paint: of("paint"), chart: of("chart"), drawing: of("drawing"), list: of("list"), blocking: of("blocking"), shift: of("shift") };
}

/** The same measurements of both boards: [ours, TensorBoard's or null]. */
export async function withBoards(logdir, runs, python, measure) {
  const ours = await startOurs(logdir);
  const mine = await measure(ours);
  await ours.stop();
  const theirs = await startTheirs(logdir, runs, python);
  const other = theirs ? await measure(theirs) : null;
  await theirs?.stop();
  return [mine, other];
}

export async function sizes({ say, folder }) {
  const logdir = join(folder, "few");
  writeCurves(logdir, 3, 2, 10);
  const board = await startOurs(logdir);
  const browser = await startBrowser();
  const { page } = await openWindow(browser);
  const asked = new Set();
  page.on("request", (request) => { if (/\.(js|css)$/.test(new URL(request.url()).pathname)) asked.add(request.url()); });
  const gzipped = async () => Promise.all([...asked].map(async (url) => gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length / 1024));
  const sum = (all) => all.reduce((total, one) => total + one, 0);
  await page.goto(board.address);
  await page.waitForSelector("main h1");
  const first = sum(await gzipped());
  for (const link of await page.locator(".rail a").evaluateAll((all) => all.map((a) => a.href))) {
    await page.goto(link);
    await page.waitForSelector("main h1");
  }
  const all = await gzipped();
  await browser.close();
  await board.stop();
  const text = `${first.toFixed(1)} / ${Math.max(...all).toFixed(1)} / ${sum(all).toFixed(1)} KB`;
  say(1, "first load, largest part, all pages (gzip)", text, null, "90 / 60 / 250 KB", first <= 90 && Math.max(...all) <= 60 && sum(all) <= 250);
}

export async function curves({ say, folder, rounds, python }) {
  const logdir = join(folder, "100x20");
  writeCurves(logdir, 100, 20, 100);
  const [ours, theirs] = await withBoards(logdir, 100, python, async (board) => ({ ...(await cold(board, rounds)), slow: (await cold(board, rounds, { slowdown: 4 })).chart }));
  say(2, "100 runs × 20 tags: first paint", ms(ours.paint), theirs && ms(theirs.paint), "300 ms", ours.paint <= 300);
  say(2, "100 runs × 20 tags: first chart", ms(ours.chart), theirs && ms(theirs.chart), "500 ms", ours.chart <= 500);
  say(3, "100 runs × 20 tags: blocked for", ms(ours.blocking), theirs && ms(theirs.blocking), "50 ms", ours.blocking <= 50);
  say(16, "layout shift while loading", ours.shift.toFixed(3), theirs && theirs.shift.toFixed(3), "0.02", ours.shift <= 0.02);
  say(3, "the same four times slower: first chart", ms(ours.slow), theirs && ms(theirs.slow), "1500 ms", ours.slow <= 1500);
}

export async function runs({ say, folder, rounds, python }) {
  const logdir = join(folder, "1000");
  writeCurves(logdir, 1000, 20, 5);
  const [ours, theirs] = await withBoards(logdir, 1000, python, (board) => cold(board, rounds, { timeout: 15_000 }));
  say(4, "1,000 runs × 20 tags: list of runs", ms(ours.list), theirs && ms(theirs.list), "700 ms", ours.list <= 700);
  say(4, "1,000 runs × 20 tags: first chart", ms(ours.chart), theirs && (Number.isFinite(theirs.chart) ? ms(theirs.chart) : "none by itself: it selects no run beyond 500"), "700 ms", ours.chart <= 700);
  const board = await startOurs(logdir);
  const gaps = await hover({ ...board, page: `${board.page}?more_runs=1` });
  await board.stop();
  say(7, "1,000 lines in each chart: frame while hovering, p95", ms(quantile(gaps, 0.95)), null, "16.7 ms", isSmooth(gaps));
}

export async function list({ say, folder, rounds }) {
  const logdir = join(folder, "5000");
  writeCurves(logdir, 5000, 200, 2, { distinct: 1 });
  const board = await startOurs(logdir);
  const ours = await cold(board, rounds);
  const keys = await typeIntoFilter(board, "run-05");
  await board.stop();
  say(4, "5,000 runs × 200 tags: list of runs", ms(ours.list), null, "700 ms", ours.list <= 700);
  say(4, "5,000 runs × 200 tags: key in the filter to paint, p95", ms(quantile(keys, 0.95)), null, "50 ms", quantile(keys, 0.95) <= 50);
}

/** Charts of many long curves, from their data to the screen. */
export async function charts({ say, folder, rounds }) {
  for (const [number, runCount, goal, query] of [[5, 200, 120, ""], [6, 1000, 250, "?more_runs=1"]]) {
    const logdir = join(folder, `${runCount}x1000`);
    writeCurves(logdir, runCount, 1, 1000, { distinct: 50 });
    const board = await startOurs(logdir);
    const { drawing } = await cold({ ...board, page: board.page + query }, rounds);
    await board.stop();
    say(number, `${runCount === 1000 ? "1,000" : runCount} runs × 1,000 points: from the data to the first chart`, ms(drawing), null, `${goal} ms`, drawing <= goal);
  }
}

export async function report({ say, folder, rounds }) {
  const logdir = join(folder, "models");
  writeModels(logdir, 20);
  const file = join(folder, "report.html");
  execFileSync(process.env["COMPRESSION_BOARD"] ?? "compression-board", ["report", "--logdir", logdir, "-o", file], { stdio: "ignore" });
  const taken = [];
  let asked = 0;
  for (let i = 0; i < rounds; i += 1) {
    const browser = await startBrowser();
    const page = await (await browser.newContext()).newPage();
    page.on("request", (request) => { if (!request.url().startsWith("file:")) asked += 1; });
    await page.goto(pathToFileURL(file).href);
    taken.push(await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))))));
    await browser.close();
  }
  const size = statSync(file).size / 1e6;
  say(17, "report of 20 models: size, open, requests", `${size.toFixed(2)} MB, ${ms(median(taken))}, ${asked}`, null, "1.5 MB, 500 ms, 0", size <= 1.5 && median(taken) <= 500 && asked === 0);
}
