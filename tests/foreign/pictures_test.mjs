// Logs by tensorboardX, PyTorch and TensorFlow's writers, opened in the page and compared with what was logged.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { everythingRead, startBoard } from "../page/support/board.mjs";
import { openWindow, picture, reads, startBrowser, visit } from "../page/support/browser.mjs";

const WRITERS = ["tensorboardx", "torch", "tensorflow"];
const SHAPES = ["normal", "laplace", "bimodal", "constant", "relu", "int8"];
const COLUMNS = encodeURIComponent("h:lr,h:layers,h:optimizer,h:augment,m:\taccuracy");
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const python = (...args) => execFileSync(process.env.PYTHON ?? "python3", args, { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });

const logdir = mkdtempSync(join(tmpdir(), "cboard-foreign-"));
let truth, board, browser, window;

before(async () => {
  truth = JSON.parse(python(here("logged.py")));
  for (const writer of WRITERS) python(here(`write_with_${writer}.py`), join(logdir, writer));
  board = await startBoard(logdir);
  await everythingRead(board);
  browser = await startBrowser();
  window = await openWindow(browser);
});
after(async () => {
  await browser?.close();
  await board?.stop();
  rmSync(logdir, { recursive: true, force: true });
  assert.deepEqual(window?.troubles, []);
});

const open = (path) => visit(window.page, board.address + path);
const card = (name) => window.page.locator(`section[aria-label="${name}"]`);
const onlyOf = (writer) => `only=${writer}`;

/** Heights of the bars of a path, in pixels. */
function heights(path) {
  const floor = Number(/^M[-\d.]+ ([-\d.]+)/.exec(path)[1]);
  return [...path.matchAll(/V([-\d.]+)H/g)].map(([, top]) => floor - Number(top));
}

/** The share of `sorted` values at or below x. */
function shareUpTo(sorted, x) {
  let [lo, hi] = [0, sorted.length];
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if (sorted[middle] <= x) lo = middle + 1;
    else hi = middle;
  }
  return lo / sorted.length;
}

/** The greatest distance between the area of bars up to an edge and the share of values up to it. */
function worstArea(bars, from, to, sorted) {
  const total = bars.reduce((sum, bar) => sum + bar, 0);
  let [drawn, worst] = [0, 0];
  bars.forEach((bar, i) => {
    drawn += bar / total;
    const edge = from + ((to - from) * (i + 1)) / bars.length;
    // A value at the edge itself may be drawn on either side of it.
    const near = [edge - 1e-9, edge + 1e-9].map((x) => shareUpTo(sorted, x));
    worst = Math.max(worst, Math.min(...near.map((share) => Math.abs(drawn - share))));
  });
  return worst;
}

// A bin of a tenth of its place holds what it holds anywhere; TensorFlow's thirty are wider still.
const MAX_APART = { tensorboardx: 0.035, torch: 0.035, tensorflow: 0.05 };

// The share of the axis over which the zeros of a ReLU are spread: one bar, or TensorFlow's first bin of thirty.
const ZEROS = { tensorboardx: 1e-3, torch: 1e-3, tensorflow: 1 / 30 };

for (const writer of WRITERS) {
  for (const mode of ["offset", "overlay"]) {
    test(`histograms of ${writer} as ${mode} have the area of the values that were logged`, async () => {
      const { page } = window;
      for (const shape of SHAPES) {
        await open(`histograms?mode=${mode}&tag=${encodeURIComponent(`^values/${shape}$`)}&${onlyOf(writer)}`);
        const chart = card(`values/${shape} of ${writer}`).locator(".plot");
        await chart.locator(".ridge").first().waitFor();
        const [, from, to] = /values from (\S+) to (\S+)$/.exec((await chart.getAttribute("aria-label")).replaceAll("−", "-")).map(Number);
        const paths = await chart.locator(".ridge").evaluateAll((all) => all.map((ridge) => ridge.getAttribute("d")));
        assert.equal(paths.length, truth.steps.length);
        const spikes = await chart.locator(".spike text").allTextContents();
        paths.forEach((path, s) => {
          const bars = heights(path);
          const values = truth.values[truth.steps[s]][shape];
          if (shape === "relu") {
            // The zeros are cut; beside them the picture is that of the positive values.
            assert.equal(bars[0], Math.max(...bars));
            const cut = Math.ceil((bars.length * ZEROS[writer]) - 1e-6);
            const reach = from + ((to - from) * cut) / bars.length;
            assert.ok(worstArea(bars.slice(cut), reach, to, values.filter((value) => value > reach)) < MAX_APART[writer]);
          } else {
            const apart = worstArea(bars, from, to, values);
            assert.ok(apart < MAX_APART[writer], `${shape} at step ${truth.steps[s]} is off by ${apart}`);
          }
        });
        if (shape === "relu") {
          const bars = heights(paths[0]).length;
          const share = shareUpTo(truth.values[truth.steps.at(-1)].relu, ((to - from) * Math.ceil(bars * ZEROS[writer])) / bars) * 100;
          assert.equal(spikes.length, 1);
          assert.ok(Math.abs(Number.parseFloat(spikes[0]) - share) < 2, `${spikes[0]}, logged ${share} %`);
        } else {
          assert.deepEqual(spikes, [], shape);
        }
        await picture(page, `${writer} ${shape} ${mode}`);
      }
    });
  }

  test(`percentiles of ${writer} are those of the values`, async () => {
    for (const shape of SHAPES) {
      await open(`histograms?mode=percentiles&table=1&tag=${encodeURIComponent(`^values/${shape}$`)}&${onlyOf(writer)}`);
      const table = card(`values/${shape} of ${writer}`).locator("tbody tr");
      await table.first().waitFor();
      const cells = (await table.first().locator("td").evaluateAll((all) => all.map((td) => td.title || td.textContent))).map((text) => Number(text.replaceAll("−", "-")));
      assert.equal(cells[0], truth.steps.at(-1));
      const values = truth.values[truth.steps.at(-1)][shape];
      const reach = values.at(-1) - values[0];
      const points = [0, 6.68, 15.87, 30.85, 50, 69.15, 84.13, 93.32, 100];
      points.forEach((point, i) => {
        const expected = values[Math.min(values.length - 1, Math.floor((point / 100) * values.length))];
        assert.ok(Math.abs(cells[i + 1] - expected) <= 0.05 * reach + 1e-6, `${shape}: ${point} % lie below ${cells[i + 1]}, in truth below ${expected}`);
      });
    }
  });

  test(`pictures of ${writer} have the pixels that were logged`, async () => {
    await open(`images?${onlyOf(writer)}`);
    const image = card(`picture of ${writer}`).locator("img");
    await image.waitFor();
    const pixels = await image.evaluate(async (img) => {
      await img.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [img.naturalWidth, img.naturalHeight];
      const context = canvas.getContext("2d");
      context.drawImage(img, 0, 0);
      return { width: canvas.width, height: canvas.height, data: [...context.getImageData(0, 0, canvas.width, canvas.height).data] };
    });
    assert.deepEqual([pixels.width, pixels.height], [24, 16]);
    const expected = truth.picture.flat().flatMap((rgb) => [...rgb, 255]);
    assert.deepEqual(pixels.data, expected);
    const frame = card(`video of ${writer}`).locator("img");
    await frame.scrollIntoViewIfNeeded();
    await frame.evaluate((img) => img.decode());
    assert.deepEqual(await frame.evaluate((img) => [img.naturalWidth, img.naturalHeight]), [12, 8]);
    assert.match(await card(`batch of ${writer}`).locator(".values").innerText(), /step 0/);
  });

  test(`a sound of ${writer} is as long as it was`, async () => {
    await open(`audio?${onlyOf(writer)}`);
    const player = card(`sound of ${writer}`).locator("audio");
    await player.waitFor();
    const seconds = await player.evaluate(async (audio) => {
      if (audio.readyState < 1) await new Promise((resolve, reject) => { audio.onloadedmetadata = resolve; audio.onerror = () => reject(new Error("cannot be played")); });
      return audio.duration;
    });
    assert.ok(Math.abs(seconds - truth.seconds) < 0.01, `${seconds} s`);
    await card(`sound of ${writer}`).locator(".waveform path").waitFor();
  });

  test(`a text of ${writer} is shown as the Markdown that it is`, async () => {
    await open(`text?${onlyOf(writer)}`);
    const text = window.page.locator(".text-card .text-body").first();
    await text.waitFor();
    assert.equal(await text.locator("strong").innerText(), "fp32");
    assert.equal(await text.locator("code").innerText(), "conv1");
    assert.deepEqual((await text.locator("td").allInnerTexts()).slice(-2), ["fc", "8"]); // Lists of texts are a table of their own.
  });

  test(`a mesh of ${writer} opens with all of its parts`, async () => {
    await open(`mesh?${onlyOf(writer)}`);
    await reads(window.page, `section[aria-label="scan of ${writer}"] .values`, new RegExp(`step 0\\s*${truth.vertices} vertices, ${truth.faces} faces`));
    assert.equal(await window.page.locator(".mesh-card").count(), 1);
  });

  test(`a PR curve of ${writer} has the average precision of its scores`, async () => {
    await open(`pr?${onlyOf(writer)}`);
    const row = card("curve").locator(".pr-figures tbody tr").first();
    await row.waitFor();
    const { labels, scores } = truth.curve;
    // Steps of recall, each with the precision at it.
    const order = [...scores.keys()].sort((p, q) => scores[q] - scores[p]);
    let [found, average] = [0, 0];
    order.forEach((i, rank) => {
      if (labels[i] !== 1) return;
      found += 1;
      average += found / (rank + 1) / labels.filter((label) => label === 1).length;
    });
    const shown = Number((await row.locator("td").allInnerTexts())[2]);
    assert.ok(Math.abs(shown - average) < 0.01, `${shown}, in truth ${average}`);
  });

  test(`an embedding of ${writer} has NumPy's components`, async () => {
    await open("projector");
    const { page } = window;
    const name = await page.evaluate(async () => {
      const answer = await (await fetch("api/v1/embeddings")).json();
      return answer.runs.map((run, i) => `${run} ${answer.names[i]}`);
    });
    const own = name.find((each) => each.startsWith(`${writer} `));
    assert.ok(own, name.join());
    await open(`projector?tensor=${encodeURIComponent(own)}&flat=1`);
    const shares = truth.shares.map((share) => share.toFixed(1)).join(", ");
    await reads(page, ".page-bar .note", new RegExp(`60 rows of 6 numbers, .* hold ${shares} % of the variance`));
    await reads(page, ".projector", /60 points|point/);
  });

  test(`custom scalars of ${writer} show the curves that their layout names`, async () => {
    await open(`custom?${onlyOf(writer)}`);
    const chart = card("both");
    await chart.locator(".values span[title]").nth(1).waitFor();
    const text = (await chart.locator(".values").innerText()).replace(/\s+/g, " ");
    const last = truth.losses[truth.steps.at(-1)];
    for (const value of Object.values(last)) assert.ok(text.includes(String(Number(value.toPrecision(4))).slice(0, 6)), `${text} lacks ${value}`);
  });

  test(`hyperparameters of ${writer} are those of the trial`, async () => {
    // TensorFlow names a trial by its group. PyTorch writes a boolean as the number 1.
    const expected = { ...truth.hparams, ...truth.metrics, ...(writer === "torch" ? { augment: 1 } : {}) };
    await open(`hparams?cols=${COLUMNS}`);
    const row = window.page.locator(`.trials tr[aria-label="${writer === "tensorflow" ? "trial" : `${writer}/trial`}"]`);
    await row.waitFor();
    const cells = await row.locator("td").allInnerTexts();
    const heads = await window.page.locator(".trials th").allInnerTexts();
    for (const [name, value] of Object.entries(expected)) {
      const at = heads.findIndex((head) => head.trim().startsWith(name));
      assert.ok(at >= 0, `${name} is not among ${heads.join()}`);
      const cell = cells.at(at - heads.length).trim();
      assert.equal(typeof value === "number" ? Number(cell) : cell, typeof value === "number" ? value : String(value), name);
    }
  });

  test(`a graph of ${writer} opens`, async () => {
    await open(`graph?run=${writer}`);
    await reads(window.page, ".page-bar .note", /\d+ ops?/);
  });
}

test("TensorFlow 1's open ends do not stretch the axis", async () => {
  for (const shape of SHAPES) {
    await open(`histograms?mode=overlay&tag=${encodeURIComponent(`^values1/${shape}$`)}`);
    const chart = card(`values1/${shape} of tensorflow`).locator(".plot");
    await chart.locator(".ridge").first().waitFor();
    const label = (await chart.getAttribute("aria-label")).replaceAll("−", "-");
    const [, from, to] = /values from (\S+) to (\S+)$/.exec(label).map(Number);
    const all = truth.steps.flatMap((step) => [truth.values[step][shape][0], truth.values[step][shape].at(-1)]);
    if (shape === "constant") continue;
    assert.ok(Math.abs(from - Math.min(...all)) < 0.01 && Math.abs(to - Math.max(...all)) < 0.01, label);
  }
});

test("runs on one axis have the area of the values that were logged", async () => {
  for (const shape of SHAPES.filter((each) => each !== "relu")) {
    await open(`histograms?mode=runs&tag=${encodeURIComponent(`^values/${shape}$`)}`);
    const chart = card(`values/${shape}`).locator(".plot");
    await chart.locator(".bars").nth(2).waitFor();
    const paths = await chart.locator(".bars").evaluateAll((all) => all.map((path) => path.getAttribute("d")));
    const answer = await (await fetch(`${board.address}api/v1/histograms/overlay`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ series: WRITERS.map((writer) => [writer, `values/${shape}`, null]) }) })).json();
    const [from, to] = [answer.edges[0], answer.edges.at(-1)];
    for (const path of paths) assert.ok(worstArea(heights(path), from, to, truth.values[truth.steps.at(-1)][shape]) < 0.05, shape);
  }
});
