// A log with rare content: long names, NaN, constants, steps of 1e12, missing values. No page is wider than its window,
// no label leaves its chart, no text is cut without a way to read it, and ticks of an axis are told apart.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { answered, assertFitsWidth, drawn, visit } from "../page/support/browser.mjs";
import { newLogdir } from "../page/support/logdirs.mjs";
import { serve, useBrowser } from "../page/support/session.mjs";

useBrowser();

function writeOdd(t) {
  const logdir = newLogdir(t);
  const script = fileURLToPath(new URL("write_odd.py", import.meta.url));
  execFileSync(process.env.PYTHON ?? "python3", [script, logdir], { stdio: ["ignore", "ignore", "ignore"] });
  return logdir;
}

const PAGES = [
  "overview", "compare", "report", "scalars", "scalars?tag=odd", "scalars?tag=odd&table=1", "histograms", "histograms?mode=overlay", "histograms?mode=heatmap",
  "histograms?mode=percentiles", "histograms?mode=runs", "hparams", "hparams?plot=scatter", "hparams?plot=importance",
  `hparams?plot=scatter&x=${encodeURIComponent("h:warmup_steps_before_quantization_aware_training")}`, "hparams?plot=matrix", "images", "text", "files",
];

/** Texts that leave the chart they are part of. */
const outside = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("main svg text")]
      .filter((text) => {
        const [frame, box] = [text.closest("svg").getBoundingClientRect(), text.getBoundingClientRect()];
        return box.width > 0 && (box.left < frame.left - 2 || box.right > frame.right + 2);
      })
      .map((text) => text.textContent),
  );

/** Texts that are cut, and that no tooltip shows whole. */
const cutTexts = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("main td, main th, main td *, main th *, main h1, main h2, main h3, main .note, main p, main .tile *, main .run-line *, .crumbs li, .pick-pair span")]
      .filter((element) => element.offsetWidth > 0 && !element.closest(".sr"))
      .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== "visible")
      .filter((element) => element.closest(".num") || (!element.closest("[title]") && !element.querySelector("[title]")))
      .map((element) => `${element.tagName} ${element.className}: ${element.textContent.slice(0, 80)}`),
  );

for (const width of [1280, 390]) {
  test(`every page keeps its names and labels within ${width} pixels`, async (t) => {
    const { page, at } = await serve(t, writeOdd(t), { width, height: 900 });
    for (const path of PAGES) {
      await visit(page, at(path));
      await answered(page);
      await drawn(page);
      await assertFitsWidth(page).catch((error) => assert.fail(`${path}: ${error.message}`));
      assert.deepEqual(await outside(page), [], path);
      if (width >= 1280) assert.deepEqual(await cutTexts(page), [], path);
    }
  });
}

test("names of runs and models that differ in their middle are told apart", async (t) => {
  const { page, at } = await serve(t, writeOdd(t), { width: 1280, height: 900 });
  await visit(page, at("scalars?runs=lightning%7Crank"));
  const runs = await page.locator(".runs .run .cut-name").allInnerTexts();
  assert.deepEqual(runs.sort(), ["…rank0", "…rank1", "…version_0", "…version_1"]);
  await visit(page, at("overview"));
  const names = page.locator(".models .model-name.long");
  assert.equal(await names.count(), 5);
  const cut = await names.evaluateAll((all) => all.filter((name) => name.textContent.startsWith("vit") && name.scrollHeight > name.clientHeight + 1).map((name) => name.textContent));
  assert.deepEqual(cut, []);
});

test("a model without a finite quality has no place in the chart, and is in the table", async (t) => {
  const { page, at } = await serve(t, writeOdd(t), { width: 1280, height: 900 });
  await visit(page, at("overview"));
  await page.waitForSelector('.models tr[aria-label^="vit"]');
  assert.equal(await page.locator(".models tbody tr").count(), 6);
  const paths = await page.locator(".pareto svg path, .pareto svg circle").evaluateAll((all) => all.map((one) => one.getAttribute("d") ?? one.getAttribute("cx")));
  assert.ok(paths.length > 0);
  assert.deepEqual(paths.filter((path) => path?.includes("NaN")), []);
});

test("hyperparameters have the digits of the table, not those of binary fractions", async (t) => {
  const { page, at } = await serve(t, writeOdd(t), { width: 1280, height: 900 });
  await visit(page, at("hparams"));
  await page.waitForSelector(".filters fieldset");
  const levels = await page.locator('.filters fieldset:has(legend:text("dropout")) label').allInnerTexts();
  assert.deepEqual(levels.map((level) => level.trim()), ["0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
});
