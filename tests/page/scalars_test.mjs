// Curves, images and texts: groups of runs, files of what is seen, views to come back to.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { barriers, visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { newLogdir, writeTraining } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const label = (page, tag) => page.locator(`section[aria-label="${tag}"] .plot`).getAttribute("aria-label");
async function saved(page, action) {
  const [download] = await Promise.all([page.waitForEvent("download"), action()]);
  return readFileSync(await download.path(), "utf8");
}

test("seeds become one line with its spread", async (t) => {
  const logdir = newLogdir(t);
  writeTraining(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars?smooth=0"));
  await page.waitForFunction(() => document.querySelector(".plot")?.getAttribute("aria-label")?.includes("seed-3 ends"));
  await page.click('label:has-text("Mean of run groups")');
  await page.waitForFunction(() => /train\/seed ends at/.test(document.querySelector(".plot")?.getAttribute("aria-label") ?? ""));
  assert.doesNotMatch(await label(page, "accuracy/val"), /seed-1/);
  assert.match(await page.locator(".page-bar").innerText(), /3 runs in 1 group/);
});

test("the first groups are open however many tags there are, curves before single values", async (t) => {
  const logdir = newLogdir(t);
  writeTraining(logdir);
  const file = new EventFile(join(logdir, "models")).hold();
  for (let i = 0; i < 150; i += 1) file.scalar(`a-model-${i % 50}/metric${i}`, i);
  file.flush();
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars"));
  await page.waitForSelector('section[aria-label="accuracy/val"] canvas');
  const folds = () => page.locator(".main-column .fold").evaluateAll((all) => all.map((fold) => [fold.querySelector("b").textContent, fold.getAttribute("aria-expanded")]));
  assert.deepEqual((await folds()).slice(0, 3), [["accuracy", "true"], ["loss", "true"], ["a-model-0", "true"]]);
  assert.deepEqual((await folds()).at(-1), ["a-model-49", "false"]);
  await page.click('.fold:has-text("a-model-49")');
  await page.waitForURL((url) => url.searchParams.get("open") === "a-model-49");
  await page.click('.fold:has-text("accuracy")');
  await page.waitForURL((url) => url.searchParams.get("fold") === "accuracy");
  assert.equal(await page.locator('section[aria-label="accuracy/val"]').count(), 0);
});

test("two runs are laid over each other and wiped", async (t) => {
  const logdir = newLogdir(t);
  writeTraining(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("images"));
  await page.click('button:text("Wipe A | B")');
  await page.waitForSelector(".pair-box img + img");
  assert.equal(await page.locator(".image-card").count(), 1);
  const seen = () => page.locator(".pair-box img + img").evaluate((image) => image.style.clipPath);
  assert.match(await seen(), /50%/);
  const box = await page.locator(".pair-box").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 4, box.y + 20, { steps: 3 });
  await page.mouse.up();
  assert.match(await seen(), /25%/);
  await page.locator('.pair-box + input[type="range"]').focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await seen(), /26%/);
  await page.click('button:text("Difference")');
  await page.waitForSelector(".pair-box.difference");
  assert.equal(await page.locator(".pair-box img + img").evaluate((image) => getComputedStyle(image).mixBlendMode), "difference");
  assert.equal(new URL(page.url()).searchParams.get("ab"), "difference");
  assert.deepEqual(await barriers(page), []);
});

test("runs are chosen by what they logged", async (t) => {
  const logdir = newLogdir(t);
  for (const [run, accuracy] of [["good", 0.95], ["bad", 0.6], ["unknown", null]]) {
    const file = new EventFile(join(logdir, run)).scalar("loss", 1, 0);
    if (accuracy !== null) file.scalar("accuracy/val", accuracy, 1);
  }
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars"));
  await page.fill('input[aria-label="Filter runs"]', "acc>0.9");
  await page.waitForFunction(() => document.querySelectorAll(".run").length === 1);
  assert.equal(await page.locator(".run .run-name").innerText(), "good");
});

test("a chart is saved as a picture with its legend, and its points whole", async (t) => {
  const logdir = newLogdir(t);
  writeTraining(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars?smooth=0&runs=seed-1"));
  await page.waitForFunction(() => document.querySelector(".plot")?.getAttribute("aria-label")?.includes("seed-1 ends"));
  const card = page.locator('section[aria-label="accuracy/val"]');
  const save = (what) => saved(page, async () => {
    await card.locator('button[aria-label="More for accuracy/val"]').click({ force: true });
    await page.click(`.menu-list li:has-text("${what}")`);
  });
  const svg = await save("SVG");
  assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.match(svg, />train\/seed-1</);
  assert.match(svg, />accuracy\/val</); // The title,
  assert.match(svg, />step</); // and the name of the axis.
  await visit(page, at("scalars?smooth=0.8&runs=seed-1"));
  await page.waitForFunction(() => document.querySelector(".plot")?.getAttribute("aria-label")?.includes("seed-1 ends"));
  assert.match(await save("SVG"), />accuracy\/val, smoothed 0.8; faint: as logged</);
  assert.match(await save("PNG"), /^.PNG/);
  assert.equal((await save("CSV")).split("\r\n").length, 302); // A head, 300 points, and the end of the last line.
  const [series] = JSON.parse(await save("JSON"));
  assert.deepEqual([series.run, series.tag, series.steps.length, series.values.length], ["train/seed-1", "accuracy/val", 300, 300]);
});

test("every line has a name, also in a chart of fifty", async (t) => {
  const logdir = newLogdir(t);
  for (let i = 0; i < 50; i += 1) new EventFile(join(logdir, `run-${i}`)).scalar("loss", i / 10, 1).scalar("loss", i / 20, 2);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars?smooth=0"));
  await page.click('.values button:text("and 47 more")');
  assert.equal(await page.locator(".legend li").count(), 50);
  await page.fill('input[aria-label="Search the lines of the chart by name"]', "run-49");
  assert.match(await page.locator(".legend li").innerText(), /49\s*2\.45/);
  await page.click('button[aria-label^="Tooltip:"]');
  await page.click('[role=option]:has-text("Highest first")');
  await page.hover(".plot");
  await page.waitForSelector(".nearest tbody tr");
  assert.match(await page.locator(".nearest tbody tr").first().innerText(), /run-49/);
  assert.equal(await page.locator(".nearest tbody tr").count(), 6);
  assert.deepEqual(await barriers(page), []);
});

test("a step is marked in all charts, moved by keys, and its values stand below", async (t) => {
  const logdir = newLogdir(t);
  writeTraining(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars?smooth=0&runs=seed-1"));
  await page.waitForFunction(() => document.querySelector(".plot")?.getAttribute("aria-label")?.includes("seed-1 ends"));
  const marked = () => new URL(page.url()).searchParams.get("step");
  const plot = page.locator(".plot").first();
  const box = await plot.boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + 60);
  await page.waitForSelector(".value-table");
  const first = Number(marked());
  assert.ok(first > 100 && first < 200, `${first} is not the middle of 300 steps`);
  // The other card's curves may come later, and have the mark then.
  await page.waitForFunction(() => document.querySelectorAll(".fob-text").length === document.querySelectorAll(".card").length);
  await page.keyboard.press("ArrowRight");
  assert.equal(Number(marked()), first + 1);
  await page.keyboard.press("Shift+ArrowLeft");
  assert.equal(Number(marked()), first - 9);
  assert.equal(await page.locator(".fob-text").first().textContent(), String(first - 9));
  assert.doesNotMatch(await page.locator(".value-table").first().innerText(), /Step/); // The mark says it of all rows.
  await page.keyboard.down("Shift");
  await page.mouse.click(box.x + box.width * 0.9, box.y + 60);
  await page.keyboard.up("Shift");
  await page.waitForSelector('.value-table th:has-text("Change")');
  assert.deepEqual(await barriers(page), []);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector(".value-table"));
});

test("two tags are drawn in one chart, with limits of its own, and the address keeps both", async (t) => {
  const logdir = newLogdir(t);
  const file = new EventFile(join(logdir, "run")).hold();
  for (let step = 0; step < 20; step += 1) file.scalar("train/loss", 1 / (step + 1), step).scalar("eval/loss", 2 / (step + 1), step);
  file.flush();
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars"));
  await page.locator('button[aria-label="Draw train/loss together with another tag"]').click({ force: true });
  await page.click('.menu-list li:has-text("eval/loss")');
  const both = "train/loss + eval/loss";
  await page.waitForFunction((name) => /train\/loss ends at 0.05, eval\/loss ends at 0.1/.test(document.querySelector(`section[aria-label="${name}"] .plot`)?.getAttribute("aria-label") ?? ""), both);
  await page.locator(`button[aria-label="More for ${both}"]`).click({ force: true });
  await page.click('.menu-list li:has-text("Fix the y axis")');
  await page.fill(`input[aria-label="Upper limit of ${both}"]`, "0.5");
  await page.keyboard.press("Tab");
  await page.reload();
  await page.waitForSelector(`section[aria-label="${both}"] .plot`);
  assert.equal(await page.inputValue(`input[aria-label="Upper limit of ${both}"]`), "0.5");
  await page.click('button:text("Table")');
  await page.waitForFunction((name) => document.querySelectorAll(`section[aria-label="${name}"] .value-table tbody tr`).length === 2, both);
});

test("all images go to one step, and the address keeps it", async (t) => {
  const logdir = newLogdir(t);
  writeTraining(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("images"));
  const allAt = (step) => page.waitForFunction((text) => {
    const steps = [...document.querySelectorAll(".image-card .values span:first-child")].map((span) => span.textContent);
    return steps.length === 3 && steps.every((shown) => shown === text);
  }, `step ${step}`);
  await allAt(200);
  await page.locator('input[aria-label="Step of all cards"]').fill("90");
  await page.waitForURL((url) => url.searchParams.get("step") === "90");
  await allAt(100);
});

test("a text is shown as the Markdown it is, or as it was logged", async (t) => {
  const logdir = newLogdir(t);
  writeTraining(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("text?runs=seed-1"));
  await page.waitForSelector('.markdown h3:text("Run seed-1")');
  assert.equal(await page.locator(".markdown strong").innerText(), "256");
  assert.equal(await page.locator('.markdown td:text-is("per channel")').count(), 1);
  await page.click('button:text("Raw")');
  await page.waitForFunction(() => document.querySelector(".text-body")?.textContent?.includes("**256**"));
});

test("a view that was kept is opened by its name", async (t) => {
  const logdir = newLogdir(t);
  writeTraining(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars?ylog=1&runs=seed-2"));
  await page.click('button:has-text("View:")');
  await page.fill('input[aria-label="Name of this view"]', "my curves");
  await page.keyboard.press("Enter");
  await page.waitForSelector('button:has-text("View: my curves")');
  await visit(page, at("images"));
  await page.click('button:has-text("View:")');
  await page.click('.views button:text("my curves")');
  await page.waitForURL(at("scalars?ylog=1&runs=seed-2"));
  await page.click('button:has-text("View:")');
  await page.click('button[aria-label="Delete my curves"]');
  await page.waitForSelector(".open-view", { state: "detached" }); // The server forgets it first.
});

test("smoothing is over all points of the log, also where the chart has a sample of them", async (t) => {
  const logdir = newLogdir(t);
  const file = new EventFile(join(logdir, "long")).hold();
  const values = Array.from({ length: 20_000 }, (_, i) => Math.fround(Math.sin(i * 12.9898) * 43.758 + i / 1000));
  values.forEach((value, step) => file.scalar("noise", value, step));
  file.flush();
  const expected = (weight) => {
    let [last, rest] = [0, 1];
    for (const value of values) [last, rest] = [last * weight + (1 - weight) * value, rest * weight];
    return last / (1 - rest);
  };
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars?table=1&smooth=0.99"));
  const shown = (weight) => page.waitForFunction((wanted) => Math.abs(Number(document.querySelector(".value-table tbody td:nth-child(2)")?.title.replace("−", "-")) - wanted) < 1e-6 * Math.abs(wanted), expected(weight));
  await shown(0.99);
  await page.locator('input[aria-label="Smoothing"], label:has-text("Smoothing") input').first().fill("0.9");
  await shown(0.9);
});
