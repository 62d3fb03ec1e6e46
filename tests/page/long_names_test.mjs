// Names as scripts make them: all settings, a date and a host, most of it the same in every run. The parts that tell
// the runs apart can be read, and no name covers another element.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { newLogdir } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const SETTINGS = [0.1, 0.01, 0.001].flatMap((lr) => [0, 1, 2, 3].map((seed) => ({ lr, seed })));
const nameOf = ({ lr, seed }) =>
  `imagenet/resnet50/2026-11-${10 + seed}_12-03-44_resnet50_optimizer=sgd,lr=${lr},bs=256,wd=1e-05_seed=${seed}_gpu-node-17.cluster.local`;

function writeRuns(logdir) {
  for (const setting of SETTINGS) {
    const file = new EventFile(join(logdir, nameOf(setting))).hold();
    for (let step = 0; step < 5; step += 1) file.scalar("train/loss", setting.lr + 1 / (1 + step), step);
    for (const layer of ["conv1", "conv2", "fc"]) file.histogram(`${layer}/weight`, Array.from({ length: 200 }, (_, i) => Math.sin(i * (1 + setting.seed))));
    file.flush();
  }
}

test("long names of runs are told apart in the list and below the charts", async (t) => {
  const logdir = newLogdir(t);
  writeRuns(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars"));
  await page.waitForSelector(".values .name");
  const names = await page.locator(".runs .run .cut-name").evaluateAll((all) =>
    all.map((name) => ({ text: name.textContent, title: name.title, over: name.scrollWidth - name.clientWidth, head: name.querySelector(".cut-head") })).map(({ head, ...name }) => name),
  );
  assert.equal(names.length, SETTINGS.length);
  for (const { lr, seed } of SETTINGS) {
    const name = names.find(({ title }) => title === nameOf({ lr, seed }));
    assert.equal(name?.text, `…lr=${lr}…seed=${seed}`);
    assert.ok(name.over <= 1, `${name.text} is cut by ${name.over} pixels`);
  }
  assert.match((await page.locator(".values .name").first().textContent()) ?? "", /^…lr=0\.\d+…seed=\d$/);
});

test("names below a histogram of several runs stay in their card", async (t) => {
  const logdir = newLogdir(t);
  writeRuns(logdir);
  new EventFile(join(logdir, "a-run-whose-name-is-longer-than-a-card-is-wide-and-has-nothing-that-others-have-too")).histogram("conv1/weight", [1, 2, 3]);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("histograms?mode=runs"));
  await page.waitForSelector(".card .values > span");
  const over = await page.locator(".card .values > span").evaluateAll((all) => all.map((name) => name.getBoundingClientRect().right - name.closest(".card").getBoundingClientRect().right));
  assert.ok(over.length >= 3);
  for (const pixels of over) assert.ok(pixels <= 0, `${pixels} pixels beyond the card`);
});

test("event files in the log directory itself are a run with a name", async (t) => {
  const logdir = newLogdir(t);
  new EventFile(logdir).scalar("loss", 0.5, 1);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars"));
  await page.waitForSelector(".runs .run");
  assert.equal(await page.locator(".runs .run .cut-name").innerText(), ". (log directory)");
});

test("words in the columns of a text are whole", async (t) => {
  const logdir = newLogdir(t);
  const long = "one scale for channels of very different size, and a sentence that goes on for much longer than there is room";
  new EventFile(join(logdir, "net")).text("net/compare", `| level | layer | cause | |\n|---|---|---|---|\n| amber | Conv.27 | channel_spread | ${long.repeat(3)} |\n`);
  for (const width of [1280, 390]) {
    const { page, at } = await serve(t, logdir, { width });
    await visit(page, at("text"));
    await page.waitForSelector(".markdown td");
    const lines = await page.locator(".markdown td:not(:has(td))").evaluateAll((cells) =>
      cells.map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      }),
    );
    assert.deepEqual(lines.slice(0, 3), [1, 1, 1], `${width} pixels`);
  }
});

test("the only model is named in the header of every page", async (t) => {
  const logdir = newLogdir(t);
  new EventFile(join(logdir, "net")).scalar("net/metrics/accuracy/fp32", 0.9).scalar("net/metrics/accuracy/int8", 0.8);
  const { page, at } = await serve(t, logdir);
  for (const path of ["overview", "scalars"]) {
    await visit(page, at(path));
    await page.waitForSelector(".pick-pair");
    await page.waitForFunction(() => document.querySelector(".pick-pair").textContent === "net · fp32");
  }
});
