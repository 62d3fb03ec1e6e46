// Tasks as people have them, each with the number of actions that it may take. An action is a click, or a text typed
// into one field.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./support/browser.mjs";
import { newLogdir, WORST_LAYER, writeEverything, writeMetrics } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

/** Counts what a person does on a page. */
function person(page) {
  let actions = 0;
  return {
    click: (selector) => ((actions += 1), page.locator(selector).first().click()),
    type: (selector, text) => ((actions += 1), page.fill(selector, text)),
    get actions() {
      return actions;
    },
  };
}

test("the fastest INT8 model that loses less than 1 pp is two actions away", async (t) => {
  const logdir = newLogdir(t);
  const model = (accuracy, latency) => ({ "metrics/accuracy": [0.8, accuracy], "performance/latency_ms": [100, latency], "performance/model_size_mb": [40, 10] });
  writeMetrics(logdir, { slow: model(0.8, 80), fast: model(0.795, 30), faster_but_bad: model(0.7, 20), middling: model(0.799, 50) });
  const { page, at } = await serve(t, logdir);
  await visit(page, at("overview"));
  const user = person(page);
  await user.type('input[aria-label="Filter models"]', "drop<1");
  await user.click('.models th button:has-text("Speedup")');
  await page.waitForSelector('.models th[aria-sort="descending"]:has-text("Speedup")');
  assert.equal(await page.locator(".models tbody tr").first().getAttribute("aria-label"), "fast");
  assert.ok(user.actions <= 2);
});

test("from a model to its worst layer and channel in three actions", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("overview"));
  const user = person(page);
  await user.click('.models tr[aria-label="resnet18"] .model-name');
  await page.waitForSelector('.compare h1:text("resnet18")');
  await user.click('.compare .ways a:text("Layers")');
  await page.waitForSelector('.list tr[aria-selected="true"]');
  assert.equal(await page.locator('.list tr[aria-selected="true"] td').first().innerText(), WORST_LAYER);
  const named = page.locator('section[aria-labelledby="channel-title"] .facts div:has(dt:text-is("worst channel")) dd');
  await named.waitFor();
  assert.equal(await named.innerText(), "17"); // As the stage logs have it.
  assert.ok(user.actions <= 3);
});

test("the best hyperparameters are one action away", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("hparams"));
  await page.waitForSelector(".trials tbody tr");
  const values = () => page.locator(".trials tbody tr").evaluateAll((rows) => rows.map((row) => row.innerText.split("\t")));
  const heads = await page.locator(".trials thead th").allInnerTexts();
  const column = heads.findIndex((head) => /accuracy/i.test(head));
  assert.ok(column >= 0, heads.join());
  const user = person(page);
  await user.click(`.trials thead th:nth-child(${column + 1}) button`);
  await page.waitForSelector(`.trials[aria-busy="false"] thead th:nth-child(${column + 1})[aria-sort]`);
  const sorted = (await values()).map((row) => Number(row[column])).filter(Number.isFinite);
  assert.equal(sorted[0], Math.max(...sorted));
  assert.ok(user.actions <= 1);
});
