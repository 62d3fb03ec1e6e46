// One layer: its values as they are told in several ways, over the steps of a training, and by channel.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { assertFitsWidth, barriers, visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { newLogdir, writeComparison, writeLayers } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const values = (scale) => Array.from({ length: 500 }, (_, i) => scale * Math.sin(i));

/** A layer that both variants logged at three steps, and its channels as a comparison logs them. */
function writeLayer(logdir) {
  const file = new EventFile(join(logdir, "net")).hold();
  for (const step of [0, 100, 200]) {
    file.histogram("net/layers/fc/output/fp32", values(1 + step), step).histogram("net/layers/fc/output/int8", values(0.5 + step), step);
  }
  file.flush();
  for (const [variant, scale] of [["fp32", 1], ["int8", 0.5]]) {
    for (const [statistic, sign] of [["min", -1], ["max", 1]]) {
      const channels = new EventFile(join(logdir, "net", variant, `${statistic}_per_channel`)).hold();
      for (let channel = 0; channel < 6; channel += 1) channels.scalar("fc/output", sign * scale * (channel + 1), channel);
      channels.flush();
    }
  }
}

test("values are quantiles against quantiles or a table, and the address says which", async (t) => {
  const logdir = newLogdir(t);
  writeLayer(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("layers?model=net"));
  await page.click('button:text("Q-Q")');
  await page.waitForSelector('[aria-label^="Quantiles of fc, int8 against fp32. Furthest apart"]');
  assert.ok((await page.locator(".qq").count()) > 50);
  await visit(page, page.url());
  await page.waitForSelector(".qq");
  await page.click('.seg button:text("Table")');
  await page.waitForSelector(".bin-table tbody tr");
  assert.deepEqual(await barriers(page), []);
  await page.keyboard.press("l");
  await page.waitForSelector('.seg button[aria-pressed="true"]:text("Log y")');
});

/** SQNR of all channels, and values of channels 1 and 4, as a comparison logs them. */
function writeChannels(logdir) {
  const sqnr = new EventFile(join(logdir, "net", "int8", "sqnr_per_channel")).hold();
  [38.2, -3.1, 40, 200, 12.5, 39].forEach((db, channel) => sqnr.scalar("fc/output", db, channel));
  sqnr.flush();
  for (const [variant, scale] of [["fp32", 1], ["int8", 0.5]]) {
    const file = new EventFile(join(logdir, "net", variant, "histogram_per_channel")).hold();
    for (const channel of [1, 4]) file.histogram("fc/output", values(scale * channel), channel);
    file.flush();
  }
}

const channelFact = (page, name) => page.locator(`.channel-facts div:has(dt:text-is("${name}")) dd`).innerText();

test("a channel has its SQNR and its values in both variants, the worst one first", async (t) => {
  const logdir = newLogdir(t);
  writeLayer(logdir);
  writeChannels(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("layers?model=net"));
  await page.waitForSelector(".channel-facts");
  assert.equal(await channelFact(page, "worst channel"), "1");
  assert.equal(await channelFact(page, "SQNR, accumulated"), "−3.1 dB");
  await page.waitForSelector('[aria-label="Values of channel 1 in fp32 and in int8"] svg');
  await page.click('.hit[data-channel="3"]');
  await page.waitForFunction(() => document.querySelector(".channel-facts dd").textContent === "3");
  assert.equal(await channelFact(page, "SQNR, accumulated"), "exact");
  assert.equal(await page.locator('[aria-label^="Values of channel"]').count(), 0);
  await page.click('button:text-is("4")'); // Named as one that the log has.
  await page.waitForSelector('[aria-label="Values of channel 4 in fp32 and in int8"] svg');
  assert.deepEqual(await barriers(page), []);
});

test("what of channels was not logged is said, with what logs it", async (t) => {
  const logdir = newLogdir(t);
  writeLayer(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("layers?model=net&channel=2"));
  await page.waitForSelector(".channel-facts");
  assert.equal(await channelFact(page, "SQNR, accumulated"), "not logged");
  await page.waitForSelector('p.note:has-text("values of channels were not logged") code:has-text("compression-board compare A B --logdir")');
});

test("a layer without channels is no failure", async (t) => {
  const logdir = newLogdir(t);
  new EventFile(join(logdir, "net")).histogram("net/layers/fc/output/fp32", values(1)).histogram("net/layers/fc/output/int8", values(0.9));
  const { page, at } = await serve(t, logdir);
  const refused = [];
  page.on("response", (response) => { if (response.status() >= 400) refused.push(response.url()); });
  const asked = page.waitForResponse((response) => response.url().includes("compression/channels"));
  await visit(page, at("layers?model=net"));
  assert.deepEqual((await (await asked).json()).stages, []);
  assert.deepEqual(refused, []);
});

test("a layer that was logged over a training is shown at any of its steps", async (t) => {
  const logdir = newLogdir(t);
  writeLayer(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("layers?model=net"));
  await page.waitForSelector('[aria-label*="fp32 from −201 to 201"]');
  const slider = page.locator(".step-slider input");
  await slider.focus();
  await page.keyboard.press("ArrowLeft");
  await page.waitForSelector('[aria-label*="fp32 from −101 to 101"]');
  await page.keyboard.press("Home");
  await page.waitForSelector('[aria-label*="fp32 from −1 to 1"]');
  await visit(page, page.url());
  await page.waitForSelector('[aria-label*="fp32 from −1 to 1, int8 from −0.5 to 0.5"]');
});

test("channels of both variants are drawn over each other, told in a table, and fit a phone", async (t) => {
  const logdir = newLogdir(t);
  writeLayer(logdir);
  const { page, at } = await serve(t, logdir, { width: 390, height: 844 });
  await visit(page, at("layers?model=net"));
  await page.waitForSelector(".range-b");
  assert.equal(await page.locator(".range-a").count(), 6);
  await page.click('[data-channel="5"]', { force: true });
  await page.waitForSelector('.facts dd:text("6 → 3")');
  await page.click('section:has(#channel-title) button:text("Table")');
  assert.match(await page.locator(".bin-table tbody tr").last().innerText(), /5\s+−6\s+6\s+NaN\s+−3\s+3/);
  await assertFitsWidth(page);
});

test("layers are found by a regular expression, and all of them again", async (t) => {
  const logdir = newLogdir(t);
  writeLayers(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("layers?model=resnet18"));
  const rows = page.locator(".list tbody tr");
  const all = await rows.count();
  await page.keyboard.press("f");
  await page.keyboard.type("layer2.*conv1$");
  await page.waitForFunction((most) => document.querySelectorAll(".list tbody tr").length < most, all);
  assert.match(await rows.first().innerText(), /layer2\S*conv1/);
  await visit(page, page.url());
  assert.ok((await rows.count()) < all);
  await page.fill('input[aria-label="Find layers"]', "nothing is called this");
  await page.click('button:has-text("Show all")');
  await page.waitForFunction((most) => document.querySelectorAll(".list tbody tr").length === most, all);
});

test("what was verified stands beside each tensor, and above them the parts that are worth it", async (t) => {
  const logdir = newLogdir(t);
  writeComparison(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("layers?model=net"));
  assert.match(await page.locator(".verified p").innerText(), /^These 3 parts in float bring the end from 5.2 to 17.8 dB: conv2 output and weights, conv1 output$/);
  const heads = await page.locator(".list th").allInnerTexts();
  const column = heads.indexOf("Restored, dB");
  const cells = Object.fromEntries(await page.locator(".list tbody tr").evaluateAll((rows, at) => rows.map((row) => [row.cells[0].textContent, row.cells[at].textContent]), column));
  assert.deepEqual(cells, { "conv2": "+6.8", "conv2 weight": "−0.3", "conv1": "–", "conv1 weight": "–" });
  assert.equal(await page.locator(".verify-hint").count(), 0);
  assert.deepEqual(await barriers(page), []);

  await page.click('[aria-label="Rank by"] button:text("Restored")');
  await page.waitForFunction(() => document.querySelector(".list tbody tr")?.cells[0].textContent === "conv2");
  await page.click('.verified button:text("conv1")');
  await page.waitForSelector('.detail h2:text("conv1")');
  await page.click('.verified button:text("Keep fp32")');
  await page.waitForURL((url) => url.searchParams.get("keep") === "conv2,conv1");
  await page.waitForSelector('.verified button:text("Keep fp32")', { state: "detached" });

  await page.click('.verified button:text("All 6 runs")');
  const rows = await page.locator(".verified-runs tbody tr").allInnerTexts();
  assert.deepEqual(rows.map((row) => row.trim().split(/\t/).slice(1).join(" ").trim()), ["5.2", "12.0 +6.8", "4.9 −0.3", "–", "17.8 +12.6", "exact exact"]);
  assert.match(rows[3], /could not be run: cannot load/);
  assert.deepEqual(await barriers(page), []);
});

test("what was verified fits a phone", async (t) => {
  const logdir = newLogdir(t);
  writeComparison(logdir);
  const { page, at } = await serve(t, logdir, { width: 390, height: 844 });
  await visit(page, at("layers?model=net&runs=1"));
  await page.waitForSelector(".verified-runs");
  await assertFitsWidth(page);
});

test("where nobody verified there is no column, and one line that says how", async (t) => {
  const logdir = newLogdir(t);
  writeComparison(logdir, { verified: false });
  const { page, at } = await serve(t, logdir);
  await visit(page, at("layers?model=net&sel=conv2"));
  const hint = page.locator(".verify-hint");
  assert.match(await hint.innerText(), /compression-board compare A B --verify --logdir /);
  assert.ok((await hint.evaluate((line) => line.scrollWidth - line.clientWidth)) <= 1, "the command is cut");
  assert.equal(await page.locator(".verified").count(), 0);
  assert.ok(!(await page.locator(".list th").allInnerTexts()).includes("Restored, dB"));
  await visit(page, at("layers?model=net&sel=conv1"));
  await page.waitForSelector('.detail h2:text("conv1")');
  assert.equal(await hint.count(), 0);
});

test("what a comparison of files found stands above what figures and histograms suggest", async (t) => {
  const logdir = newLogdir(t);
  const explanation = "one scale for channels of very different size: channel 14 is 46.7 times the usual one";
  writeComparison(logdir, { findings: [
    { layer: "conv1", level: "red", severity_db: 12.8, part: "weight", cause: "channel_spread", explanation },
    { layer: "conv2", level: "green", severity_db: 30, part: "output", cause: "none", explanation: "" },
  ] });
  const { page, at } = await serve(t, logdir);
  await visit(page, at("layers?model=net"));
  const [first] = await page.locator(".list tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.match(first[0], /^conv1( weight)?$/);
  assert.equal(first.at(-1), "unequal channels");
  assert.equal(await page.locator(".detail .finding").innerText(), `✗\nOne scale for unequal channels. In its weight: ${explanation}.`);
  await visit(page, at("layers?model=net&sel=conv2"));
  assert.match(await page.locator(".detail .finding").innerText(), /No damage/);
});

test("the verdict on the outputs stands above the chart, and nothing covers anything", async (t) => {
  const logdir = newLogdir(t);
  const sentence = "Broken: output 'scores': all values became 0; on 20 samples (data.npz).";
  writeComparison(logdir, { findings: [{ layer: "conv1", level: "red", severity_db: 2, part: "output", cause: "channel_spread", explanation: "one scale" }], verdict: { level: "broken", sentence } });
  const { page, at } = await serve(t, logdir);
  for (const width of [1440, 1000]) {
    await page.setViewportSize({ width, height: 900 });
    await visit(page, at("layers?model=net"));
    assert.equal(await page.locator(".outputs-verdict").innerText(), `Outputs ${sentence}`);
    const boxes = await Promise.all([".page-bar", ".outputs-verdict", ".depth", ".verified", ".list"].map((part) => page.locator(part).first().boundingBox()));
    boxes.slice(1).forEach((box, i) => assert.ok(box.y >= boxes[i].y + boxes[i].height - 1, `part ${i + 1} at ${width}`));
  }
});

test("the worst channel is named where its SQNR is given", async (t) => {
  const logdir = newLogdir(t);
  const file = new EventFile(join(logdir, "net")).hold();
  for (const [layer, worst, channel] of [["first", 1.9, 7], ["second", 40, null]]) {
    const tag = (what, variant) => `net/layers/${layer}/${what}/${variant}`;
    file.histogram(tag("output", "fp32"), values(1)).histogram(tag("output", "int8"), values(1));
    file.scalar(tag("sqnr_db", "int8"), 34.5).scalar(tag("worst_channel_sqnr_db", "int8"), worst);
    if (channel !== null) file.scalar(tag("worst_channel", "int8"), channel);
  }
  file.flush();
  const { page, at } = await serve(t, logdir, { width: 1440, height: 900 });
  await visit(page, at("layers?model=net"));
  await page.waitForSelector('.list td[data-column="worst"]');
  assert.deepEqual(await page.locator('.list td[data-column="worst"]').allInnerTexts(), ["7: 1.9", "40.0"]);
  await page.waitForSelector('.detail .facts dt:text-is("SQNR, worst channel 7")');
  await page.click('.list tr:has-text("second")');
  await page.waitForSelector('.detail .facts dt:text-is("worst channel")');
});

test("one number is printed, drawn and leveled; exact and lost layers are named so, on a phone as well", async (t) => {
  const logdir = newLogdir(t);
  const file = new EventFile(join(logdir, "net")).hold();
  for (const [layer, sqnr, worst] of [["whole", 12, 11], ["channel", 34.5, 1.9], ["untouched", 200, 200], ["gone", -200, -200], ["gap", 34.5, -200]]) {
    const tag = (what, variant) => `net/layers/${layer}/${what}/${variant}`;
    file.histogram(tag("output", "fp32"), values(1)).histogram(tag("output", "int8"), values(1));
    file.scalar(tag("sqnr_db", "int8"), sqnr).scalar(tag("worst_channel_sqnr_db", "int8"), worst);
  }
  file.flush();
  const { page, at } = await serve(t, logdir, { width: 390, height: 844 });
  await visit(page, at("layers?model=net"));
  const cells = await page.locator(".list tr").evaluateAll((rows) => rows.map((row) => [...row.cells].filter((cell) => cell.offsetWidth > 0).map((cell) => cell.innerText.trim())));
  assert.deepEqual(cells, [
    ["Layer", "SQNR, dB", "Figure", "Cause"],
    ["gone", "✗ lost", "", "changed"],
    ["gap", "✗ lost", "worst channel", "changed"],
    ["channel", "✗ 1.9", "worst channel", "changed"],
    ["whole", "✗ 12.0", "", "changed"],
    ["untouched", "exact", "", ""],
  ]);
  await assertFitsWidth(page);
  await visit(page, at("layers?model=net&cols=bar")); // The bars are a column that a phone does not show by default.
  const drawn = await page.locator(".list .short[data-db]").evaluateAll((bars) => bars.map((bar) => bar.dataset.db));
  assert.deepEqual(drawn, ["-Infinity", "-Infinity", "1.9", "12", "Infinity"].map((db) => drawn.find((seen) => Math.abs(Number(seen) - Number(db)) < 1e-3 || Number(seen) === Number(db))));
  await visit(page, at("layers?model=net&sel=channel"));
  await page.waitForSelector('.depth-plot [aria-label$="channel has 1.9 dB, worst channel"]');
  assert.ok(!/[-−]\d{3}/.test(await page.locator(".depth-plot").textContent()), "an axis that ends where nothing was measured");
  await visit(page, at("layers?model=net&sel=gone"));
  await page.waitForSelector('.depth-plot [aria-label$="gone has lost"]');
  assert.match(await page.locator(".detail .finding").innerText(), /the signal is lost/i);
});

test("of outputs that fail, the first is blamed and those behind it may be victims", async (t) => {
  const logdir = newLogdir(t);
  for (const [run, scales] of [["baseline_acc_0.97", [1, 1, 1]], ["tune_1_acc_0.2", [1, 0.3, 0.2]]]) {
    const file = new EventFile(join(logdir, "eval", run)).hold();
    ["stem", "conv", "fc"].forEach((layer, i) => file.histogram(`${layer}/Output/${run.startsWith("base") ? "fp32" : "int8"}`, values(scales[i])));
    file.flush();
  }
  const { page, at } = await serve(t, logdir);
  await visit(page, at("layers"));
  const rows = await page.locator(".list tbody tr").evaluateAll((all) => all.map((row) => [row.cells[0].textContent, row.cells[row.cells.length - 1].textContent]));
  assert.deepEqual(rows, [["conv", "wrong scale"], ["fc", "carried over"], ["stem", ""]]);
  assert.match(await page.locator(".detail .finding").innerText(), /the error starts here/);
  await page.keyboard.press("j");
  await page.waitForSelector('.finding:has-text("Error may come from an earlier layer. The first damaged output is that of \'conv\'")');
});
