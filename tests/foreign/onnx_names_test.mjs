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

function writePair(t) {
  const folder = newLogdir(t);
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
