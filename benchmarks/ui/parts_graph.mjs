// Parts: graphs of thousands of nodes, laid out and matched by the server, moved and searched on the page.
import { join } from "node:path";
import { EventFile } from "../../tests/page/support/event_file.mjs";
import { addGraph, largeNetwork } from "../../tests/page/support/graph_logs.mjs";
import { startOurs } from "./boards.mjs";
import { canvases, changesAfter, gapsDuring, inWindow } from "./frames.mjs";
import { heldBy } from "./held.mjs";
import { isSmooth, median, ms, quantile } from "./measure.mjs";

/** As a quantizer leaves it: every fifth node is gone, what it fed takes its input, convolutions are others. */
function quantized(nodes) {
  const gone = new Map(nodes.filter((node) => node.op === "Relu" && node.inputs.length === 1).map((node) => [node.name, node.inputs[0]]));
  const source = (name) => (gone.has(name) ? source(gone.get(name)) : name);
  return nodes.filter((node) => !gone.has(node.name))
    .map((node) => ({ ...node, op: node.op === "Conv" ? "QLinearConv" : node.op, inputs: node.inputs.map(source) }));
}

async function ask(board, body) {
  const begin = performance.now();
  const answer = await fetch(`${board.address}api/v1/graphs/view`, { method: "POST", body: JSON.stringify(body) });
  const view = await answer.json();
  if (!answer.ok) throw new Error(`${JSON.stringify(body)}: ${view.error.message}`);
  return { taken: performance.now() - begin, view };
}

/** Milliseconds until the server answers what `last` asks, with so many `boxes` at least, after it has answered `before`; each time by a server that knows nothing yet. */
async function answered(logdir, rounds, boxes, last, ...before) {
  const taken = [];
  for (let i = 0; i < rounds; i += 1) {
    const board = await startOurs(logdir);
    for (const body of before) await ask(board, body);
    const answer = await ask(board, last);
    await board.stop();
    const drawn = answer.view.boxes.paths.length;
    if (drawn < boxes) throw new Error(`${JSON.stringify(last)} gave ${drawn} boxes instead of ${boxes}`);
    taken.push(answer.taken);
  }
  return median(taken);
}

export async function layouts({ say, folder, rounds }) {
  const logdir = join(folder, "graphs");
  const small = largeNetwork(5000).map((node) => ({ ...node, device: `/device:CPU:${node.name.length % 2}` }));
  addGraph(new EventFile(join(logdir, "flat5k")), small);
  addGraph(new EventFile(join(logdir, "quantized5k")), quantized(small));
  addGraph(new EventFile(join(logdir, "flat50k")), largeNetwork(50_000));
  addGraph(new EventFile(join(logdir, "grouped")), largeNetwork(50_000, 50));
  const flat5k = await answered(logdir, rounds, 5000, { run: "flat5k", open: [] });
  say(10, "layout of 5,000 nodes, flat: read, laid out, answered", ms(flat5k), null, "150 ms", flat5k <= 150);
  const flat50k = await answered(logdir, rounds, 50_000, { run: "flat50k", open: [] });
  say(10, "layout of 50,000 nodes, flat: read, laid out, answered", ms(flat50k), null, "1200 ms", flat50k <= 1200);
  const group = await answered(logdir, rounds, 600, { run: "grouped", open: ["stage3", ...Array.from({ length: 10 }, (_, i) => `stage3/block${i}`)] }, { run: "grouped", open: [] });
  say(10, "a group of 500 nodes opened among 50,000", ms(group), null, "50 ms", group <= 50);
  const match = await answered(logdir, rounds, 5000, { run: "flat5k", with_run: "quantized5k", open: [] }, { run: "flat5k", open: [] }, { run: "quantized5k", open: [] });
  say(12, "5,000 nodes matched with the 4,000 left after quantization, laid out, answered", ms(match), null, "200 ms", match <= 200);
}

export async function graph({ say, folder }) {
  const logdir = join(folder, "graph");
  addGraph(new EventFile(join(logdir, "flat")), largeNetwork(50_000).map((node, i) => ({ ...node, device: `/device:CPU:${i % 3}` })));
  const board = await startOurs(logdir);
  const isThere = () => document.querySelector(".graph-canvas canvas")?.width > 0;
  await inWindow(`${board.address}graph?graph=flat`, isThere, async (page) => {
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
    const everything = async () => {
      await page.keyboard.press("Shift+Z");
      await page.waitForTimeout(500);
    };
    await drag(); // Once unmeasured: code that runs for the first time is still being compiled.
    const gaps = [];
    for (const act of [drag, zoom(20), drag, everything, drag, zoom(-20)]) gaps.push(...(act === everything ? (await act(), []) : await gapsDuring(page, act)));
    say(11, "50,000 nodes: frame while panning and zooming, p95", ms(quantile(gaps, 0.95)), null, "16.7 ms", isSmooth(gaps));

    await everything();
    const modes = await page.locator('[aria-label="Colour by"] button').allTextContents();
    if (modes.length < 2) throw new Error(`there is nothing to colour by but ${modes.join()}`);
    const clicks = Array.from({ length: 8 }, (_, i) => () => page.click(`[aria-label="Colour by"] button:text-is("${modes[(i + 1) % 2]}")`));
    const colours = (await changesAfter(page, "click", canvases(".graph-canvas > canvas"), clicks)).slice(2).map(({ first }) => first);
    say(11, "50,000 nodes, all in sight: change of colour to frame", ms(median(colours)), null, "100 ms", median(colours) <= 100);

    // From the question, which waits until nobody types any more, to the list of what was found.
    await page.keyboard.press("f");
    const found = [];
    for (const pattern of ["op4.*7$", "op12.*3$", "op3.3", "Relu", "op49"]) {
      await page.fill(".find input", pattern);
      found.push(await page.evaluate(async (wanted) => {
        const rows = () => document.querySelector(".found")?.textContent ?? "";
        const before = rows();
        for (;;) {
          await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
          const asked = performance.getEntriesByType("resource").find(({ name }) => name.includes("/graphs/search") && new URL(name).searchParams.get("pattern") === wanted);
          if (asked && rows() !== before) return performance.now() - asked.startTime;
        }
      }, pattern));
    }
    say(11, "50,000 nodes: searched, answered, listed", ms(median(found)), null, "50 ms", median(found) <= 50);
    const { heap } = await heldBy(page);
    say(11, "50,000 nodes: heap", `${heap.toFixed(0)} MB`, null, "300 MB", heap <= 300);
  });
  await board.stop();
}
