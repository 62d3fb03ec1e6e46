// The overview: chart, scores and table are about the same models, whatever is filtered or weighed.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { assertFitsWidth, barriers, visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { newLogdir, writeMetrics } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const models = (page) => page.locator(".models tbody tr").evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label")));

/** Models with everything measured, so that the table has as many columns as it ever gets. */
function writeManyMetrics(logdir) {
  writeMetrics(logdir, Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`a_model_with_a_long_name_${i}_large_quantized`, {
    "metrics/accuracy": [0.7 + i / 200, 0.69 + i / 210], "performance/latency_ms": [200 + i, 90 + i], "performance/model_size_mb": [100 + 9 * i, 25 + 2 * i],
    "performance/throughput": [100, 210 + i], "performance/memory_usage_mb": [800, 300 + i], "performance/energy_mw": [45000, 30000 + i],
  }])));
}

test("points of a column stand in one line, and variants in the order of their numbers", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir, {
    large: { "metrics/accuracy": [0.7, 0.69], "performance/model_size_mb": [217.61, 44.7] },
    small: { "metrics/accuracy": [0.7, 0.69], "performance/model_size_mb": [9.42, 1.5] },
  });
  const file = new EventFile(join(logdir, "tuned")).hold();
  for (const name of ["tune_29", "tune_2", "tune_30"]) file.scalar(`small/metrics/accuracy/${name}`, 0.6);
  file.flush();
  const { page, at } = await serve(t, logdir);
  await visit(page, at("overview"));
  const points = await page.locator(".models tbody .ab > span:last-child > span").evaluateAll((cells) => cells.map((cell) => {
    const range = document.createRange(); // The range of the point alone.
    const at = cell.textContent.indexOf(".");
    range.setStart(cell.firstChild, at);
    range.setEnd(cell.firstChild, at + 1);
    return Math.round(range.getBoundingClientRect().x);
  }));
  assert.equal(points.length, 2);
  assert.equal(points[0], points[1]);
  await page.click('.pair .pick >> nth=1');
  assert.deepEqual(await page.locator(".pair [role=option]").allInnerTexts(), ["fp32", "int8", "tune_2", "tune_29", "tune_30"]);
});

test("a rectangle drawn in the chart filters table and scores, and can be shared and cleared", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("overview"));
  assert.equal((await models(page)).length, 3);
  const alexnet = await page.locator('.model[aria-label="alexnet"] .mark-b').boundingBox();
  const middle = { x: alexnet.x + alexnet.width / 2, y: alexnet.y + alexnet.height / 2 };
  await page.mouse.move(middle.x - 14, middle.y - 14);
  await page.mouse.down();
  await page.mouse.move(middle.x + 10, middle.y + 10, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL((url) => url.searchParams.has("brush"));
  assert.deepEqual(await models(page), ["alexnet"]);

  await visit(page, page.url());
  assert.deepEqual(await models(page), ["alexnet"]);
  await page.click('button:text("Clear the selected area")');
  assert.equal((await models(page)).length, 3);
});

test("words and conditions filter the models", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("overview"));
  await page.fill('input[aria-label="Filter models"]', "net size<15");
  await page.waitForFunction(() => document.querySelectorAll(".models tbody tr").length === 2);
  assert.deepEqual((await models(page)).sort(), ["alexnet", "resnet18"]);
  await page.click('.models-head button:text("Show all")');
  assert.equal((await models(page)).length, 3);
});

test("the filter takes the columns of the table, and the figures at the top follow it", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("overview"));
  const gates = () => page.locator('.tile:has(.name:text-is("Gates")) .figure').innerText();
  assert.match(await gates(), /of 3/);
  await page.fill('input[aria-label="Filter models"]', "drop < 1 speedup>1.5");
  await page.waitForFunction(() => document.querySelectorAll(".models tbody tr").length === 1);
  assert.deepEqual(await models(page), ["resnet18"]); // 0.27 pp, 2.42 times as fast.
  await page.waitForSelector('.tiles[data-of="1 of 3 models"]');
  assert.match(await gates(), /of 1/);
  await page.fill('input[aria-label="Filter models"]', "beauty>1");
  assert.match(await page.locator(".models-part .panel.note").innerText(), /beauty is no column here; there are drop, ratio, speedup/);
  await page.fill('input[aria-label="Filter models"]', "");

  await page.click('button:text-is("Ranges")');
  const slider = page.locator('input[aria-label="Max Drop, pp"]');
  await slider.focus();
  for (let i = 0; i < 10; i += 1) await page.keyboard.press("ArrowLeft");
  await page.waitForURL((url) => /^drop<=\d/.test(url.searchParams.get("find") ?? ""));
  assert.equal((await models(page)).length, 2); // All but the worst.
  assert.deepEqual(await barriers(page), []);
});

test("the Pareto front is the server's, and that of the models that pass the filter", async (t) => {
  const logdir = newLogdir(t);
  const sized = (accuracy, size) => ({ "metrics/accuracy": [accuracy, accuracy], "performance/model_size_mb": [4 * size, size] });
  writeMetrics(logdir, { large: sized(0.8, 25), middle: sized(0.72, 20), beaten: sized(0.6, 22), small: sized(0.7, 5) });
  const { page, at } = await serve(t, logdir);
  const asked = [];
  page.on("request", (request) => request.url().endsWith("/compression/pareto") && asked.push(request.postDataJSON()));
  await visit(page, at("overview"));
  const corners = () => page.locator(".pareto path.front").evaluate((path) => (path.getAttribute("d").match(/[HV]/g) ?? []).length / 2);
  await page.waitForSelector('.pareto path.front[d^="M"]');
  assert.equal(await corners(), 2); // small, middle, large.
  assert.deepEqual(asked.at(-1), { metrics: ["model_size_mb", "accuracy"], variant: "int8", models: ["beaten", "large", "middle", "small"] });

  await page.fill('input[aria-label="Filter models"]', "accuracy<75 size>10");
  await page.waitForFunction(() => /none beats middle/.test(document.querySelector(".chart-panel .panel-head").textContent));
  assert.equal(await corners(), 0);
  assert.deepEqual(asked.at(-1).models, ["beaten", "middle"]);
});

test("gates of one's own give the verdicts, on every page", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("overview"));
  const verdict = () => page.locator('.models tr[aria-label="resnet18"] .gate-text').innerText();
  assert.doesNotMatch(await verdict(), /drop/);
  await page.click('button[aria-label="Policy: balanced"]');
  await page.fill('.gate-limit:has-text("Drop at most") input', "0.1");
  await page.keyboard.press("Tab");
  await page.waitForURL((url) => url.searchParams.get("policy") === "drop<=0.1 ratio>=3 speedup>=1.2");
  await page.waitForFunction(() => /drop 0.27 > 0.1 pp/.test(document.querySelector('.models tr[aria-label="resnet18"] .gate-text')?.textContent ?? ""));
  await page.click('.models tr[aria-label="resnet18"] .model-name');
  await page.waitForSelector('button[aria-label="Policy: own gates"]');
  assert.match(await page.locator(".whole-verdict").innerText(), /drop/);
});

test("models of which nothing changed are left out on request, and come back", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir, {
    changed: { "metrics/accuracy": [0.7, 0.69], "performance/model_size_mb": [40, 10] },
    the_same: { "metrics/accuracy": [0.7, 0.7], "performance/model_size_mb": [40, 40] },
  });
  const { page, at } = await serve(t, logdir);
  await visit(page, at("overview"));
  assert.deepEqual(await models(page), ["changed", "the_same"]);
  await page.click('label:has-text("Only differences")');
  await page.waitForURL((url) => url.searchParams.has("diff"));
  assert.deepEqual(await models(page), ["changed"]);
  await page.click('button:text("Show all")');
  assert.deepEqual(await models(page), ["changed", "the_same"]);
});

test("the pointer on a mark is at its model, also where another one's arrow passes", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir, {
    above: { "metrics/accuracy": [0.9, 0.8], "performance/model_size_mb": [40, 20] },
    across: { "metrics/accuracy": [0.8, 0.8], "performance/model_size_mb": [80, 10] },
    below: { "metrics/accuracy": [0.6, 0.5], "performance/model_size_mb": [60, 30] },
  });
  const { page, at } = await serve(t, logdir);
  await visit(page, at("overview"));
  for (const name of ["above", "across"]) {
    const mark = await page.locator(`.model[aria-label="${name}"] .mark-b`).boundingBox();
    await page.mouse.move(mark.x + mark.width / 2, mark.y + mark.height / 2);
    await page.waitForSelector(`.model.hot[aria-label="${name}"]`);
  }
});

test("a score shows its factors, and other weights give another score", async (t) => {
  const logdir = newLogdir(t);
  writeManyMetrics(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("overview"));
  const first = page.locator("button.rank").first();
  const before = await first.locator(".num").first().innerText();
  await first.click();
  assert.deepEqual(await page.locator(".waterfall .name").allInnerTexts(), ["quality", "throughput", "latency", "energy", "memory", "penalty"]);
  await page.click('button:text("Weights")');
  await page.fill('.weights label:has-text("throughput") input', "90");
  await page.waitForURL((url) => url.searchParams.has("weights"));
  // The server computes the scores, so they arrive a moment after the weights are in the address.
  await first.locator(".num").first().and(page.locator(`:not(:text-is("${before}"))`)).waitFor();
  await page.click('button:text("Reset the weights to the defaults")');
  await first.locator(".num").first().and(page.locator(`:text-is("${before}")`)).waitFor();
});

test("names are whole, and what is typed stays in its panel", async (t) => {
  const logdir = newLogdir(t);
  writeManyMetrics(logdir);
  const { page, at } = await serve(t, logdir, { width: 1400 });
  await visit(page, at("overview"));
  const names = await page.locator(".rank .whole-name").evaluateAll((all) => all.map((name) => ({ text: name.textContent, cut: name.scrollWidth > name.clientWidth })));
  assert.equal(new Set(names.map(({ text }) => text)).size, names.length);
  assert.deepEqual(names.filter(({ cut }) => cut), []);
  await page.click('button:text("Weights")');
  const ends = await page.locator(".weights .field").evaluateAll((fields) => fields.map((field) => field.getBoundingClientRect().right));
  const panel = await page.locator('section[aria-labelledby="aurora-title"]').boundingBox();
  assert.ok(Math.max(...ends) <= panel.x + panel.width - 15, `${Math.max(...ends)} of ${panel.x + panel.width}`);
  // In a wide typeface the name of the program takes two lines.
  const brand = await page.locator(".brand").evaluate((box) => {
    box.style.fontFamily = "DejaVu Sans, Verdana, sans-serif";
    return box.querySelector("span").getBoundingClientRect().right - box.getBoundingClientRect().right;
  });
  assert.ok(brand <= 0, `${brand} pixels beyond the rail`);
  // A short model beside a longer variant: there is room for both.
  const cut = await page.locator(".pick-pair span + span").first().evaluate((span) => {
    span.textContent = " · baseline";
    return span.scrollWidth - span.clientWidth;
  });
  assert.equal(cut, 0);
});

test("a value that is missing names the tag it would have", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("overview"));
  const titles = await page.locator('.models tr[aria-label="mobilenet_v3"] .none').evaluateAll((cells) => cells.map((cell) => cell.title));
  assert.ok(titles.includes("not logged: mobilenet_v3/performance/latency_ms/int8"), titles.join("; "));
});

test("nothing runs off the edge, however much was measured", async (t) => {
  const logdir = newLogdir(t);
  writeManyMetrics(logdir);
  for (const width of [1920, 1440, 1280, 1024, 720, 390]) {
    const { page, at } = await serve(t, logdir, { width });
    await visit(page, at("overview"));
    await assertFitsWidth(page);
    const [table, window] = await page.evaluate(() => [document.querySelector(".scroll").getBoundingClientRect().right, innerWidth]);
    assert.ok(table <= window, `the table ends at ${table} of ${window} px`);
  }
});

test("models that are ticked or shift-clicked are drawn beside each other, at most five", async (t) => {
  const logdir = newLogdir(t);
  writeManyMetrics(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("overview?sort=model"));
  const name = (i) => `a_model_with_a_long_name_${i}_large_quantized`;
  await page.click(`tr[aria-label="${name(3)}"]`, { modifiers: ["Shift"] });
  await page.click(`tr[aria-label="${name(5)}"] input`);
  await page.waitForSelector(".radar svg");
  assert.equal(await page.locator(".radar-shape").count(), 2);
  assert.deepEqual((await models(page)).slice(0, 2), [name(3), name(5)]);
  assert.match(await page.locator(".radar-table tbody tr").first().innerText(), /name_3_large\S*\s+0\.\d+×\s+[34]\.\d+×/);
  for (const i of [6, 7, 8, 9]) await page.click(`tr[aria-label="${name(i)}"] input`);
  assert.equal(await page.locator(".radar-shape").count(), 5);
  await visit(page, page.url());
  assert.equal(await page.locator(".radar-shape").count(), 5);
  await page.click(`button[aria-label="Untick ${name(6)}"]`);
  assert.equal(await page.locator(".radar-shape").count(), 4);
  assert.deepEqual(await barriers(page), []);
  await page.click('button:text("Untick all")');
  await page.waitForSelector(".radar", { state: "detached" });
  await page.click(`tr[aria-label="${name(3)}"] .model-name`);
  await page.waitForSelector(".compare");
});

test("models whose quality nobody logged lead to where something is known of them", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir, { digits: { "performance/model_size_mb": [0.026, 0.013] } });
  const { page, at } = await serve(t, logdir);
  await visit(page, at("overview"));
  await page.waitForSelector('h1:text("No quality metric was logged")');
  assert.match(await page.locator(".empty").innerText(), /1 model: digits\. Metrics in the logs: Model size \(MB\)/);
  assert.deepEqual(await barriers(page), []);
  await page.click('.empty a:text("Compare")');
  await page.waitForSelector('h1:text("digits")');
});

test("what was not measured is neither green nor a pass, and overview and report have the same figures", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir, {
    whole: { "metrics/accuracy": [0.7, 0.698], "performance/model_size_mb": [100, 20], "performance/latency_ms": [233, 100] },
    half: { "metrics/accuracy": [0.7, 0.7] },
    other: { "metrics/accuracy": [0.7, 0.7], "performance/throughput": [10, 119] },
    third: { "metrics/accuracy": [0.7, 0.7], "performance/latency_ms": [10, 5] },
  });
  const { page, at, board } = await serve(t, logdir);
  await visit(page, at("overview"));
  const verdicts = Object.fromEntries(await page.locator(".models tbody tr").evaluateAll((rows) => rows.map((row) => [row.getAttribute("aria-label"), row.querySelector(".verdict").className.split(" ")[1]])));
  assert.deepEqual(verdicts, { whole: "good", half: "open", other: "open", third: "open" });
  const tiles = await page.locator(".tile").evaluateAll((all) => all.map((tile) => [tile.querySelector(".name").innerText, tile.querySelector(".figure").innerText.replace(/\s+/g, " ")]));
  const html = await (await fetch(`${board.address}api/v1/compression/report?section=summary`)).text();
  const reported = [...html.matchAll(/<div class="tile"><div class="name">([^<]*)<\/div><div class="figure">([^<]*)<\/div>/g)].map(([, name, figure]) => [name, figure]);
  assert.deepEqual(tiles.slice(0, -1), reported);
  assert.deepEqual(tiles.find(([name]) => name === "Best speedup"), ["Best speedup", "2.33×"]);
  assert.deepEqual(tiles.at(-1), ["Gates", "1 of 1 checked pass"]); // The tile names the other three.
  assert.equal(await page.locator(".tile .verdict.good").count(), 0);
  await visit(page, at("compare?model=half"));
  await page.waitForSelector('.page-bar .verdict.open:text("passes 1 of 3 gates; ratio, speedup not measured")');
});
