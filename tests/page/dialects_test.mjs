// Four ways of logging: each fills the pages that its data can fill, and the others say what they miss.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./support/browser.mjs";
import { newLogdir, writeGuide, writeMetrics, writeStages, writeTuning } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const FULL = {
  overview: ".models tbody tr", compare: "#metrics-title", layers: ".list tbody tr", tuning: ".trial", report: "main .report-paper",
  scalars: ".plot canvas", histograms: ".card svg",
};

// Which pages each fills.
const DIALECTS = {
  "the guide's groups of scalars": { write: writeGuide, fills: ["overview", "compare", "report", "scalars"] },
  "the plugin's flat tags": { write: writeMetrics, fills: ["overview", "compare", "report", "scalars"] },
  "directories of a tuning": { write: writeTuning, fills: ["overview", "compare", "layers", "tuning", "report", "histograms"] },
  "the stages of a toolkit": { write: writeStages, fills: ["layers", "scalars", "histograms"] },
};

for (const [name, { write, fills }] of Object.entries(DIALECTS)) {
  test(`${name} fill ${fills.join(", ")}`, async (t) => {
    const logdir = newLogdir(t);
    write(logdir);
    const { page, at } = await serve(t, logdir);
    for (const [path, shows] of Object.entries(FULL)) {
      await visit(page, at(path));
      if (fills.includes(path)) {
        await page.waitForSelector(shows);
        assert.equal(await page.locator("main .empty").count(), 0, path);
      } else {
        assert.ok((await page.locator("main .empty").innerText()).length > 60, `${path} says what it would show`);
      }
    }
  });
}

test("the same figures land in the same cells, whichever way they were logged", async (t) => {
  const seen = [];
  for (const write of [writeGuide, writeMetrics]) {
    const logdir = newLogdir(t);
    write(logdir);
    const { page, at } = await serve(t, logdir);
    await visit(page, at("overview?find=alexnet&cols=model_size_mb,latency_mean_ms"));
    seen.push((await page.locator('.models tr[aria-label="alexnet"]').innerText()).replace(/\s+/g, " "));
  }
  assert.equal(seen[0], seen[1]);
  assert.match(seen[0], /99\.45 ?→ ?99\.45/);
});

test("channels of a stage log stand beside its layers", async (t) => {
  const logdir = newLogdir(t);
  writeStages(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("layers?sel=layer2.0.conv1&channel=17"));
  await page.waitForSelector('section[aria-labelledby="channel-title"] .facts');
});
