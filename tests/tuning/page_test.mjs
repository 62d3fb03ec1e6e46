// The walk-through of docs/tuning.md in a browser: from a fall in accuracy to the layer that caused
// it, and back up.
//
//   PICTURES=docs/images node --test tests/tuning/page_test.mjs    also takes the page's pictures
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { drawn, picture, visit } from "../page/support/browser.mjs";
import { serve, useBrowser } from "../page/support/session.mjs";

useBrowser();

const RUN = new URL("run", import.meta.url).pathname;
const WINDOW = { width: 1120, height: 720 };

const tune = (folder) => promisify(execFile)(RUN, ["--walkthrough", folder]);

let folder;
let directories; // By trial: baseline, tune_1, tune_2.

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "cboard-tuning-"));
  await tune(folder);
  directories = Object.fromEntries(
    readdirSync(join(folder, "runs/eval")).map((name) => [name.replace(/_acc_.*/, ""), join(folder, "runs/eval", name)]),
  );
});
after(() => rmSync(folder, { recursive: true, force: true }));

const percent = (directory) => (100 * Number(/_acc_(.*)$/.exec(directory)[1])).toFixed(2);

/** The board as the guide starts it: two runs by name. */
function serveTwo(t) {
  const spec = ["baseline", "tune_1"].map((name) => `${name}:${directories[name]}/`).join(",");
  return serve(t, null, { flags: ["--logdir_spec", spec], ...WINDOW });
}

test("the fall is seen, followed to the first convolution, and explained by its histograms", async (t) => {
  const { page, at } = await serveTwo(t);

  await visit(page, at("tuning"));
  const row = page.locator('tbody tr:has-text("tune_1")');
  assert.match(await row.innerText(), new RegExp(percent(directories.tune_1)));
  assert.match(await row.innerText(), /accuracy drop too large/);
  await picture(page, "tuning-fall");

  await row.locator('a:text-is("Layers")').click();
  await page.waitForSelector('h1:text("Layers")');
  await page.waitForSelector(".list tbody tr");
  await drawn(page);
  const first = page.locator(".list tbody tr").first();
  assert.match(await first.innerText(), /^conv1\b/);
  assert.match(await first.innerText(), /clipped/);
  await first.click();
  await page.waitForURL((url) => url.searchParams.get("sel")?.startsWith("conv1"));
  await page.waitForSelector(".finding.bad");
  await drawn(page);
  assert.match(await page.locator(".finding").innerText(), /Values clipped/);
  assert.match(await page.locator(".crumbs ol").innerText(), /conv1 output/);
  const legend = await page.locator('section:has-text("Output values")').last().innerText();
  assert.match(legend, /baseline/);
  assert.match(legend, /tune_1/);
  await picture(page, "tuning-layers");
});

test("the page says how to keep that layer in fp32", async (t) => {
  const { page, at } = await serveTwo(t);
  await visit(page, at("layers?a=baseline&b=tune_1&sel=conv1"));
  await page.click("text=Keep fp32");
  await page.click("text=1 layer kept: snippet");
  await page.waitForSelector("pre.snippet");
  const snippets = await page.locator("pre.snippet").allInnerTexts();
  assert.equal(snippets.length, 11, snippets.join("\n"));
  for (const snippet of snippets) assert.match(snippet, /conv1/);
});

test("the search for an operation finds its tensors of both runs under Histograms", async (t) => {
  const { page, at } = await serveTwo(t);
  await visit(page, at("histograms?tag=conv1/Output"));
  await page.waitForFunction(() => document.querySelectorAll(".cell").length === 2);
  const text = await page.locator("main").innerText();
  for (const tag of ["conv1/Output/fp32", "conv1/Output/int8"]) assert.ok(text.includes(tag), text.slice(0, 500));
});

test("a board that was opened before the tuning sees it recover, without a reload", async (t) => {
  const empty = mkdtempSync(join(tmpdir(), "cboard-tuning-live-"));
  t.after(() => rmSync(empty, { recursive: true, force: true }));
  const { page, at } = await serve(t, empty, WINDOW);
  await visit(page, at("tuning"));
  await tune(empty);
  await page.waitForSelector('tr:has-text("tune_2 best")');
  await drawn(page);
  const text = await page.locator("main").innerText();
  assert.match(text, /keep_fp32/);
  const [baseline, second] = ["baseline", "tune_2"].map((name) => text.split("\n").find((line) => line.startsWith(name)));
  assert.ok(baseline && second, text);
  assert.ok(!/accuracy drop too large/.test(second), second);
  await picture(page, "tuning-recovered");
});
