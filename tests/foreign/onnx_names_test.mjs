// An ONNX pair with 324 layers and the names of a real detector: every figure is whole at 1280 pixels, and every name
// that is cut can be read whole.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { visit } from "../page/support/browser.mjs";
import { newLogdir } from "../page/support/logdirs.mjs";
import { serve, useBrowser } from "../page/support/session.mjs";

useBrowser();

const GUILTY = "/model.15/m.0/cv2/act/Mul";

function writePair(t, folder = newLogdir(t)) {
  const script = fileURLToPath(new URL("write_onnx_pair.py", import.meta.url));
  execFileSync(process.env.PYTHON ?? "python3", [script, folder], { stdio: ["ignore", "ignore", "ignore"] });
  const runs = join(folder, "runs");
  const models = ["yolo.onnx", "yolo_int8.onnx"].map((name) => join(folder, name));
  execFileSync(process.env.COMPRESSION_BOARD, ["compare", ...models, "--samples", "4", "--logdir", runs], { stdio: ["ignore", "ignore", "inherit"] });
  return runs;
}

/** Texts in tables and cards that are cut: figures, and texts that nothing shows whole. */
const cutTexts = (page) =>
  page.evaluate(() => {
    const isCut = (element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== "visible";
    const hasWhole = (element) => element.closest("[title]") || element.querySelector("[title]");
    return [...document.querySelectorAll("main td, main th, main td *, main th *, main h2, main h3, main .run-line *")]
      .filter((element) => element.offsetWidth > 0 && !element.closest(".sr") && isCut(element))
      .filter((element) => element.closest(".num") || !hasWhole(element))
      .map((element) => `${element.tagName} ${element.className}: ${element.textContent.slice(0, 80)}`);
  });

test("figures are whole and names can be read whole on every page", async (t) => {
  const { page, at } = await serve(t, writePair(t), { width: 1280, height: 800 });
  for (const path of ["layers", "layers?cols=own,size,cosine", "graph", "graph?table=1", "compare", "overview", "histograms?mode=runs", "histograms", "scalars", "text", "files"]) {
    await visit(page, at(path));
    assert.deepEqual(await cutTexts(page), [], path);
  }
  await visit(page, at("layers"));
  const first = page.locator(".list tbody tr").first();
  assert.equal(await first.locator("td").first().evaluate((cell) => cell.textContent.trim()), GUILTY); // Copying gives the whole name.
  assert.equal(await first.locator("[title]").first().getAttribute("title"), GUILTY);
  // All outputs are sound, so no layer is red.
  assert.match(await first.locator('[data-column="sqnr"]').innerText(), /^▲ \d+\.\d$/);
  assert.equal(await page.locator(".detail h2").first().innerText(), GUILTY);
});

test("a node has its first weights as both models use them, and what rounds its output", async (t) => {
  const folder = newLogdir(t);
  const { page, at } = await serve(t, writePair(t, folder), { width: 1280, height: 800 });
  const script = `import onnx, sys
from onnx import numpy_helper
w = {i.name: i for i in onnx.load(sys.argv[1]).graph.initializer}["model.15.m.0.cv2.conv.weight"]
print(*numpy_helper.to_array(w).ravel()[:16])`;
  const printed = execFileSync(process.env.PYTHON ?? "python3", ["-c", script, join(folder, "yolo.onnx")], { encoding: "utf8" });
  const expected = printed.trim().split(" ").map(Number);
  await visit(page, at(`graph?node=${encodeURIComponent("model.15/m.0/cv2/conv/Conv")}`));
  await page.waitForSelector(".node-weights dd");
  const sides = await page.locator(".node-weights dl").evaluateAll((lists) => lists.map((list) => list.querySelector("dd").textContent.replaceAll("−", "-").split(",").map(Number)));
  assert.equal(sides.length, 2);
  const largest = Math.max(...expected.map(Math.abs));
  for (const [side, tolerance] of [[0, 1e-3], [1, 0.05]]) {
    for (const [i, value] of expected.entries()) {
      assert.ok(Math.abs(sides[side][i] - value) <= tolerance * largest + 0.02 * side, `side ${side}, weight ${i}: ${sides[side][i]} for ${value}`);
    }
  }
  assert.deepEqual(await cutTexts(page), []);
  const rounding = await page.locator(".quantization dl").first().innerText();
  assert.match(rounding, /scale\s+0\.\d+/);
  assert.match(rounding, /zero point\s+−?\d+/);
  assert.equal(await page.locator(".node-panel .pairs td, .pairs tbody td").evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length), 0);
});

test("the worst channel of a damaged layer is named, with its values in both models", async (t) => {
  const { page, at } = await serve(t, writePair(t), { width: 1280, height: 800 });
  await visit(page, at("layers"));
  const facts = page.locator(".channel-facts");
  await facts.waitFor();
  assert.match(await facts.innerText(), /worst channel\s+\d+\s+SQNR, accumulated\s+−?\d+\.\d dB/);
  await page.waitForSelector('[aria-label^="Values of channel"] svg');
  // Both limits of the quantized values are lines with their value.
  await page.waitForSelector("main path.clip", { state: "attached" });
  assert.ok((await page.locator("main path.clip").count()) >= 2);
  assert.match(await page.locator(".suggested-fix").innerText(), /^First fix to try: \S+/);
});
