// A log directory that tries to run script through every name, text and image it has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./support/browser.mjs";
import { ATTACK, newLogdir, writeHostile } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const PAGES = ["overview", "compare", "layers", "tuning", "hardware", "scalars", "histograms", "hparams", "images", "text", "text?raw=1", "text?diff=1", "histograms?mode=runs", "hparams?plot=importance", "report", "files", "graph", "pr", "custom", "projector", "audio", "mesh"];

test("nothing in a log runs, on any page", async (t) => {
  const logdir = newLogdir(t);
  writeHostile(logdir);
  const { page, at } = await serve(t, logdir);
  let opened = 0;
  page.on("dialog", () => (opened += 1));
  for (const name of PAGES) {
    await visit(page, at(name));
    await page.waitForTimeout(300); // Time enough for an image to fail to load.
    assert.equal(await page.evaluate(() => window.attacked), undefined, name);
    assert.equal(await page.locator("main script, main iframe, main [onerror], main [onload], main svg script").count(), 0, name);
    assert.equal(await page.locator('main a[href^="javascript:"]').count(), 0, name);
  }
  assert.equal(opened, 0);
});

test("names are shown as they were written", async (t) => {
  const logdir = newLogdir(t);
  writeHostile(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("text?raw=1"));
  await page.waitForSelector(".text-body");
  assert.ok((await page.locator("main").innerText()).includes(ATTACK));
});

test("an address cannot smuggle script in", async (t) => {
  const logdir = newLogdir(t);
  writeHostile(logdir);
  const { page, at } = await serve(t, logdir);
  const attack = encodeURIComponent(ATTACK);
  for (const path of [`compare?model=${attack}`, `layers?sel=${attack}&channel=${attack}`, `scalars?tag=${attack}&xlim=${attack}&runs=${attack}`, `nowhere?a=${attack}&b=${attack}`,
    `overview?find=${attack}&brush=${attack}&weights=${attack}&cols=${attack}`, `hparams?where=${attack}&sort=${attack}&order=${attack}`, `report?title=${attack}&models=${attack}`]) {
    await page.goto(at(path));
    await page.waitForSelector("main h1, main .trouble");
    assert.equal(await page.evaluate(() => window.attacked), undefined, path);
  }
});

test("an image that is a document opens as nothing that runs", async (t) => {
  const logdir = newLogdir(t);
  writeHostile(logdir);
  const { page, at, board } = await serve(t, logdir);
  await visit(page, at("images"));
  const run = encodeURIComponent("<img src=x onerror=window.attacked=1>");
  const answer = await fetch(`${board.address}api/v1/blob?run=${run}&tag=picture&index=0&sample=0`);
  assert.match(answer.headers.get("content-security-policy") ?? "", /sandbox/);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
});
