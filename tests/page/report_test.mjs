// The report: the page and the saved file are equal, and both have the levels of the overview.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { visit } from "./support/browser.mjs";
import { newLogdir, writeComparison, writeEverything, writeMetrics } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

test("the preview follows the choices, and the saved file opens alone", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("report"));
  await page.waitForSelector('.report-paper h2:text("Layers, worst first")'); // Inside the shadow root.
  await page.click('label:has-text("Worst layers")');
  await page.waitForSelector('.report-paper h2:text("Layers, worst first")', { state: "detached" });
  await page.click('label.tick:has-text("resnet18")');
  await page.waitForURL((url) => url.searchParams.get("models") === "resnet18");
  await page.waitForSelector('.report-paper :text("1 of 1 model fails")'); // Its gates pass; its layers do not.

  const [download] = await Promise.all([page.waitForEvent("download"), page.click('button:text("Save HTML")')]);
  const file = join(newLogdir(t), "report.html");
  writeFileSync(file, readFileSync(await download.path()));
  const alone = await page.context().newPage();
  const asked = [];
  alone.on("request", (request) => asked.push(request.url()));
  await alone.goto(pathToFileURL(file).href);
  assert.match(await alone.locator("article").innerText(), /1 of 1 model fails by the policy/);
  assert.equal(asked.length, 1);
});

test("overview and report give every model the same verdict, by every policy", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir);
  const { page, at, board } = await serve(t, logdir);
  for (const policy of ["balanced", "accuracy first", "smallest"]) {
    await visit(page, at(`overview?policy=${encodeURIComponent(policy)}`));
    const shown = Object.fromEntries(await page.locator(".models tbody tr").evaluateAll((rows) =>
      rows.map((row) => [row.getAttribute("aria-label"), row.querySelector(".verdict").classList[1]])));
    const html = await (await fetch(`${board.address}api/v1/compression/report?section=gates&b=int8&policy=${encodeURIComponent(policy)}`)).text();
    const classes = { good: "good", warn: "warn", bad: "bad", dim: "open" };
    const judged = Object.fromEntries([...html.matchAll(/<td class="name">([^<]*)<\/td><td><span class="(\w+)">/g)].map(([, model, tone]) => [model, classes[tone]]));
    assert.ok(Object.keys(judged).length > 2, html.slice(0, 2000));
    assert.deepEqual(shown, judged, policy);
  }
});

test("what a gate says stands in one line, and rows are no higher than their names", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir, {
    large: { "metrics/accuracy": [0.7, 0.69], "performance/model_size_mb": [217.61, 44.7], "performance/throughput": [10, 20] },
    small: { "metrics/accuracy": [0.7, 0.69] },
  });
  const { page, at } = await serve(t, logdir);
  await page.setViewportSize({ width: 390, height: 800 });
  await visit(page, at("report"));
  await page.waitForSelector('.report-paper td.num span:text("not measured")');
  const heights = await page.locator(".report-paper tbody tr:has(.num)").evaluateAll((rows) => rows.map((row) => row.offsetHeight));
  assert.ok(heights.every((height) => height < 60), heights.join());
  const said = await page.locator(".report-paper td.num span.dim").evaluateAll((spans) => spans.map((span) => span.getClientRects().length));
  assert.ok(said.length > 0 && said.every((lines) => lines === 1), said.join());
});

test("what was verified stands below the layers", async (t) => {
  const logdir = newLogdir(t);
  writeComparison(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("report"));
  await page.waitForSelector(".report-paper p:text(\"These 3 parts in float bring the end from 5.2 to 17.8 dB: 'conv2' output and weights, 'conv1' output.\")");
  await page.waitForSelector('.report-paper th:text("Restored alone, dB")');
  await page.waitForSelector('.report-paper td.num:text("+12.6")');
});
