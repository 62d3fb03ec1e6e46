// Parts: how the page answers to somebody who uses it.
import { join } from "node:path";
import { EventFile } from "../../tests/page/support/event_file.mjs";
import { startOurs } from "./boards.mjs";
import { changesAfter, hover, inWindow, manyCards, pan, updateAndZoom } from "./frames.mjs";
import { heldAfter, heldBy } from "./held.mjs";
import { writeCurves, writeManyLayers, writeModels } from "./logdirs.mjs";
import { isSmooth, median, ms, quantile, writeToPixel } from "./measure.mjs";
import { withBoards } from "./parts_open.mjs";

export async function frames({ say, folder, python }) {
  const logdir = join(folder, "200");
  writeCurves(logdir, 200, 2, 1000);
  const [ours, theirs] = await withBoards(logdir, 200, python, hover);
  say(7, "200 runs × 1,000 points: frame while hovering, p95", ms(quantile(ours, 0.95)), theirs && ms(quantile(theirs, 0.95)), "16.7 ms", isSmooth(ours));
  const board = await startOurs(logdir);
  const panning = await pan(board);
  const { update, zoom, resample } = await updateAndZoom(board, board.page);
  await board.stop();
  say(7, "200 runs × 1,000 points: frame while panning, p95", ms(quantile(panning, 0.95)), null, "16.7 ms", isSmooth(panning));
  say(5, "200 runs × 1,000 points, two charts: change of smoothing to frame", ms(median(update)), null, "50 ms", median(update) <= 50);
  say(5, "200 runs × 1,000 points, two charts: zoom to frame, the picture stretched", ms(median(zoom)), null, "40 ms", median(zoom) <= 40);
  say(9, "the finer curves of that zoom: asked for, read, painted", ms(median(resample)), null, "80 ms", median(resample) <= 80);
}

export async function lines({ say, folder }) {
  const logdir = join(folder, "1000 lines");
  writeCurves(logdir, 1000, 1, 1000, { distinct: 50 });
  const board = await startOurs(logdir);
  const address = `${board.page}?more_runs=1`;
  const { zoom } = await updateAndZoom(board, address, { zooms: 6 });
  const { heap } = await inWindow(address, board.firstChart, heldBy);
  await board.stop();
  say(6, "1,000 runs × 1,000 points: zoom to frame, the picture stretched", ms(median(zoom)), null, "33 ms", median(zoom) <= 33);
  say(15, "1,000 runs × 1,000 points: heap", `${heap.toFixed(1)} MB`, null, "40 MB", heap <= 40);
}

export async function cards({ say, folder }) {
  const logdir = join(folder, "cards");
  writeCurves(logdir, 5, 500, 50);
  const board = await startOurs(logdir);
  const { open, gaps } = await manyCards(board, `${board.page}?tag=metric`);
  await board.stop();
  say(8, "500 cards: back to the page until its first chart", ms(median(open)), null, "300 ms", median(open) <= 300);
  say(8, "500 cards: longest frame while scrolling", ms(Math.max(...gaps)), null, "50 ms", Math.max(...gaps) <= 50);
}

const ROWS = `() => document.querySelector('.list tr[aria-rowindex="2"]').textContent`;
const HISTOGRAMS = `() => [".area-a", ".line-b"].map((path) => document.querySelector(".detail .histogram " + path)?.getAttribute("d")).join()`;

export async function layers({ say, folder }) {
  const logdir = join(folder, "layers");
  writeManyLayers(logdir, 10_000);
  const board = await startOurs(logdir);
  const isThere = () => document.querySelector(".list tr[aria-selected=true]") && document.querySelector(".detail .histogram .line-b");
  await inWindow(`${board.address}layers`, isThere, async (page) => {
    const rows = await page.locator(".list table").getAttribute("aria-rowcount");
    if (rows !== "10001") throw new Error(`the table has ${rows} rows`);
    const click = (selector) => () => page.click(selector);
    const sorts = Array.from({ length: 5 }, () => ["Cosine", "SQNR"]).flat().map((name) => click(`.page-bar button:text-is("${name}")`));
    const sort = (await changesAfter(page, "click", ROWS, sorts)).slice(2).map(({ first }) => first);
    const picks = Array.from({ length: 10 }, (_, i) => click(`.list tr[aria-rowindex="${3 + i}"]`));
    const pick = (await changesAfter(page, "click", HISTOGRAMS, picks)).slice(2).map(({ last }) => last);
    say(13, "10,000 layers: sort", ms(median(sort)), null, "50 ms", median(sort) <= 50);
    say(13, "10,000 layers: a row chosen until both histograms are drawn", ms(median(pick)), null, "80 ms", median(pick) <= 80);
  });
  await board.stop();
}

export async function live({ say, folder }) {
  const file = new EventFile(join(folder, "live", "run"));
  file.scalar("loss", 3, 0).scalar("loss", 2, 1);
  const board = await startOurs(join(folder, "live"));
  const taken = await writeToPixel(board, file, 5);
  await board.stop();
  say(14, "event on disk to page, median of 5", ms(median(taken)), null, "1500 ms", median(taken) <= 1500);
}

// All pages of the walk have been opened twice after 12 changes. From then on what is added is code: the
// browser compiles functions when it has seen them run often, most of them during the first rounds. So growth
// is counted from the 48th change on, and what there was before is told beside it.
const CHANGES = [12, 48, 102, 252, 402, 804];
const [OPENED, COMPILED, LATER] = [0, 1, 3];

export async function switches({ say, folder }) {
  const logdir = join(folder, "mixed");
  writeModels(logdir, 6);
  writeCurves(join(logdir, "curves"), 10, 8, 50);
  const board = await startOurs(logdir);
  const held = (await heldAfter(board, CHANGES)).map((one) => ({ ...one, data: one.heap - one.code }));
  await board.stop();
  const [begin, end] = [held[COMPILED], held[LATER]];
  const grows = (...kinds) => kinds.some((kind) => end[kind] >= begin[kind] * 1.1);
  const growth = (from) => `+${(100 * (end.heap / from.heap - 1)).toFixed(0)} %`;
  const all = held.map(({ changes, heap }) => `${changes}: ${heap.toFixed(2)}`).join(", ");
  say(15, `what is held, ${end.changes - begin.changes} changes of page after the first ${begin.changes}`,
    `${begin.heap.toFixed(2)} → ${end.heap.toFixed(2)} MB, ${begin.nodes} → ${end.nodes} nodes, ${begin.listeners} → ${end.listeners} listeners: ${growth(begin)}; ${growth(held[OPENED])} from change ${held[OPENED].changes} on (MB by changes: ${all})`, null, "grows < 10 %", !grows("heap", "nodes", "listeners"));
  say(15, `all of it but compiled code, from change ${held[OPENED].changes} to ${held.at(-1).changes}`,
    `${held[OPENED].data.toFixed(2)} → ${held.at(-1).data.toFixed(2)} MB`, null, "grows < 10 %", held.at(-1).data < held[OPENED].data * 1.1);
}
