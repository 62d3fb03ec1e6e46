// The five pictures of TensorBoard's guide to quantization logs, on our pages, for a log of
// StageLogger: the graph at every stage, memory, a node's statistics, histograms with ranges per
// channel, and similarity for 20 samples. Each in the light and in the dark.
//
//   PICTURES=build/pictures node --test tests/stages/page_test.mjs    also takes pictures
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertFitsWidth, barriers, drawn, picture, reads, visit } from "../page/support/browser.mjs";
import { serve, useBrowser } from "../page/support/session.mjs";

useBrowser();

const STAGES = 18;
const WINDOW = { width: 1120, height: 720 };

let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "cboard-stages-"));
  execFileSync(process.env["WRITE_STAGES"] ?? "write_stages", [folder]);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** A test in the light, and the same in the dark. */
function inBothLights(name, body) {
  for (const scheme of ["light", "dark"]) {
    test(`${name}, ${scheme}`, async (t) => {
      const { page, at } = await serve(t, folder, { ...WINDOW, scheme });
      await body(page, at, async (title) => {
        await assertFitsWidth(page);
        await picture(page, `${title}-${scheme}`);
        assert.deepEqual(await barriers(page), []);
      });
    });
  }
}

const stage = (page, name) => page.waitForSelector(`.stages button[title="${name}"][aria-current="step"]`);
const row = (page, name) => page.locator(".pairs tr", { has: page.locator(`th:text-is("${name}")`) }).innerText();

/** Waits until so many points of the picture have the colour of this CSS variable. */
function painted(page, variable, least) {
  return page.waitForFunction(([name, least]) => {
    const canvas = document.querySelector(".graph-canvas > canvas");
    const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
    probe.fillRect(0, 0, 1, 1);
    const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let found = 0;
    for (let i = 0; i < data.length; i += 4) found += data[i] === r && data[i + 1] === g && data[i + 2] === b ? 1 : 0;
    return found >= least;
  }, [variable, least]);
}

/** The names of runs whose last letters are not to be seen. */
function cutOnTheRight(page) {
  return page.locator(".run .cut-name").evaluateAll((names) => names.filter((name) => {
    const range = document.createRange();
    let text = name; // The last text: long names lose their middle, before this part.
    while (text.lastChild) text = text.lastChild;
    range.setStart(text, Math.max(0, text.length - 8));
    range.setEnd(text, text.length);
    const [seen, room] = [range.getBoundingClientRect(), name.getBoundingClientRect()];
    return seen.left < room.left - 1 || seen.right > room.right + 1;
  }).map((name) => name.textContent));
}

inBothLights("every stage has its graph, and the timeline leads from one to the next", async (page, at, look) => {
  await visit(page, at("graph?stage=initial_graph"));
  await stage(page, "initial_graph");
  assert.equal(await page.locator(".stages li button:enabled").count(), STAGES);
  assert.match(await page.locator(".page-bar .note").first().innerText(), /^4 ops$/);
  await page.keyboard.press("]");
  await stage(page, "after_graph_preparation");
  await page.click('.stages button[title="after_quantization"]');
  await stage(page, "after_quantization");
  await page.waitForFunction(() => /→/.test(document.querySelector(".page-bar .note")?.textContent ?? ""));
  await drawn(page);
  const current = page.locator(".stages [aria-current]");
  assert.match(await current.innerText(), /1 histogram/);
  const [box, line] = [await current.boundingBox(), await page.locator(".stages").boundingBox()];
  assert.ok(box.x >= line.x && box.x + box.width <= line.x + line.width, "the stage that is shown is out of sight");
  await look("stages-graph");
});

inBothLights("Resources colour the graph by memory, per node", async (page, at, look) => {
  // Errors, by which a graph is coloured unless somebody chooses, come after the choice.
  let release;
  const chosen = new Promise((resolve) => { release = resolve; });
  await page.route(/\/api\/v1\/compression\/layers\?/, async (route) => {
    await chosen;
    await route.continue();
  });
  await page.goto(at("graph?stage=initial_graph"));
  await page.click('.colour-by button:text-is("Memory")');
  await page.waitForSelector('.colour-by button[aria-pressed="true"]:text-is("Memory")');
  release();
  await page.waitForSelector('.colour-by button:text-is("Error")');
  await drawn(page);
  await reads(page, ".legend", /^0\b.*20\.5 kB$/s);
  await painted(page, "--heat-5", 100); // The colour of the most memory.
  await look("stages-memory");
});

inBothLights("a click on a node shows its statistics", async (page, at, look) => {
  await visit(page, at("graph?stage=after_quantization&node=Net/Conv2d_0/conv1"));
  await page.waitForSelector(".node-name");
  assert.equal(await page.locator(".node-name").innerText(), "Net/Conv2d_0/conv1");
  assert.match(await row(page, "Memory"), /896 B\s+224 B/);
  assert.match(await row(page, "Op"), /Conv2d/);
  assert.match(await row(page, "Bits"), /W8/);
  assert.match(await page.locator(".side").innerText(), /weights_n_bits/);
  await look("stages-node");
});

inBothLights("both histograms of a layer are on one axis, above the ranges of its channels", async (page, at, look) => {
  await visit(page, at("layers?a=thresholds_selection&b=after_quantization&sel=conv1"));
  await page.waitForSelector('section:has-text("Output values")');
  await drawn(page);
  const [a, b] = ["thresholds_selection", "after_quantization"];
  const text = await page.locator('section:has-text("Output values")').last().innerText();
  for (const name of [a, b]) assert.ok(text.includes(name), text);
  const channels = page.locator('section:has-text("Value range of each channel")').last();
  await channels.locator("rect[data-channel]").nth(3).waitFor();
  assert.equal(await channels.locator("rect[data-channel]").count(), 4);
  assert.match(await channels.innerText(), /4 channels; bars show the range from min to max of thresholds selection, ticks the range of after quantization; channel 2 reaches/);
  await channels.locator('rect[data-channel="2"]').click();
  await page.waitForURL((url) => url.searchParams.get("channel") === "2");
  const greatest = await channels.locator('.facts div:has-text("max") dd').innerText();
  assert.match(greatest, /^\S+ → \S+$/);
  for (const side of greatest.split(" → ")) assert.ok(Number(side.replace("−", "-")) > 40, `channel 2 reaches ${greatest}`); // The others end near 4.
  await look("stages-layers");
});

// The header knows the ends of the stages as float and quantized.
inBothLights("without an address, the float stage is compared with the quantized one", async (page, at, look) => {
  await visit(page, at("layers"));
  await page.waitForSelector('.detail h2:text("conv1")');
  const note = page.locator(".page-bar .note").first();
  assert.match(await note.innerText(), /^thresholds_selection against after_quantization: 2 tensors paired, 0 fail, 1 to watch$/);
  const cells = await page.locator(".list tbody tr").first().locator("td").allInnerTexts();
  const heads = await page.locator(".list thead th").allInnerTexts();
  const cell = (head) => cells[heads.indexOf(head)];
  assert.equal(cell("Layer"), "conv1");
  assert.match(cell("SQNR, dB"), /^▲ 1\d\.\d$/); // The number by which it is watched, as it is drawn …
  assert.equal(cell("Figure"), "worst channel"); // … and its name.
  assert.match(cell("Worst ch."), /^\d+: /); // The channel, and its SQNR.
  assert.equal(cell("Worst ch.").replace(/^\d+: /, ""), cell("SQNR, dB").slice(2));
  assert.match(await page.locator(".detail").innerText(), /cosine\s+0\.99\d\d/i);
  assert.equal(cells.at(-1), "unequal channels");
  assert.match(await page.locator(".detail .finding").innerText(), /One scale for unequal channels\. One scale for channels of very different size: channel 2 reaches/);
  await look("stages-worst");
  await page.keyboard.press("x");
  await page.waitForFunction(() => /^after_quantization against thresholds_selection/.test(document.querySelector(".page-bar .note")?.textContent ?? ""));
});

inBothLights("minimum, maximum and mean are scalars whose step is the channel", async (page, at, look) => {
  await visit(page, at("scalars?tag=^conv1$&runs=per_channel"));
  await page.waitForSelector(".card");
  await drawn(page);
  const names = await page.locator(".run .cut-name").allTextContents();
  for (const statistic of ["min", "max", "mean"]) assert.ok(names.some((name) => name.endsWith(`thresholds_selection/${statistic}_per_channel`)), names.join("\n"));
  assert.deepEqual(await cutOnTheRight(page), []); // They differ at the end.
  const plot = page.locator(".card .plot").first();
  await page.waitForFunction(() => /ends at/.test(document.querySelector(".card .plot")?.getAttribute("aria-label") ?? ""));
  assert.match(await plot.getAttribute("aria-label"), /max_per_channel ends at/);
  await look("stages-scalars");
});

inBothLights("similarity is a picture for each of 20 samples", async (page, at, look) => {
  await visit(page, at("images?tag=similarity_distance"));
  await page.waitForFunction(() => document.querySelectorAll(".image-card").length === 20);
  for (const card of await page.locator(".image-card").all()) {
    await card.scrollIntoViewIfNeeded(); // Pictures come when they are near.
    await card.locator("img").evaluate((img) => img.decode());
    assert.ok((await card.locator("img").evaluate((img) => img.naturalWidth)) >= 300);
  }
  const titles = await page.locator(".image-card h3").allInnerTexts();
  assert.deepEqual(titles, Array.from({ length: 20 }, (_, i) => `similarity_distance_sample_${i}`));
  await page.locator(".image-card").first().scrollIntoViewIfNeeded();
  await look("stages-similarity");
});
