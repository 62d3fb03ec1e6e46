// Light and dark, wide and narrow, for everybody, and small enough to load at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { assertFitsWidth, barriers, visit } from "./support/browser.mjs";
import { newLogdir, writeEverything } from "./support/logdirs.mjs";
import { writeMedia } from "./support/media_logs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const PAGES = {
  overview: ".models", compare: "#gates-title", "layers?model=resnet18": "[data-channel]", tuning: ".trial", hardware: ".lane",
  "scalars?runs=seed": ".plot canvas", "histograms?runs=seed": ".card svg", images: ".image-box img", text: ".text-body",
  hparams: ".trial-line", report: ".report-paper article", files: ".files tbody tr", "scalars?runs=seed&group=^(.*)-": ".plot canvas",
  pr: ".pr-line", custom: ".plot canvas", "projector?point=3": ".near", audio: ".waveform path", mesh: ".space canvas",
};

for (const scheme of ["light", "dark"]) {
  test(`axe finds no serious barrier on any page, ${scheme}`, async (t) => {
    const logdir = newLogdir(t);
    writeEverything(logdir);
    writeMedia(logdir);
    const { page, at } = await serve(t, logdir, { scheme });
    for (const [path, shows] of Object.entries(PAGES)) {
      await visit(page, at(path));
      await page.waitForSelector(shows);
      assert.deepEqual(await barriers(page), [], path);
    }
  });
}

test("no page is wider than a telephone", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  writeMedia(logdir);
  const { page, at } = await serve(t, logdir, { width: 390, height: 844 });
  for (const [path, shows] of Object.entries(PAGES)) {
    await visit(page, at(path));
    await page.waitForSelector(shows);
    await assertFitsWidth(page);
    if (path === "report") assert.deepEqual(await barriers(page), []); // Its tables scroll sideways, also by keyboard.
  }
  await page.click('button[aria-label="Pages"]');
  await page.click('.rail a:has-text("Overview")');
  await page.waitForSelector(".models");
});

test("on a telephone nothing is squeezed, cut off or scrolled away with its frame", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir, { width: 390, height: 844 });
  await visit(page, at("overview"));
  await page.waitForSelector(".models");
  const filter = await page.locator('[aria-label="Filter models"]').boundingBox();
  assert.ok(filter.width > 300, `the filter is ${filter.width} px wide`);
  await page.evaluate(() => document.querySelector(".models tbody tr:last-child").scrollIntoView());
  assert.equal(await page.evaluate(() => document.querySelector(".header").getBoundingClientRect().top), 0);
  await page.keyboard.press("?");
  const keys = await page.locator(".dialog").boundingBox();
  assert.ok(keys.y + keys.height <= 844, `the keys end at ${keys.y + keys.height} px`);
  await visit(page, at("layers?model=resnet18&sel=layer2.0.conv1&channel=17"));
  const cut = await page.locator(".crumbs li").evaluateAll((steps) => steps.filter((step) => step.scrollWidth > step.clientWidth).map((step) => step.textContent));
  assert.deepEqual(cut, []);
});

test("on a telephone the names of rows stay when their table is moved sideways", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir, { width: 390, height: 844 });
  await visit(page, at("tuning"));
  const table = page.locator(".tuning-table");
  const places = async () => Promise.all([1, 2].map(async (column) => (await table.locator(`tbody tr:first-child > :nth-child(${column})`).boundingBox()).x));
  const [name, value] = await places();
  await table.evaluate((element) => { element.scrollLeft = 60; });
  assert.deepEqual(await places(), [name, value - 60]);
});

test("hardly anything moves while a page fills", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir);
  await page.addInitScript(() => {
    window.shift = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => (window.shift += entry.hadRecentInput ? 0 : entry.value))).observe({ type: "layout-shift", buffered: true });
  });
  for (const path of ["overview", "scalars?runs=seed", "hparams"]) {
    await visit(page, at(path));
    await page.waitForSelector(PAGES[path]);
    await page.waitForTimeout(500);
    const shift = await page.evaluate(() => window.shift);
    assert.ok(shift <= 0.02, `${path}: ${shift}`);
  }
});

test("dark follows the system, and a choice outlasts the visit", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir, { scheme: "dark" });
  const paper = () => page.evaluate(() => getComputedStyle(document.querySelector("#app")).backgroundColor);
  await visit(page, at(""));
  const dark = await paper();
  await page.keyboard.press("d"); // From "system" to "light".
  const light = await paper();
  assert.notEqual(light, dark);
  await visit(page, at("scalars"));
  assert.equal(await paper(), light);
});

test("the first page loads within 90 kB, any other part within 60 kB", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir);
  const asked = new Set();
  page.on("request", (request) => {
    if (/\.(js|css)$/.test(new URL(request.url()).pathname)) asked.add(request.url());
  });
  const sizes = async () => Promise.all([...asked].map(async (url) => gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length));
  const sum = (numbers) => numbers.reduce((total, n) => total + n, 0);

  await visit(page, at(""));
  await page.waitForSelector(".models");
  const first = await sizes();
  assert.ok(first.length >= 3, "no scripts were seen");
  assert.ok(sum(first) <= 90 * 1024, `first load: ${sum(first)} bytes`);
  t.diagnostic(`first load ${sum(first)} bytes`);

  for (const path of Object.keys(PAGES)) await visit(page, at(path));
  const all = await sizes();
  assert.ok(Math.max(...all) <= 60 * 1024, `largest part: ${Math.max(...all)} bytes`);
  assert.ok(sum(all) <= 250 * 1024, `all pages: ${sum(all)} bytes`);
  t.diagnostic(`all pages ${sum(all)} bytes`);
});
