// PR curves, custom scalars and sounds, as a user goes through them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { barriers, visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { newLogdir } from "./support/logdirs.mjs";
import { addLayout, addPrRows, addSound, wav, writeMedia } from "./support/media_logs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

async function serveMedia(t, window) {
  const logdir = newLogdir(t);
  writeMedia(logdir);
  return serve(t, logdir, window);
}

const card = (page, name) => page.locator(`.card[aria-label="${name}"]`);
const asked = (page, key) => new URL(page.url()).searchParams.get(key);

/** Moves to a share of an element's box. */
async function pointAt(page, locator, x, y) {
  const box = await locator.boundingBox();
  await page.mouse.move(box.x + box.width * x, box.y + box.height * y);
}

/** Twelve pictures, of which four are cats; at 0.5 six are named, three of them rightly. */
function writeKnownCurve(logdir, run, precision = 0.5) {
  const rows = [[4, 3, 1], [8, 3, 0], [0, 5, 8], [0, 1, 3], [1 / 3, precision, 1], [1, 0.75, 0.25]];
  const file = new EventFile(join(logdir, run));
  addPrRows(file, "cats", rows, 10);
  return file;
}

test("a PR curve says precision, recall and threshold under the pointer, and what other runs have there", async (t) => {
  const logdir = newLogdir(t);
  writeKnownCurve(logdir, "fp32");
  writeKnownCurve(logdir, "int8", 0.6);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("pr"));
  await page.waitForSelector(".pr-line");
  // Recall 0.75 and precision 0.5: the plot leaves 40, 12, 8 and 34 pixels around its square.
  const box = await page.locator(".pr-plot").boundingBox();
  const [x, y] = [box.x + 40 + 0.75 * (box.width - 52), box.y + 8 + 0.5 * (box.height - 42)];
  await page.mouse.move(x, y + 3);
  const readout = page.locator(".readout.on");
  await readout.waitFor();
  const text = (await readout.innerText()).replace(/\s+/g, " ");
  assert.match(text, /fp32, step 10 precision 0\.5 recall 0\.75 threshold 0\.5 true positives 3 false positives 3 false negatives 1/);
  assert.match(text, /at this threshold precision recall int8 0\.6 0\.75/);
  assert.equal(await page.locator(".pr-point").count(), 2);
  const row = page.locator(".pr-figures tbody tr").first();
  assert.match((await row.innerText()).replace(/\s+/g, " "), /fp32 10 0\.5833 0\.6000 0\.500/); // 1/3·1/4 + 1/2·1/2 + 1·1/4; F1 of (1/2, 3/4).
});

test("PR curves are chosen by step and run, looked at in a part, and restored from their address", async (t) => {
  const { page, at } = await serveMedia(t);
  await visit(page, at("pr"));
  const cats = card(page, "pr/cats");
  await cats.locator(".pr-line").nth(1).waitFor();
  const steps = () => cats.locator(".pr-figures tbody td:nth-child(2)").allInnerTexts();
  assert.deepEqual(await steps(), ["100", "100"]);
  const newest = await cats.locator(".pr-line").first().getAttribute("d");
  await page.locator('input[aria-label="Step of all cards"]').fill("40");
  await page.waitForFunction(() => document.querySelector(".pr-figures tbody td:nth-child(2)")?.textContent === "50");
  assert.notEqual(await cats.locator(".pr-line").first().getAttribute("d"), newest);
  await page.click('.run:has-text("int8") input');
  await page.waitForFunction(() => document.querySelectorAll('.card[aria-label="pr/cats"] .pr-line').length === 1);

  const plot = cats.locator(".pr-plot");
  await pointAt(page, plot, 0.6, 0.1);
  await page.mouse.down();
  await pointAt(page, plot, 0.95, 0.5);
  await page.mouse.up();
  await page.waitForFunction(() => new URL(location.href).searchParams.has("zoom"));
  const [left, right, low, high] = asked(page, "zoom").split("~").map(Number);
  assert.ok(left > 0.4 && left < 0.7 && right > 0.9 && low > 0.3 && low < 0.6 && high > 0.9, asked(page, "zoom"));
  const zoomed = await cats.locator(".pr-line").getAttribute("d");
  await page.reload();
  await cats.locator(".pr-line").waitFor();
  assert.equal(await cats.locator(".pr-line").getAttribute("d"), zoomed);
  assert.deepEqual(await steps(), ["50"]);
  await page.keyboard.press("z");
  await page.waitForFunction(() => !new URL(location.href).searchParams.has("zoom"));
  assert.deepEqual(await barriers(page), []);
});

test("precision that is no number, and curves of nothing, leave the others as they are", async (t) => {
  const logdir = newLogdir(t);
  writeKnownCurve(logdir, "fp32", NaN);
  addPrRows(new EventFile(join(logdir, "wild")), "cats", [[Infinity, NaN], [NaN, NaN], [0, 0], [0, 0], [NaN, Infinity], [NaN, -Infinity]], 3);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("pr"));
  await page.waitForSelector('.pr-line[d^="M"]');
  assert.match(await page.locator(".card .bad").innerText(), /wild.*number of true positives that is NaN/);
  for (const path of await page.locator(".pr-line").evaluateAll((all) => all.map((each) => each.getAttribute("d")))) assert.doesNotMatch(path, /NaN|Infinity/);
});

test("charts are drawn as a layout asks for them, with their margins, and unknown tags are said", async (t) => {
  const { page, at } = await serveMedia(t);
  await visit(page, at("custom"));
  const chart = card(page, "Accuracy and loss");
  await chart.locator("canvas").first().waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.card[aria-label="Accuracy and loss"] .values span[title]').length === 4); // Two tags of two runs.
  const spread = card(page, "Loss with its spread");
  assert.match(await spread.locator(".plot").getAttribute("aria-label"), /eval\/loss between eval\/loss_low and eval\/loss_high/);
  // The last loss of fp32 and its bounds.
  const loss = 1.5 * Math.exp(-98 / 30);
  const short = (value) => value.toPrecision(4).replace(".", "\\.");
  await spread.locator(".values span").first().waitFor();
  assert.match((await spread.locator(".values").innerText()).replace(/\s+/g, " "), new RegExp(`fp32 ?${short(loss)} ${short(loss * 0.8)} to ${short(loss * 1.3)}`));
  assert.match(await card(page, "Perplexity").innerText(), /No tag of the shown runs matches eval\/perplexity/);
  assert.match(await card(page, "Its spread").innerText(), /No shown run has all of the tags eval\/ppl, eval\/ppl_low, eval\/ppl_high/);
  // The margin is a band: between its bounds there is more ink than the line alone.
  const band = await spread.locator("canvas").first().evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let coloured = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0 && Math.abs(data[i] - data[i + 2]) > 12) coloured += 1;
    return coloured / (canvas.width * canvas.height);
  });
  assert.ok(band > 0.02, `${band} of the chart is coloured`);

  await page.click('button.fold:has-text("Not logged")');
  await page.waitForFunction(() => !document.querySelector('.card[aria-label="Perplexity"]'));
  await page.reload();
  await chart.waitFor();
  assert.equal(await card(page, "Perplexity").count(), 0);
  assert.deepEqual(await barriers(page), []);
});

test("a sound plays for as long as it is, at the step that was chosen", async (t) => {
  const { page, at } = await serveMedia(t);
  await visit(page, at("audio"));
  const fp32 = card(page, "voice/sample of media/fp32");
  const player = fp32.locator("audio");
  await player.waitFor();
  const duration = () => player.evaluate(async (audio) => {
    if (audio.readyState < 1) await new Promise((resolve, reject) => { audio.onloadedmetadata = resolve; audio.onerror = () => reject(new Error("cannot be played")); });
    return audio.duration;
  });
  assert.ok(Math.abs((await duration()) - 2) < 0.01, `${await duration()} s`); // 16,000 samples at 8,000 a second.
  await fp32.locator(".waveform path").waitFor();
  assert.match(await fp32.locator(".values").innerText(), /step 100\s*2 s/);
  const source = () => player.getAttribute("src");
  assert.match(await source(), /run=media%2Ffp32&tag=voice%2Fsample&index=2&sample=0/);

  await page.locator('input[aria-label="Step of all cards"]').fill("10");
  await page.waitForFunction(() => [...document.querySelectorAll("audio")].every((audio) => audio.src.includes("index=0")));
  assert.match(await fp32.locator(".values").innerText(), /step 0\s/);
  await fp32.locator('input[aria-label="Step of voice/sample of media/fp32"]').fill("1");
  await page.waitForFunction(() => document.querySelector("audio").src.includes("index=1"));
  assert.match(await card(page, "voice/sample of media/int8").locator("audio").getAttribute("src"), /index=0/); // Moved alone.

  await player.evaluate((audio) => audio.play());
  await page.waitForFunction(() => document.querySelector("audio").currentTime > 0);
  await page.reload();
  await player.waitFor();
  assert.match(await source(), /index=0/); // The step of all cards is in the address.
  assert.deepEqual(await barriers(page), []);
});

test("what is no sound is said to be none, and names are shown as they were written", async (t) => {
  const logdir = newLogdir(t);
  const name = '<b onclick="window.attacked=1">loud</b>';
  const file = new EventFile(join(logdir, "run"));
  addSound(file, `${name} sound`, wav([], 8000));
  addSound(file, "noise", Buffer.from("<script>window.attacked=1</script>"));
  addLayout(file, { [name]: { [name]: [name, "(a+)+$"], bounds: { value: name, lower: "", upper: name } } });
  file.scalar(name, 1);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("audio"));
  assert.equal(await page.locator(".card h3").first().innerText(), `${name} sound`);
  await page.waitForFunction(() => document.querySelectorAll("audio").length === 2);
  await visit(page, at("custom"));
  await page.waitForSelector(".card canvas");
  assert.ok((await page.locator("button.fold:not(.side-toggle)").innerText()).includes(name));
  assert.match(await card(page, "bounds").innerText(), /names no value together with its lower and upper bound/);
  assert.match(await page.locator(".unknown-tags").innerText(), /Nothing matches \(a\+\)\+\$/);
  assert.equal(await page.locator("main b[onclick]").count(), 0);
});
