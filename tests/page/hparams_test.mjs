// Trials: lines, rows and filters are about the same ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { barriers, visit } from "./support/browser.mjs";
import { newLogdir, writeSweep } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const rows = (page) => page.locator(".trials tbody tr").count();
const untilRows = (page, n) => page.waitForFunction((count) => document.querySelectorAll(".trials tbody tr").length === count, n);

test("every trial is a line and a row, and what it lacks is a gap", async (t) => {
  const logdir = newLogdir(t);
  writeSweep(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("hparams"));
  assert.equal(await rows(page), 36);
  assert.equal(await page.locator(".trial-line").count(), 36);
  const heads = await page.locator(".trials th").allInnerTexts();
  assert.ok(!heads.includes("optimizer"), "a column that never varies is left out");
  assert.match(await page.locator('.trials tr[aria-label="sweep/trial-07"]').innerText(), /–/);
});

test("a stretch of an axis, a tick and a number filter; the address brings them back", async (t) => {
  const logdir = newLogdir(t);
  writeSweep(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("hparams"));
  await page.click('fieldset:has-text("bits") label:has-text("2")');
  await untilRows(page, 24);
  const axis = await page.locator(".axis-field").nth(3).boundingBox(); // qat: true above false.
  await page.mouse.move(axis.x + axis.width / 2, axis.y + 2);
  await page.mouse.down();
  await page.mouse.move(axis.x + axis.width / 2, axis.y + axis.height / 2, { steps: 3 });
  await page.mouse.up();
  await untilRows(page, 12);
  await visit(page, page.url());
  await untilRows(page, 12);
  await page.click('button:text("Clear the filters")');
  await untilRows(page, 36);
  await page.fill('input[aria-label="Min hparam/size_mb"]', "30");
  await page.keyboard.press("Enter");
  await untilRows(page, 12);
});

test("on a phone axes have their buttons, and titles do not touch", async (t) => {
  const logdir = newLogdir(t);
  writeSweep(logdir);
  const { page, at } = await serve(t, logdir, { width: 390 });
  await visit(page, at("hparams"));
  assert.ok(await page.locator(".axis-tools").first().isVisible());
  for (const kind of [".parallel text.name", ".axis-tools"]) {
    const boxes = await page.locator(kind).evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => ({ left, right })));
    assert.ok(boxes.length > 2);
    boxes.slice(1).forEach((box, i) => assert.ok(box.left >= boxes[i].right - 0.5, `${kind} ${i}: ${boxes[i].right} and ${box.left}`));
  }
});

test("a head sorts by its column, best metric first", async (t) => {
  const logdir = newLogdir(t);
  writeSweep(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("hparams"));
  await page.click('.trials th button:text("hparam/accuracy")');
  await page.waitForSelector('th[aria-sort="descending"]');
  await page.waitForFunction(() => {
    const column = document.querySelector("th[aria-sort]").cellIndex;
    const values = [...document.querySelectorAll(".trials tbody tr")].map((row) => Number(row.cells[column].innerText)).filter(Number.isFinite);
    return values.length === 35 && values.every((v, i) => i === 0 || v <= values[i - 1]);
  });
});

test("a head names an order only when the rows are in it", async (t) => {
  const logdir = newLogdir(t);
  writeSweep(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("hparams"));
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route("**/api/v1/hparams", async (route) => {
    await held;
    await route.continue();
  });
  await page.click('.trials th button:text("hparam/accuracy")');
  await page.waitForSelector('.trials[aria-busy="true"]');
  assert.equal(await page.locator(".trials [aria-sort]").count(), 0);
  assert.equal(await rows(page), 36); // The rows of before stay.
  release();
  await page.waitForSelector('.trials[aria-busy="false"] th[aria-sort="descending"]');
  const values = await page.locator(".trials").evaluate((table) => {
    const column = table.querySelector("th[aria-sort]").cellIndex;
    return [...table.querySelectorAll("tbody tr")].map((row) => Number(row.cells[column].innerText)).filter(Number.isFinite);
  });
  assert.deepEqual(values, [...values].sort((p, q) => q - p));
});

test("a trial opens its curves", async (t) => {
  const logdir = newLogdir(t);
  writeSweep(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("hparams"));
  await page.click('.trials tr[aria-label="sweep/trial-03"]');
  await page.waitForURL((url) => url.pathname.endsWith("/scalars"));
  await page.waitForFunction(() => document.querySelector(".runs-head")?.innerText.startsWith("1 of"));
});

test("two columns against each other: a point per trial that has both", async (t) => {
  const logdir = newLogdir(t);
  writeSweep(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("hparams"));
  await page.click('button:text("Scatter")');
  await page.waitForSelector(".trial-dot");
  assert.equal(await page.locator(".trial-dot").count(), 35); // One has no accuracy.
  await page.click('button[aria-label^="y "]');
  await page.click('li:has-text("hparam/size_mb")');
  await page.waitForFunction(() => document.querySelectorAll(".trial-dot").length === 36);
  const dot = await page.locator(".trial-dot").nth(3).boundingBox();
  await page.mouse.move(dot.x + dot.width / 2, dot.y + dot.height / 2);
  await page.waitForSelector(".readout.on");
  assert.match(await page.locator(".readout").innerText(), /hparam\/size_mb/);
  assert.equal(await page.locator(".trials tr.hot").count(), 1);
  await visit(page, page.url());
  await page.waitForFunction(() => document.querySelectorAll(".trial-dot").length === 36);
  assert.deepEqual(await barriers(page), []);
});

test("what matters is told of each setting, and leads to its trials", async (t) => {
  const logdir = newLogdir(t);
  writeSweep(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("hparams"));
  await page.click('button:text-is("Importance")');
  await page.waitForSelector(".importance tbody tr");
  const shares = await page.locator(".importance .share .num").allInnerTexts();
  assert.ok(shares.length > 0);
  const numbers = shares.map((text) => Number(text.replace(" %", "")));
  assert.deepEqual(numbers, [...numbers].sort((p, q) => q - p));
  assert.ok(numbers[0] > 50, `nothing explains the accuracy: ${numbers}`);
  assert.deepEqual(await barriers(page), []);
  await page.locator(".importance tbody .link").first().click();
  await page.waitForSelector(".trial-dot");
});

test("the matrix shows every column against every metric, and a click opens one chart", async (t) => {
  const logdir = newLogdir(t);
  writeSweep(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("hparams?plot=matrix"));
  await page.waitForSelector(".matrix-cell .matrix-dots");
  const label = await page.locator(".matrix-cell").first().getAttribute("aria-label");
  assert.deepEqual(await barriers(page), []);
  await page.locator(".matrix-cell").first().focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector(".scatter .trial-dot");
  const [y, x] = label.split(" by ");
  assert.match(await page.locator("svg.scatter").getAttribute("aria-label"), new RegExp(`by ${x} and ${y}$`));
});
