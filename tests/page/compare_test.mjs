// A against B: where the bytes went, and what the two were made with.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { assertFitsWidth, barriers, visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { writeGraphs } from "./support/graph_logs.mjs";
import { newLogdir, writeMetrics } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const names = (page) => page.locator(".bytes tbody th").allInnerTexts();

function writePair(logdir, layers = 14) {
  writeMetrics(logdir);
  const file = new EventFile(join(logdir, "layers")).hold();
  for (let i = 0; i < layers; i += 1) {
    file.scalar(`alexnet/layers/features.${i}/bytes/fp32`, 4000 * (i + 1));
    file.scalar(`alexnet/layers/features.${i}/bytes/int8`, 1000 * (i + 1) + 12);
  }
  file.scalar("alexnet/layers/grown/bytes/fp32", 100).scalar("alexnet/layers/grown/bytes/int8", 160);
  file.flush();
  const settings = { weight_bits: 32, scheme: "none", seed: 7, batch: 64 };
  new EventFile(join(logdir, "alexnet", "fp32")).hparams(settings);
  new EventFile(join(logdir, "alexnet", "int8")).hparams({ ...settings, weight_bits: 8, scheme: "symmetric", calibration: "minmax" });
}

test("layers stand in the order of what they saved, and all of them on request", async (t) => {
  const logdir = newLogdir(t);
  writePair(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("compare?model=alexnet"));
  await page.waitForSelector(".bytes");
  assert.deepEqual((await names(page)).slice(0, 2), ["features.13", "features.12"]);
  assert.equal((await names(page)).length, 10);
  assert.match(await page.locator(".bytes tbody tr").first().innerText(), /56\.00\s+14\.01\s+−75 %/);
  assert.match(await page.locator(".bytes thead").innerText(), /Layer, kB/);
  const [a, b] = await page.locator(".bytes tbody tr").first().locator(".bars i").evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
  assert.ok(Math.abs(b / a - 0.25) < 0.02, `${a} and ${b}`);
  await page.click('button:text("All 15 layers")');
  await page.waitForFunction(() => document.querySelectorAll(".bytes tbody tr").length === 15);
  assert.equal(await page.locator(".bytes tr:last-child .verdict.warn").innerText(), "+60 %");
  await page.click('.bytes a:has-text("features.13")');
  await page.waitForURL((url) => url.pathname.endsWith("/layers") && url.searchParams.get("sel") === "features.13");
});

test("without figures the graphs say where the bytes went", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir);
  writeGraphs(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("compare?model=resnet18"));
  await page.waitForSelector(".bytes");
  assert.equal((await names(page))[0], "layer4/0/conv2/Conv");
  assert.match(await page.locator('section[aria-labelledby="bytes-title"]').innerText(), /46\.7 MB → 11\.7 MB, from the two graphs/);
  await visit(page, at("compare?model=alexnet"));
  await page.waitForSelector('section[aria-labelledby="bytes-title"] :text("Not logged")');
});

test("settings that differ are shown, those that do not on request", async (t) => {
  const logdir = newLogdir(t);
  writePair(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("compare?model=alexnet"));
  await page.waitForSelector(".settings");
  const rows = () => page.locator(".settings tbody tr").allInnerTexts();
  assert.deepEqual((await rows()).map((row) => row.split(/\s+/)), [["calibration", "–", "minmax"], ["scheme", "none", "symmetric"], ["weight_bits", "32", "8"]]);
  await page.click('button:text("2 more are the same")');
  await page.waitForFunction(() => document.querySelectorAll(".settings tbody tr").length === 5);
  await visit(page, page.url());
  await page.waitForFunction(() => document.querySelectorAll(".settings tbody tr").length === 5);
});

for (const [scheme, width] of [["light", 1440], ["dark", 390]]) {
  test(`axe finds no serious barrier and nothing is too wide, ${scheme}, ${width} px`, async (t) => {
    const logdir = newLogdir(t);
    writePair(logdir);
    const { page, at } = await serve(t, logdir, { scheme, width });
    await visit(page, at("compare?model=alexnet&config=all&bytes=all"));
    await page.waitForSelector(".settings");
    await page.waitForSelector(".bytes");
    assert.deepEqual(await barriers(page), []);
    await assertFitsWidth(page);
  });
}

test("classes stand in the order of what they lost, and a missing side is not zero", async (t) => {
  const logdir = newLogdir(t);
  writePair(logdir);
  const file = new EventFile(join(logdir, "classes"));
  for (const [name, fp32, int8] of [["cat", 0.9, 0.88], ["dog", 0.95, 0.7], ["fruit/apple", 0.5, 0.6]]) {
    file.scalar(`alexnet/per_class/accuracy/${name}/fp32`, fp32).scalar(`alexnet/per_class/accuracy/${name}/int8`, int8);
  }
  file.scalar("alexnet/per_class/accuracy/owl/fp32", 0.5);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("compare?model=alexnet"));
  await page.waitForSelector(".classes");
  assert.deepEqual(await page.locator(".classes tbody th").allInnerTexts(), ["dog", "cat", "fruit/apple", "owl"]);
  assert.match(await page.locator(".classes tbody tr").first().innerText(), /95\.00 %\s+70\.00 %\s+25\.00/);
  assert.match(await page.locator(".classes tbody tr").last().innerText(), /50\.00 %\s+–\s+–/);
  assert.match(await page.locator("section:has(.classes)").innerText(), /2 get worse, most of all dog by 25\.00 pp/);
  assert.deepEqual(await barriers(page), []);
});

test("on a phone figures stay in their tiles", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir, { small: { "metrics/accuracy": [0.971, 0.9688], "performance/latency_ms": [0.0297, 0.01432], "performance/model_size_mb": [48.49, 12.7] } });
  const { page, at } = await serve(t, logdir, { width: 390 });
  await visit(page, at("compare?model=small"));
  await page.locator("#app").evaluate((app) => { app.style.fontFamily = "DejaVu Sans, Verdana, sans-serif"; });
  const beyond = await page.locator(".tile").evaluateAll((tiles) => tiles.map((tile) => {
    const text = document.createRange(); // Wider than its box where it runs out of it.
    text.selectNodeContents(tile.querySelector(".figure"));
    return text.getBoundingClientRect().right - tile.getBoundingClientRect().right;
  }));
  assert.ok(beyond.length >= 3);
  assert.deepEqual(beyond.filter((pixels) => pixels > 0), []);
});

test("latencies are a table, too", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir);
  const file = new EventFile(join(logdir, "latency"));
  for (const [variant, mean] of [["fp32", 20], ["int8", 10]]) {
    file.histogram(`alexnet/latency_distribution/${variant}`, Array.from({ length: 400 }, (_, i) => mean + (i % 20) / 10));
  }
  const { page, at } = await serve(t, logdir);
  await visit(page, at("compare?model=alexnet"));
  await page.waitForSelector('[aria-label^="Latency: p50 goes from"]');
  assert.equal(await page.locator(".percentile-a").count() > 0, true);
  await page.click('section:has(#latency-title) button:text("Table")');
  await page.waitForSelector(".bin-table tbody tr");
  const shares = await page.locator(".bin-table tbody td:nth-child(3)").allInnerTexts();
  assert.ok(Math.abs(shares.reduce((sum, text) => sum + Number(text), 0) - 100) < 0.5, String(shares));
});

test("without a model in the address the first is compared, and the head says which", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("compare"));
  const name = await page.locator("main h1").innerText();
  assert.match(await page.locator(".pair").innerText(), new RegExp(`${name}\\s+· fp32[^]*${name}\\s+· int8`));
  assert.ok((await page.locator(".crumbs").innerText()).includes(name));
  await visit(page, at("overview"));
  assert.match(await page.locator(".pair").innerText(), /all\s+· fp32/);
});
