// A lot of everything: hundreds of curves in a chart, thousands of rows in a table.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { answered, barriers, visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { chance, newLogdir, writeMetrics } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

function writeRuns(logdir, runs, points) {
  for (let run = 0; run < runs; run += 1) {
    const file = new EventFile(join(logdir, `run-${String(run).padStart(3, "0")}`)).hold();
    const { normal } = chance(run + 1);
    for (let step = 0; step < points; step += 1) file.scalar("loss", Math.exp((-4 * step) / points) + 0.02 * normal() + run / 500, step);
    file.flush();
  }
}

const hasPoints = (page, text) => page.waitForFunction((wanted) => document.querySelector(".plot")?.getAttribute("aria-label")?.includes(wanted), text);

/** The chart once it does not change any more. */
async function settled(page) {
  const pixels = () => page.evaluate(() => document.querySelector(".plot canvas").toDataURL());
  await answered(page);
  for (let before = await pixels(); ; ) {
    await page.waitForTimeout(200);
    const now = await pixels();
    if (now === before) return now;
    before = now;
  }
}

/** Drags over the first chart by a share of its width. */
async function drag(page, from, to, { shift = false } = {}) {
  const box = await page.locator(".plot").first().boundingBox();
  if (shift) await page.keyboard.down("Shift");
  await page.mouse.move(box.x + box.width * from, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * to, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  if (shift) await page.keyboard.up("Shift");
  await page.mouse.move(0, 0);
}

test("more runs than are drawn by themselves are drawn on demand", async (t) => {
  const logdir = newLogdir(t);
  writeRuns(logdir, 230, 20);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars"));
  await hasPoints(page, "4,000 points");
  const few = await settled(page);
  await page.click('.runs-head button:text("Show 230")');
  await hasPoints(page, "4,600 points");
  assert.match(await page.locator(".runs-head").innerText(), /230 of 230 runs/);
  assert.notEqual(await settled(page), few);
  assert.deepEqual(await barriers(page), []);
  await page.click('.runs-head button:text("Show 200")');
  await hasPoints(page, "4,000 points");
  assert.equal(await settled(page), few);
});

test("a run after those that are drawn by themselves is ticked and stays ticked", async (t) => {
  const logdir = newLogdir(t);
  writeRuns(logdir, 230, 20);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars"));
  await hasPoints(page, "4,000 points");
  const list = page.locator('.runs [aria-label="Runs"]');
  const last = page.locator(".runs .run").last().locator("input");
  await page.locator(".runs .run").first().hover();
  await page.mouse.wheel(0, 100_000);
  await page.waitForFunction(() => !document.querySelector(".runs .run:last-child input").checked);
  const name = await last.getAttribute("aria-label");
  await last.click();
  await hasPoints(page, "4,020 points");
  assert.ok(await page.locator(`.runs input[aria-label="${name}"]`).isChecked());
  await visit(page, page.url());
  await hasPoints(page, "4,020 points");
  await page.locator(".runs .run input").first().click();
  await hasPoints(page, "4,020 points"); // Another one takes its place.
  assert.equal(await list.count(), 1);
});

test("a heavy chart that was stretched and moved ends as what its address shows", async (t) => {
  const logdir = newLogdir(t);
  writeRuns(logdir, 60, 1300);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars"));
  await hasPoints(page, "78,000 points");
  const whole = await settled(page);

  await drag(page, 0.4, 0.8);
  await page.waitForURL((url) => url.searchParams.has("xlim"));
  const zoomed = await settled(page);
  const [from, to] = new URL(page.url()).searchParams.get("xlim").split("~").map(Number);
  assert.notEqual(zoomed, whole);

  await drag(page, 0.5, 0.6, { shift: true });
  await page.waitForURL((url) => !url.searchParams.get("xlim").startsWith(`${from}~`));
  const moved = await settled(page);
  const [movedFrom, movedTo] = new URL(page.url()).searchParams.get("xlim").split("~").map(Number);
  assert.ok(Math.abs(movedTo - movedFrom - (to - from)) < 1e-6 * (to - from), "moving does not zoom");
  assert.ok(movedFrom < from, "what is dragged to the right shows what was left of it");

  await page.reload();
  await page.waitForFunction(() => document.querySelector(".plot")?.getAttribute("aria-label")?.includes(" points"));
  assert.equal(await settled(page), moved);
  await page.keyboard.press("z");
  await page.waitForURL((url) => !url.searchParams.has("xlim"));
  assert.equal(await settled(page), whole);
});

const LAYERS = 1000;

function writeLayers(logdir) {
  const file = new EventFile(join(logdir, "deep")).hold();
  const values = Array.from({ length: 50 }, (_, i) => i / 50);
  for (let i = 0; i < LAYERS; i += 1) {
    const tag = (what, variant) => `deep/layers/layer${i}/${what}/${variant}`;
    file.histogram(tag("Output", "fp32"), values, 0, 10).histogram(tag("Output", "int8"), values, 0, 10).scalar(tag("sqnr_db", "int8"), 5 + i / 30);
  }
  file.flush();
}

test("of a thousand layers the rows in sight exist, and all can be reached, counted and printed", async (t) => {
  const logdir = newLogdir(t);
  writeLayers(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("layers"));
  const rows = page.locator(".list tbody tr:not(.room)");
  await page.waitForSelector('.list tr[aria-selected="true"]');
  assert.equal(await page.locator(".list table").getAttribute("aria-rowcount"), `${LAYERS + 1}`);
  assert.ok((await rows.count()) < 100, "few rows exist");
  assert.deepEqual(await barriers(page), []);

  for (let i = 0; i < 60; i += 1) await page.keyboard.press("j");
  await page.waitForURL((url) => url.searchParams.get("sel") === "layer60");
  const selected = page.locator('.list tr[aria-selected="true"]');
  await page.waitForFunction(() => {
    const [list, row, head] = [".list", '.list tr[aria-selected="true"]', ".list thead"].map((one) => document.querySelector(one)?.getBoundingClientRect());
    return row && row.bottom <= list.bottom && row.top >= head.bottom - 2;
  });
  assert.equal(await selected.getAttribute("aria-rowindex"), "62");

  await page.locator(".list").evaluate((list) => (list.scrollTop = list.scrollHeight));
  await page.click(`.list tr[aria-rowindex="${LAYERS + 1}"]`);
  await page.waitForURL((url) => url.searchParams.get("sel") === `layer${LAYERS - 1}`);
  const end = await page.evaluate(() => [document.querySelector(".list tbody tr:last-child"), document.querySelector(".list")].map((one) => one.getBoundingClientRect().bottom));
  assert.ok(end[0] <= end[1] + 1, "the last row is the end of the list");

  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await page.waitForFunction((count) => document.querySelectorAll(".list tbody tr").length === count, LAYERS);
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await page.waitForFunction(() => document.querySelectorAll(".list tbody tr").length < 100);
});

test("rows of a long table come before they are scrolled to, by key, and all of them on paper", async (t) => {
  const MODELS = 250;
  const logdir = newLogdir(t);
  writeMetrics(logdir, Object.fromEntries(Array.from({ length: MODELS }, (_, i) => [`model${String(i).padStart(3, "0")}`, { "metrics/accuracy": [0.9, 0.9 - i / 1000], "performance/model_size_mb": [100, 25] }])));
  const { page, at } = await serve(t, logdir);
  await visit(page, at("overview"));
  const rows = page.locator(".models tbody tr");
  const named = (name) => page.locator(`.models tr[data-model="${name}"]`);
  await named("model249").waitFor(); // Lost most.
  assert.ok((await rows.count()) < 100, "few rows exist");

  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await page.waitForFunction((count) => document.querySelectorAll(".models tbody tr").length === count, MODELS);
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await page.waitForFunction(() => document.querySelectorAll(".models tbody tr").length < 100);

  await page.click(".models-head h2");
  const focused = () => page.evaluate(() => document.activeElement?.dataset["model"]);
  while ((await focused()) !== "model130") await page.keyboard.press("j"); // Held down, as one would.

  for (let last = 0; last < MODELS; last = await rows.count()) {
    await rows.last().scrollIntoViewIfNeeded();
    await page.waitForFunction((count) => document.querySelectorAll(".models tbody tr").length > count || !document.querySelector(".more"), last);
  }
  assert.deepEqual(await rows.last().getAttribute("data-model"), "model000");
  assert.equal(await page.locator(".more").count(), 0);
});
