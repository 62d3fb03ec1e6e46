// How smooth a graph of 50,000 nodes is: frame times while it is panned and zoomed by a real browser,
// and how long layout, search and a change of colour take. Prints; asserts nothing.
//
//   COMPRESSION_BOARD=build/release/bin/compression-board node benchmarks/graph_frames.mjs [NODES]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { everythingRead, startBoard } from "../tests/page/support/board.mjs";
import { openWindow, startBrowser, visit } from "../tests/page/support/browser.mjs";
import { EventFile } from "../tests/page/support/event_file.mjs";
import { addGraph, largeNetwork } from "../tests/page/support/graph_logs.mjs";
import { gapsDuring } from "./ui/frames.mjs";
import { quantile } from "./ui/measure.mjs";

const nodes = Number(process.argv[2] ?? 50_000);
const logdir = mkdtempSync(join(tmpdir(), "cboard-graph-"));
const line = (name, text) => console.log(`${name.padEnd(44)}${text}`);

async function timed(board, name, route, body) {
  const times = [];
  let size = 0;
  for (let i = 0; i < 3; i += 1) {
    const begin = performance.now();
    const answer = await fetch(`${board.address}api/v1/${route}`, body ? { method: "POST", body: JSON.stringify(body) } : {});
    size = (await answer.arrayBuffer()).byteLength;
    times.push(performance.now() - begin);
  }
  line(name, `first ${times[0].toFixed(0)} ms, then ${Math.min(...times.slice(1)).toFixed(0)} ms, ${(size / 1e6).toFixed(2)} MB`);
}

/** Frame gaps while `act` runs. */
async function frames(page, name, act) {
  const gaps = await gapsDuring(page, act);
  line(name, `${gaps.length} frames, p50 ${quantile(gaps, 0.5).toFixed(1)} ms, p95 ${quantile(gaps, 0.95).toFixed(1)} ms, worst ${Math.max(...gaps).toFixed(1)} ms`);
}

try {
  addGraph(new EventFile(join(logdir, "flat")), largeNetwork(nodes));
  addGraph(new EventFile(join(logdir, "grouped")), largeNetwork(nodes, 50));
  const board = await startBoard(logdir);
  await everythingRead(board);
  await timed(board, `${nodes} nodes in groups, closed`, "graphs/view", { run: "grouped", open: [] });
  await timed(board, "  one group of 500 opened", "graphs/view", { run: "grouped", open: ["stage3"] });
  await timed(board, "  every group opened", "graphs/view", { run: "grouped", open: ["*"] });
  await timed(board, `${nodes} nodes flat`, "graphs/view", { run: "flat", open: [] });
  await timed(board, "  search", "graphs/search?run=flat&pattern=op4.*7$");

  const browser = await startBrowser();
  const { page } = await openWindow(browser);
  const begin = performance.now();
  await visit(page, `${board.address}graph?graph=flat`);
  await page.waitForFunction(() => document.querySelector(".graph-canvas canvas"));
  line("page opened, flat", `${(performance.now() - begin).toFixed(0)} ms`);
  const box = await page.locator(".graph-canvas > canvas").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const drag = async () => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let i = 0; i < 60; i += 1) await page.mouse.move(x + 2 * i, y - 3 * i);
    await page.mouse.up();
  };
  const zoom = (by) => async () => {
    await page.mouse.move(x, y);
    await page.keyboard.down("Control");
    for (let i = 0; i < 40; i += 1) await page.mouse.wheel(0, by);
    await page.keyboard.up("Control");
  };
  await frames(page, "panning at 1x", drag);
  await frames(page, "zooming out", zoom(20));
  await frames(page, "panning far out", drag);
  await page.keyboard.press("Shift+Z");
  await page.waitForTimeout(500);
  await frames(page, "panning with everything in sight", drag);
  await frames(page, "zooming in", zoom(-20));
  const heap = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? NaN);
  line("heap", `${(heap / 1e6).toFixed(0)} MB`);
  await browser.close();
  await board.stop();
} finally {
  rmSync(logdir, { recursive: true, force: true });
}
