// Remembered state: every page as it was left, and colours that the user has fixed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./support/browser.mjs";
import { newLogdir, writeEverything } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const stateOf = (page) => page.evaluate(() => [location.pathname, ...[...new URL(location.href).searchParams].map(([key, value]) => `${key}=${value}`).sort()]);
const openByRail = async (page, name) => {
  await page.click(`.rail a:has-text("${name}")`);
  await page.waitForSelector(`.rail a[aria-current="page"]:has-text("${name}")`);
};

test("Scalars is as it was left, after three other pages, a reload and a new window", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars?runs=seed&smooth=0.9&x=relative&pins=loss%2Ftrain&tag=loss&hide=train%2Fseed-2"));
  const before = await stateOf(page);
  for (const name of ["Histograms", "Layers", "Overview"]) await openByRail(page, name);
  await openByRail(page, "Scalars");
  assert.deepEqual(await stateOf(page), before);
  await page.reload();
  assert.deepEqual(await stateOf(page), before);

  const window = await page.context().newPage(); // As after a restart: the same browser, a plain address.
  await visit(window, at("scalars"));
  assert.deepEqual(await stateOf(window), before);
  await window.close();

  await openByRail(page, "Scalars"); // The link of the open page resets it; what pages share stays.
  assert.deepEqual(await stateOf(page), ["/scalars", "runs=seed"]);
});

test("columns are hidden and resized, and come back", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("layers?model=resnet18"));
  const heads = () => page.locator(".list th").allInnerTexts();
  assert.ok((await heads()).includes("Cause"));
  await page.click('button:has-text("Columns")');
  await page.click('.column-menu label:has-text("Cause")');
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => new URL(location.href).searchParams.get("cols")?.includes("!cause"));
  assert.ok(!(await heads()).includes("Cause"));

  const name = page.locator(".list th").first();
  const { x, y, width } = await name.boundingBox();
  await page.mouse.move(x + width - 1, y + 10);
  await page.mouse.down();
  await page.mouse.move(x + width - 61, y + 10, { steps: 3 });
  await page.mouse.up();
  await page.waitForFunction(() => /name~\d+/.test(new URL(location.href).searchParams.get("cols") ?? ""));
  assert.ok(Math.abs((await name.boundingBox()).width - (width - 60)) <= 2);

  await openByRail(page, "Overview");
  await openByRail(page, "Layers");
  await page.waitForSelector(".list th");
  assert.ok(!(await heads()).includes("Cause"));
  assert.ok(Math.abs((await name.boundingBox()).width - (width - 60)) <= 2);
});

test("visible runs differ in colour, and a fixed colour stays on every page", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars?runs=trial-0[0-7]"));
  const colours = () => page.locator(".run .run-key").evaluateAll((keys) => keys.map((key) => getComputedStyle(key).color));
  await page.waitForFunction(() => document.querySelectorAll(".run .run-key").length === 8);
  assert.equal(new Set(await colours()).size, 8);

  await page.click('.run [aria-label="Colour of sweep/trial-03"]');
  await page.click('.swatch[aria-label="Colour 6"]');
  await page.click('dialog button:has-text("Save")');
  await page.waitForFunction(() => new URL(location.href).searchParams.get("colours") === "sweep/trial-03~6");
  assert.equal(new Set(await colours()).size, 8);
  assert.equal(await page.locator('.run [aria-label="Colour of sweep/trial-03"] .run-6').count(), 1);
  await openByRail(page, "Overview");
  assert.ok(new URL(page.url()).searchParams.get("colours"));
});
