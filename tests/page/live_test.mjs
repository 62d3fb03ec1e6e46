// New events reach an open page by themselves; the state of the page is in its address.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { writeGraphs } from "./support/graph_logs.mjs";
import { newLogdir, WORST_LAYER, writeEverything, writeMetrics, writeTraining } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const summary = (page, tag) => page.locator(`section[aria-label="${tag}"] .plot`).getAttribute("aria-label");

test("a point appears while the page is open, and the view stays as it was", async (t) => {
  const logdir = newLogdir(t);
  const file = new EventFile(join(logdir, "run"));
  file.scalar("loss", 4, 0).scalar("loss", 2, 1);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars?smooth=0&ylog=1&pins=loss"));
  await page.waitForFunction(() => document.querySelector(".plot")?.getAttribute("aria-label")?.includes("2 points"));
  await page.evaluate(() => (window.sameDocument = true));
  // News is what comes after the first status, which may be later than the first points.
  await page.waitForSelector('.live[title^="Newest event"]');

  file.scalar("loss", 1, 2);

  await page.waitForFunction(() => document.querySelector(".plot")?.getAttribute("aria-label")?.includes("3 points"));
  assert.match(await summary(page.locator('section[aria-label="Pinned"]'), "loss"), /run ends at 1/);
  assert.equal(await page.evaluate(() => window.sameDocument), true);
  assert.equal(new URL(page.url()).search, "?smooth=0&ylog=1&pins=loss");
  await page.waitForSelector('[role="status"]:text("Newer values at")', { state: "attached" });
});

test("a model that is logged while an empty board is open fills the overview", async (t) => {
  const logdir = newLogdir(t);
  const { page, at } = await serve(t, logdir);
  await visit(page, at(""));
  await page.waitForSelector('h1:text("No comparison was logged yet")');
  writeMetrics(logdir);
  await page.waitForSelector('.models tr[aria-label="alexnet"]');
});

test("an address brings back what it was copied from", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir);

  await visit(page, at(`layers?model=resnet18&sel=${WORST_LAYER}&channel=17&sort=cosine`));
  await page.waitForSelector('section[aria-labelledby="channel-title"] .facts');
  assert.equal(await page.locator('.list tr[aria-selected="true"] td').first().innerText(), WORST_LAYER);
  assert.equal(await page.locator('.seg button[aria-pressed="true"]').first().innerText(), "Cosine");

  await visit(page, at("overview?sort=model&policy=smallest&x=latency_mean_ms"));
  const models = await page.locator(".models tbody tr td:first-child").allInnerTexts();
  assert.deepEqual(models, [...models].sort());
  assert.match(await page.locator("#pareto-title").innerText(), /latency/);

  await visit(page, at("scalars?only=train%2Fseed-2&xaxis=relative"));
  assert.match(await page.locator(".runs-head").innerText(), /^1 of/);
  await visit(page, at("#timeseries"));
  await page.waitForURL((url) => url.pathname === "/scalars" && url.hash === ""); // As it was left.
  await visit(page, at("Stages"));
  await page.waitForURL((url) => url.pathname === "/graph");
  await visit(page, at("embeddings"));
  await page.waitForURL((url) => url.pathname === "/projector");
  writeGraphs(logdir);
  await visit(page, at("#graphs&run=resnet18%2Fint8"));
  await page.waitForURL(at("graph?graph=resnet18%2Fint8"));
  await page.waitForSelector('button[aria-label="Graph A: int8"]');
});

test("back and forward walk through what was selected", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("layers?model=resnet18"));
  const selected = () => page.locator('.list tr[aria-selected="true"] td').first().innerText();
  const first = await selected();
  await page.click('.list tr:has-text("fc")');
  assert.equal(await selected(), "fc");
  await page.goBack();
  assert.equal(await selected(), first);
  await page.goForward();
  assert.equal(await selected(), "fc");
});

test("everything works below a path prefix", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir);
  writeTraining(logdir);
  const { page, board } = await serve(t, logdir, { flags: ["--path_prefix", "/board"] });
  const root = `${new URL(board.address).origin}/board/`;
  await visit(page, `${root}compare?model=alexnet`);
  await page.waitForSelector('h1:text("alexnet")');
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await page.waitForURL((url) => url.pathname === "/board/scalars");
});
