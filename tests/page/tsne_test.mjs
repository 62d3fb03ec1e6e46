// Points laid out by t-SNE while the page stays usable.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { barriers, visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { newLogdir } from "./support/logdirs.mjs";
import { addEmbedding } from "./support/media_logs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const PROGRAM = process.env["COMPRESSION_BOARD"] ?? "compression-board";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The file that the page saves: rows of row, x, y and labels. */
async function savedPoints(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click('button:text-is("Save points as CSV")')]);
  const [head, ...lines] = readFileSync(await download.path(), "utf8").trim().split("\r\n").map((line) => line.split(","));
  return lines.map((cells) => Object.fromEntries(cells.map((cell, i) => [head[i], cell])));
}

/** The share of the ten nearest points of each point that have its label. */
function agreement(points, label) {
  let same = 0;
  for (const of of points) {
    const near = points.filter((each) => each !== of).map((each) => ({ each, far: Math.hypot(each.x - of.x, each.y - of.y) })).sort((p, q) => p.far - q.far).slice(0, 10);
    same += near.filter(({ each }) => each[label] === of[label]).length / near.length;
  }
  return same / points.length;
}

const step = (page) => page.locator(".tsne .label").nth(1).innerText();
const laidOut = (page) => page.waitForSelector('.tsne[aria-busy="false"]');

test("the digits that the demo's network has learned to tell apart lie apart, the same ones every time", async (t) => {
  const logdir = newLogdir(t);
  execFileSync(PROGRAM, ["demo", "--write-only", "--data", join(ROOT, "data"), "--digits", join(ROOT, "build/digits/digits.csv.gz"), "--logdir", logdir]);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("projector?flat=1&pictures=0"));
  const along = await savedPoints(page);
  assert.equal(along.length, 449);
  await page.click('button:text-is("t-SNE")');
  await laidOut(page);
  assert.match(await step(page), /Step 1,000/);
  const laid = await savedPoints(page);
  const [pca, tsne] = [agreement(along, "digit"), agreement(laid, "digit")];
  t.diagnostic(`of ten neighbours, by PCA ${pca}, by t-SNE ${tsne} have the same digit`);
  assert.ok(tsne > 0.85 && tsne > pca + 0.1, `by PCA ${pca}, by t-SNE ${tsne}`);
  assert.deepEqual(await barriers(page), []);

  await page.reload();
  await page.waitForFunction(() => /Step 1,000/.test(document.querySelector(".tsne")?.textContent ?? ""));
  assert.deepEqual(await savedPoints(page), laid);
  await page.click('button:text-is("PCA")');
  assert.deepEqual(await savedPoints(page), along);
});

/** Points around the corners of a cube of 16 dimensions. */
function writeCorners(logdir, rows) {
  const directory = join(logdir, "run");
  const file = new EventFile(directory);
  file.scalar("loss", 1);
  addEmbedding(directory, "corners", Array.from({ length: rows }, (_, i) => Array.from({ length: 16 }, (_, c) => (c === i % 8 ? 3 : 0) + Math.sin(i * 12.9898 + c * 78.233))), { lines: Array.from({ length: rows }, (_, i) => [`corner ${i % 8}`]) });
  return file;
}

test("a layout can be stopped and continued, starts again with another perplexity, and uses a sample of many rows", async (t) => {
  const logdir = newLogdir(t);
  const file = writeCorners(logdir, 4500);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("projector"));
  assert.equal(await page.locator(".projector-main .note").count(), 0);
  await page.click('button:text-is("t-SNE")');
  await page.waitForSelector('.projector-main .note:text-is("t-SNE lays out 1,500 of them, evenly chosen: one in 3.")');
  await page.click('.tsne button:text-is("Stop")');
  await page.waitForSelector('.tsne button:text-is("Continue")');
  // New events of other logs do not start it again.
  const [response] = await Promise.all([page.waitForResponse(/embeddings\/tensor/), file.scalar("other", 1)]);
  await response.finished();
  await page.waitForTimeout(200);
  assert.equal(await page.locator('.tsne button').innerText(), "Continue");
  await page.click('.tsne button:text-is("Continue")');
  await page.waitForSelector('.tsne button:text-is("Stop")');

  const range = page.locator(".tsne input");
  assert.equal(await range.inputValue(), "30");
  await range.focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => new URL(location.href).searchParams.get("perplexity") === "31");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector(".tsne input").value === "30");
  for (const asked of ["1e9", "-3", "x", "2.5"]) {
    await visit(page, at(`projector?perplexity=${asked}`)); // There is no layout yet, so nothing runs.
    await page.click('button:text-is("t-SNE")');
    assert.equal(await range.inputValue(), "30");
  }
});

test("UMAP lays out all rows, with clusters apart", async (t) => {
  const logdir = newLogdir(t);
  writeCorners(logdir, 4500);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("projector?flat=1"));
  await page.click(`button:text-is("UMAP")`);
  await page.waitForFunction(() => /Step \d\d/.test(document.querySelector(".tsne")?.textContent ?? "")); // Shown while it is computed.
  assert.equal(await page.locator(".projector-main .note").count(), 0); // No sample: every row is there.
  assert.equal(await page.locator(".tsne input").inputValue(), "15");
  await page.click('.tsne button:text-is("Stop")');
  await page.waitForSelector('.tsne button:text-is("Continue")');
  const [download] = await Promise.all([page.waitForEvent("download"), page.click('button:text-is("Save points as CSV")')]);
  const rows = readFileSync(await download.path(), "utf8").trim().split("\n").slice(1);
  assert.equal(rows.length, 4500);
});

test("a handful of points, equal ones and ones that are nowhere are laid out, too", async (t) => {
  const logdir = newLogdir(t);
  const directory = join(logdir, "run");
  new EventFile(directory).scalar("loss", 1);
  addEmbedding(directory, "few", [[1, 2], [1, 2], ["nan", 0], [9, 9]], { lines: [["a"], ["b"], ["c"], ["d"]] });
  addEmbedding(directory, "one", [[7]]);
  const { page, at } = await serve(t, logdir);
  for (const [name, rows] of [["few", 3], ["one", 1]]) {
    await visit(page, at(`projector?by=tsne&flat=1&tensor=run%20${name}`));
    await laidOut(page);
    const points = await savedPoints(page);
    assert.equal(points.length, rows);
    for (const { x, y } of points) assert.ok(Math.abs(x) <= 1 && Math.abs(y) <= 1, `${x}, ${y}`);
  }
});
