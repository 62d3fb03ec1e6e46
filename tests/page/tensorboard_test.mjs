// Pages known from TensorBoard: histograms, texts, sounds, curves of precision; as a user goes through them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { barriers, drawn, visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { newLogdir } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const spread = (n, width) => Array.from({ length: n }, (_, i) => (i / (n - 1) - 0.5) * width);

function writePair(logdir) {
  for (const [run, width] of [["fp32", 2], ["int8", 1]]) {
    const file = new EventFile(join(logdir, run)).hold();
    for (const step of [0, 10, 20]) file.histogram("conv1/weight", spread(400, width + step / 10), step).text("notes", `scheme: ${run}\nsame\nstep ${step}`, step);
    file.flush();
  }
}

const summary = (page) => page.locator(".plot").first().getAttribute("aria-label");
async function saved(page, action) {
  const [download] = await Promise.all([page.waitForEvent("download"), action()]);
  return readFileSync(await download.path(), "utf8");
}

test("histograms of two runs stand on one axis, at any step, in finer bins where one looks", async (t) => {
  const logdir = newLogdir(t);
  writePair(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("histograms"));
  await page.click('button:text-is("Runs")');
  await page.waitForSelector(".bars + .bars");
  assert.match(await summary(page), /2 runs in the same bins: fp32 has mean .* int8 has mean/);
  assert.match(await page.locator(".card .values").innerText(), /fp32\s*step 20\s*int8\s*step 20/);
  await page.locator('input[aria-label="Step of all cards"]').fill("9");
  await page.waitForFunction(() => /step 10\s*int8\s*step 10/.test(document.querySelector(".card .values")?.textContent ?? ""));
  const edges = async () => (await saved(page, () => page.click('button[aria-label="Save conv1/weight as CSV"]'))).split("\r\n").slice(1, -1).map((line) => Number(line.split(",")[0]));
  const before = await edges();
  const box = await page.locator(".plot").boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 3 });
  await page.mouse.up();
  await page.waitForSelector('button:text("All values")');
  await drawn(page);
  const after = await edges();
  assert.ok(after[1] - after[0] < (before[1] - before[0]) / 3, `${after[1] - after[0]} is not finer than ${before[1] - before[0]}`);
  await page.reload();
  await page.waitForSelector('button:text("All values")');
  await page.click('button:text-is("Table")');
  assert.equal(await page.locator(".value-table tbody tr").count(), 2);
  assert.deepEqual(await barriers(page), []);
});

test("histograms over steps say what is under the pointer", async (t) => {
  const logdir = newLogdir(t);
  writePair(logdir);
  const { page, at } = await serve(t, logdir);
  for (const mode of ["offset", "overlay", "heatmap", "percentiles"]) {
    await visit(page, at(`histograms?mode=${mode}&runs=fp32`));
    await page.waitForFunction(() => /3 steps/.test(document.querySelector(".plot")?.getAttribute("aria-label") ?? ""));
    const box = await page.locator(".plot").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.7);
    await page.waitForSelector('.readout.on:has-text("step")');
  }
});

test("two texts are compared, of two runs or of two steps, and texts are searched", async (t) => {
  const logdir = newLogdir(t);
  writePair(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("text"));
  await page.fill('input[aria-label="Find in texts"]', "step 10");
  await page.waitForFunction(() => document.querySelectorAll(".text-body").length === 2);
  await page.fill('input[aria-label="Find in texts"]', "");
  await page.click('button:text-is("Diff")');
  await page.waitForSelector(".diff-lines mark");
  assert.deepEqual(await page.locator(".diff-lines mark").allInnerTexts(), ["fp32", "int8"]);
  await page.click('.text-card button:has-text("int8")');
  await page.click('.menu-list li:has-text("step 10")');
  await page.waitForFunction(() => [...document.querySelectorAll(".diff-lines mark")].map((mark) => mark.textContent).join() === "fp32,int8,20,10");
  assert.equal(new URL(page.url()).searchParams.get("sb"), "10");
  assert.deepEqual(await barriers(page), []);
});

test("pages that few people need are in the rail where somebody does, and say what to log elsewhere", async (t) => {
  const logdir = newLogdir(t);
  writePair(logdir);
  const { page, at } = await serve(t, logdir);
  for (const [path, call] of [["pr", "add_pr_curve"], ["custom", "add_custom_scalars"], ["projector", "add_embedding"], ["audio", "add_audio"], ["mesh", "add_mesh"]]) {
    await visit(page, at(path));
    assert.match(await page.locator(".empty").innerText(), new RegExp(call));
  }
  await visit(page, at("text"));
  await page.waitForSelector(".rail:not(.waiting)");
  assert.equal(await page.locator('.rail > a:has-text("Mesh")').count(), 0);
});

test("on a telephone the page comes before the list of runs", async (t) => {
  const logdir = newLogdir(t);
  writePair(logdir);
  const { page, at } = await serve(t, logdir, { width: 390, height: 844 });
  await visit(page, at("histograms"));
  assert.equal(await page.locator(".run").first().isVisible(), false);
  await page.click('button:has-text("Runs and settings")');
  await page.click('.run:has-text("int8") input');
  await page.waitForFunction(() => document.querySelectorAll(".card").length === 1);
});
