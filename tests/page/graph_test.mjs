// The graph page: open, expand, search, select, compare, share; for everybody, and against everybody.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { assertFitsWidth, barriers, reads, visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { addGraph, largeNetwork, writeGraphs, writeGraphStages } from "./support/graph_logs.mjs";
import { ATTACK, newLogdir, WORST_LAYER, writeLayers, writeMetrics } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const WORST_NODE = "layer2/0/conv1/Conv";

function writeAll(logdir) {
  writeMetrics(logdir);
  writeLayers(logdir);
  writeGraphs(logdir);
}

const picture = (page) => page.locator(".graph-canvas > canvas");
const summary = async (page) => (await picture(page).getAttribute("aria-label")) ?? "";
const asked = (page, key) => new URL(page.url()).searchParams.get(key);
const selected = (page) => page.locator(".node-name").innerText();

/** Whether anything but the background was painted in each half of the picture. */
async function inked(page) {
  return picture(page).evaluate((canvas) => {
    const context = canvas.getContext("2d");
    const { width, height } = canvas;
    return [0, 1].map((half) => {
      const { data } = context.getImageData((half * width) / 2, 0, Math.floor(width / 2), height);
      const colours = new Set();
      for (let i = 0; i < data.length; i += 4) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      return colours.size;
    });
  });
}

test("two variants stand side by side, and the worst layer is selected", async (t) => {
  const logdir = newLogdir(t);
  writeAll(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("graph?model=resnet18"));
  await page.waitForSelector(".node-name");
  assert.equal(await selected(page), WORST_NODE);
  assert.match(await page.locator(".page-bar .note").first().innerText(), /^70 ops → 35 ops$/);
  const differences = await page.locator(".side").innerText();
  assert.match(differences, /20 BatchNormalization fused into QLinearConv/);
  assert.match(differences, /20 Conv became QLinearConv/);
  assert.match(differences, /QLinearConv/);
  await reads(page, ".side", new RegExp(`${WORST_LAYER}: 14.0 dB`));
  const end = Date.now() + 10_000;
  while (Date.now() < end && Math.min(...(await inked(page))) <= 20) await page.waitForTimeout(50);
  for (const colours of await inked(page)) assert.ok(colours > 20, `${colours} colours`);
});

test("what changed in operations that stayed is said, and what is noted about them counts", async (t) => {
  const logdir = newLogdir(t);
  const network = (notes) => [{ name: "x", op: "Placeholder" }, { name: "net/conv", op: "Conv2d", inputs: ["x"], attributes: { kernel: 3 } }, ...notes, { name: "net/relu", op: "Relu", inputs: ["net/conv"] }];
  addGraph(new EventFile(join(logdir, "net", "fp32")), network([]));
  addGraph(new EventFile(join(logdir, "net", "int8")), network([{ name: "net/conv.weights", attributes: { weights_n_bits: 8, scale: "0.013" } }]));
  const { page, at } = await serve(t, logdir);
  await visit(page, at("graph?model=net&a=fp32&b=int8&node=net%2Fconv"));
  await page.waitForSelector('h3:text("Changes")');
  const panel = await page.locator(".side").innerText();
  assert.match(panel, /1 Conv2d changed weights scale, weights_n_bits/);
  assert.match(panel, /weights scale\s+– → 0\.013/);
  const heads = await page.locator(".pairs thead th").evaluateAll((all) => all.map((th) => [th.getBoundingClientRect().left, th.getBoundingClientRect().right, th.scrollWidth <= th.clientWidth]));
  assert.ok(heads[0][1] <= heads[1][0] && heads.every(([, , fits]) => fits), JSON.stringify(heads));
});

test("a layer keeps its name when what follows is fused into it, in stages and in traces", async (t) => {
  const logdir = newLogdir(t);
  writeMetrics(logdir); // Other models have fp32 and int8; a tuning has neither.
  const chain = (...nodes) => nodes.map(([name, op], i) => ({ name, op, device: op, inputs: i === 0 ? [] : [nodes[i - 1][0]] }));
  const stage = (name) => new EventFile(join(logdir, "net", "tensorboard_logs", name));
  addGraph(stage("initial_graph"), chain(["Input/x", "Placeholder"], ["Net/Conv2d_0/conv1", "Conv2d"], ["Net/BatchNorm2d_0/bn1", "BatchNorm2d"], ["Net/relu_0/relu", "relu"], ["Output/fc", "Linear"]));
  addGraph(stage("after_quantization"), chain(["Input/x", "Placeholder"], ["Net/ConvReLU2d_0/conv1", "ConvReLU2d"], ["Net/Linear_0/fc", "Linear"], ["Output/dequantize", "dequantize"]));
  const trial = (name, accuracy) => new EventFile(join(logdir, "eval", `${name}_acc_${accuracy}`)).scalar("accuracy", accuracy, 0);
  addGraph(trial("baseline", 0.9), chain(["input/x.1", "IO Node"], ["Net/Conv2d[conv1]/_convolution", "aten::_convolution"], ["Net/ReLU[relu1]/relu", "aten::relu"], ["output/8", "IO Node"]));
  addGraph(trial("tune_1", 0.1), chain(["input/x", "IO Node"], ["GraphModule/quantize", "aten::quantize_per_tensor"], ["GraphModule/ConvReLU2d[conv1]/conv2d_relu", "quantized::conv2d_relu"], ["output/19", "IO Node"]));
  const { page, at } = await serve(t, logdir);
  const differences = async () => (await page.locator(".diff.whole li").allInnerTexts()).map((line) => line.replace(/\s+/g, " "));

  await visit(page, at("graph?stage=after_quantization"));
  await page.waitForSelector(".diff.whole");
  assert.deepEqual(await differences(), ["−1 BatchNorm2d fused into ConvReLU2d", "−1 relu fused into ConvReLU2d", "+1 dequantize added", "~1 Conv2d became ConvReLU2d"]);
  assert.equal(await page.locator('.colour-by button:text-is("Device")').count(), 0, "operations are no devices");

  await visit(page, at("graph?model=eval"));
  await page.waitForSelector(".diff.whole");
  assert.deepEqual(await page.locator(".pair .pick").evaluateAll((picks) => picks.map((pick) => pick.getAttribute("aria-label"))), ["A: eval · baseline", "B: eval · tune_1"]);
  assert.deepEqual(await differences(), ["−1 aten::relu fused into quantized::conv2d_relu", "+1 aten::quantize_per_tensor added", "~1 aten::_convolution became quantized::conv2d_relu"]);
});

test("groups open and close by mouse and by key, and the address remembers", async (t) => {
  const logdir = newLogdir(t);
  writeAll(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("graph?model=resnet18&open=-&node=layer2&table=1"));
  const rows = page.locator(".box-row");
  const closed = await rows.count();
  await page.click('button[aria-label="Open layer2"]');
  await page.waitForFunction((n) => document.querySelectorAll(".box-row").length > n, closed);
  assert.equal(asked(page, "open"), "layer2");
  await page.keyboard.press("c");
  await page.waitForFunction((n) => document.querySelectorAll(".box-row").length === n, closed);
  await page.keyboard.press("e");
  await page.waitForFunction((n) => document.querySelectorAll(".box-row").length > n, closed);
  await page.click('.page-bar button:text("Picture")');
  await page.waitForSelector(".graph-canvas");
  assert.match(await summary(page), /layer2 is selected/);
});

test("a click on a group's arrow opens it where it is", async (t) => {
  const logdir = newLogdir(t);
  const file = new EventFile(join(logdir, "run"));
  addGraph(file, [{ name: "x", op: "Placeholder" }, { name: "g/a", op: "Conv", inputs: ["x"] }, { name: "g/b", op: "Relu", inputs: ["g/a"] }]);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("graph?open=-&at=0,0,1"));
  const box = await picture(page).boundingBox();
  await page.mouse.click(box.x + 14, box.y + 22 + 12 + 11); // Below x comes g, its arrow at the left.
  await page.waitForURL((url) => url.searchParams.get("open") === "g");
  await page.mouse.click(box.x + 92, box.y + 11);
  await page.waitForURL((url) => url.searchParams.get("node") === "x");
});

test("search finds a node inside closed groups and goes there", async (t) => {
  const logdir = newLogdir(t);
  writeAll(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("graph?model=resnet18&open=-"));
  await page.waitForSelector(".find-open");
  await page.keyboard.press("f");
  await page.keyboard.type("layer4/1/.*2/conv");
  await page.waitForSelector('.find [role="status"]:text("1 found")');
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".node-name")?.textContent === "layer4/1/conv2/Conv");
  assert.ok(asked(page, "open").split(",").includes("layer4/1"));
  assert.match(await summary(page), /layer4\/1\/conv2\/Conv is selected/);
  await page.fill(".find input", "[");
  await page.waitForFunction(() => /missing|closing|\]/.test(document.querySelector('.find [role="status"]')?.textContent ?? ""));
});

test("arrows walk along lines, t traces, escape lets go", async (t) => {
  const logdir = newLogdir(t);
  writeAll(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("graph?model=resnet18&node=input"));
  await page.waitForSelector(".node-name");
  const press = async (key, node) => {
    await page.keyboard.press(key);
    await page.waitForFunction((name) => document.querySelector(".node-name")?.textContent === name, node);
  };
  await picture(page).focus();
  await press("ArrowDown", "conv1/Conv"); // Nodes that only quantize are part of the input,
  await press("ArrowUp", "input");
  assert.match(await page.locator(".quantization").innerText(), /quantize/i);
  await page.click('button:text("Unfold Q/DQ")'); // unless one wants to see it.
  await page.waitForSelector('button:text("Fold Q/DQ")');
  await picture(page).focus();
  await press("ArrowDown", "quantize");
  await press("ArrowDown", "conv1/Conv");
  await press("ArrowUp", "quantize");
  await page.keyboard.press("t");
  await page.waitForURL((url) => url.searchParams.get("trace") === "quantize");
  await page.waitForSelector('.links button[aria-pressed="true"]:text("Trace inputs")');
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => !url.searchParams.has("trace"));
  assert.equal(await page.locator(".node-name").count(), 0);
});

test("a link brings back panes, colour, selection and place", async (t) => {
  const logdir = newLogdir(t);
  writeAll(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("graph?model=resnet18&pane=b&color=bits&node=fc%2FGemm&open=layer3&at=10,20,0.9"));
  await page.waitForSelector(".node-name");
  assert.equal(await selected(page), "fc/Gemm");
  assert.equal(await page.locator('[aria-label="Colour by"] [aria-pressed="true"]').innerText(), "Bits");
  assert.equal(await page.locator('[aria-label="Panes"] [aria-pressed="true"]').innerText(), "B");
  assert.equal(asked(page, "at"), "10,20,0.9");
  assert.match(await page.locator(".pairs").innerText(), /W32[\s\S]*W8/);
});

test("stages are a line of dots, and brackets step through them", async (t) => {
  const logdir = newLogdir(t);
  writeGraphStages(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("graph"));
  const current = () => page.locator('.stages [aria-current="step"]').getAttribute("title");
  await page.waitForSelector(".stages [aria-current]");
  assert.equal(await current(), "after_gptq");
  await page.keyboard.press("[");
  await page.waitForSelector('.stages button[title="thresholds_selection"][aria-current="step"]');
  assert.equal(asked(page, "stage"), "thresholds_selection");
  await page.click('.stages button[title="initial_graph"]');
  await page.waitForFunction(() => document.querySelector(".page-bar .note")?.textContent === "70 ops");
  assert.match(await page.locator("#memory-title").locator("..").innerText(), /Running memory/);
});

test("stages play one after the other, and stop at the last", async (t) => {
  const logdir = newLogdir(t);
  writeGraphStages(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("graph?stage=thresholds_selection"));
  const shown = page.locator(".stages [aria-current]");
  assert.match(await shown.innerText(), /Thresholds/);
  await page.click('button[aria-label="Play the stages"]');
  await page.waitForFunction(() => /GPTQ/.test(document.querySelector(".stages [aria-current]")?.textContent ?? ""));
  await page.waitForSelector('button[aria-label="Play the stages"][aria-pressed="false"]');
  assert.equal(asked(page, "play"), null);

  await page.click('button[aria-label="Play the stages"]'); // From the end, it begins again.
  await page.waitForFunction(() => /Float graph/.test(document.querySelector(".stages [aria-current]")?.textContent ?? ""));
  await page.click('button[aria-label="Stop"]');
  assert.equal(asked(page, "play"), null);

  await visit(page, at("graph?stage=gone&play=1")); // A missing stage falls back to the last one, so playing is over.
  await page.waitForSelector('button[aria-label="Play the stages"][aria-pressed="false"]');
});

test("from a layer to its node, wherever the groups are closed", async (t) => {
  const logdir = newLogdir(t);
  writeAll(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("layers?model=resnet18&sel=layer4.1.conv2"));
  await page.click('.detail a:text-is("Graph")');
  await page.waitForSelector(".node-name");
  assert.equal(asked(page, "layer"), "layer4.1.conv2");
  await page.waitForFunction(() => document.querySelector(".node-name")?.textContent === "layer4/1/conv2/Conv");
});

test("a graph that is logged while the page is open appears", async (t) => {
  const logdir = newLogdir(t);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("graph"));
  await page.waitForSelector('h1:text("No graph was logged yet")');
  assert.match(await page.locator("main pre").innerText(), /add_graph/);
  addGraph(new EventFile(join(logdir, "run")), [{ name: "x", op: "Placeholder" }, { name: "y", op: "Relu", inputs: ["x"] }]);
  await page.waitForSelector(".graph-canvas canvas");
  assert.match(await summary(page), /2 operations/);
});

test("a damaged graph says so", async (t) => {
  const logdir = newLogdir(t);
  new EventFile(join(logdir, "run")).event(0, Buffer.from([0x22, 0x02, 0x0a, 0x05]));
  const { page, at } = await serve(t, logdir);
  await page.goto(at("graph"));
  await page.waitForSelector('.trouble:has-text("run \'run\'")');
});

test("names that try to be script are only names", async (t) => {
  const logdir = newLogdir(t);
  const file = new EventFile(join(logdir, "<img src=x onerror=window.attacked=1>"));
  const name = ATTACK.replaceAll("/", "");
  addGraph(file, [
    { name, op: ATTACK, device: ATTACK, attributes: { [ATTACK]: ATTACK } },
    { name: `${name}/${name}`, op: "javascript:window.attacked=1", inputs: [name] },
    { name: "\u202egnihtyreve\u0000\n", op: "", inputs: [name, "nowhere"] },
  ]);
  const { page, at } = await serve(t, logdir);
  for (const query of ["", "?table=1", `?node=${encodeURIComponent(name)}`, `?find=${encodeURIComponent("img")}`, `?open=${encodeURIComponent(ATTACK)}&color=${encodeURIComponent(ATTACK)}&at=x&trace=`]) {
    await visit(page, at(`graph${query}`));
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => window.attacked), undefined, query);
    assert.equal(await page.locator("main script, main img, main [onerror]").count(), 0, query);
  }
  await visit(page, at(`graph?node=${encodeURIComponent(`${name}/(${name})`)}`));
  await page.waitForSelector(".attributes");
  assert.ok((await page.locator(".side").innerText()).includes(ATTACK));
});

test("five thousand nodes open at once and can be moved", async (t) => {
  const logdir = newLogdir(t);
  const file = new EventFile(join(logdir, "large"));
  addGraph(file, largeNetwork(5000));
  const { page, at } = await serve(t, logdir);
  await visit(page, at("graph"));
  assert.match(await summary(page), /5,000 operations/);
  await page.keyboard.press("Shift+Z");
  await page.waitForURL((url) => url.searchParams.has("at"));
  const box = await picture(page).boundingBox();
  await page.mouse.move(box.x + 300, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 400, box.y + 260, { steps: 5 });
  const before = asked(page, "at");
  await page.mouse.up();
  await page.waitForURL((url) => url.searchParams.get("at") !== before);
});

for (const scheme of ["light", "dark"]) {
  test(`axe finds no serious barrier, ${scheme}`, async (t) => {
    const logdir = newLogdir(t);
    writeAll(logdir);
    writeGraphStages(logdir);
    const { page, at } = await serve(t, logdir, { scheme });
    for (const query of [`?model=resnet18&node=${WORST_NODE}`, "?model=mct&color=memory&trace=fc%2FGemm&node=fc%2FGemm", "?table=1", "?find=conv"]) {
      await visit(page, at(`graph${query}`));
      await page.waitForSelector(".side");
      assert.deepEqual(await barriers(page), [], query);
    }
  });
}

test("a telephone shows one variant and scrolls nowhere sideways", async (t) => {
  const logdir = newLogdir(t);
  writeAll(logdir);
  writeGraphStages(logdir);
  const { page, at } = await serve(t, logdir, { width: 390, height: 844 });
  for (const query of ["?model=resnet18", "?model=mct", "?table=1"]) {
    await visit(page, at(`graph${query}`));
    await page.waitForSelector(".side");
    await assertFitsWidth(page);
  }
  await visit(page, at("graph?model=resnet18"));
  assert.equal(await page.locator(".pane-title").count(), 1);
});
