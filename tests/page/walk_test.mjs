// From "which model" to "which channel of which tensor", by mouse and by keyboard alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { barriers, drawn, visit } from "./support/browser.mjs";
import { newLogdir, WORST_LAYER, writeEverything } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

async function assertOnChannel(page, channel) {
  await page.waitForURL((url) => url.searchParams.get("channel") === channel);
  const trail = await page.locator(".crumbs ol").innerText();
  for (const part of ["resnet18", "Layers", `channel ${channel}`]) assert.ok(trail.includes(part), trail);
}

test("the mouse goes from a model to a channel in four clicks", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at(""));

  await page.click('.models tr[aria-label="resnet18"]');
  await page.waitForSelector("text=3.96× better");
  await page.click('.page-bar a:text("Layers")');
  await page.click(`.list tr:has-text("${WORST_LAYER}")`);
  assert.match(await page.locator(".finding").innerText(), /Wrong scale/);
  await page.click('[data-channel="17"]');

  await assertOnChannel(page, "17");
  const facts = await page.locator('section[aria-labelledby="channel-title"] .facts').innerText();
  assert.match(facts, /channel\s*17/);
});

for (const slowdown of [1, 8]) test(`the keyboard goes the same way, and back up, on a machine ${slowdown} times as slow`, async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir, { slowdown });
  await visit(page, at(""));
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };

  await press("j"); // mobilenet_v3 lost most.
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "mobilenet_v3");
  await press("j", "Enter");
  await page.waitForSelector('h1:text("resnet18")');
  await press("g", "l");
  await page.waitForSelector("[data-channel]");
  await press("j", "k");
  await page.waitForURL((url) => url.searchParams.get("sel") === WORST_LAYER);
  await page.waitForSelector("[data-channel]");
  await press("Shift+ArrowRight", "ArrowRight");
  await assertOnChannel(page, "10");

  await press("u", "u", "u");
  await page.waitForSelector('h1:text("resnet18")');
  await press("u");
  await page.waitForSelector('h1:text("Overview")');
});

test("layers that are pinned stay in sight, at most four", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("layers?model=resnet18"));
  await page.waitForSelector(".list tr[aria-selected=true]");
  const pins = (count) => page.waitForFunction((n) => document.querySelectorAll(".pin svg").length === n, count);
  await page.keyboard.press("m");
  await pins(1);
  for (let i = 0; i < 4; i += 1) {
    const before = page.url();
    await page.keyboard.press("j");
    await page.waitForURL((url) => url.href !== before);
    await page.keyboard.press("m");
    await pins(Math.min(4, i + 2));
  }
  await page.click(".pin .link");
  await pins(3);
  assert.equal(new URL(page.url()).searchParams.get("pins").split(",").length, 3);
  assert.deepEqual(await barriers(page), []);
});

test("swapping the pair turns every page around", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("compare?model=resnet18"));
  await page.keyboard.press("x");
  await page.waitForSelector('.page-bar:has-text("int8 against fp32")');
  assert.equal(new URL(page.url()).searchParams.get("a"), "int8");
});

for (const slowdown of [1, 8]) test(`the search finds a model, and Escape gives the focus back, on a machine ${slowdown} times as slow`, async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir, { slowdown });
  await visit(page, at(""));
  await page.keyboard.press("/");
  await page.keyboard.type("alexn");
  await page.waitForSelector('#palette-list li:has-text("alexnet")');
  await page.keyboard.press("Enter");
  await page.waitForSelector('h1:text("alexnet")');
  await drawn(page);
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
});

test("a tuning trial is compared with the baseline, and so are its layers; brackets go from trial to trial", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("tuning"));
  await page.click('tr:has-text("tune_2") a:text("Layers")');
  await page.waitForSelector('.pair:has-text("baseline"):has-text("tune_2")');
  await page.waitForSelector(".layers .list tbody tr");
  await visit(page, at("tuning"));
  await page.keyboard.press("]");
  await page.waitForSelector('tr[aria-selected="true"]:has-text("baseline")');
  await page.keyboard.press("]");
  await page.waitForSelector('tr[aria-selected="true"]:has-text("tune_1")');
  await page.keyboard.press("Enter");
  await page.waitForSelector('.compare .page-bar:has-text("baseline against tune_1")');
});
