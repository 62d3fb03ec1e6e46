// Names, notes, tags, colours and the archive state of runs, named views, and the deletion of runs.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { barriers, openWindow, visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { newLogdir } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

function writeRuns(logdir, ...names) {
  for (const name of names) {
    const file = new EventFile(join(logdir, name)).hold();
    for (let step = 0; step < 20; step += 1) file.scalar("loss", 1 / (step + 1), step);
    file.flush();
  }
}

const names = (page) => page.locator(".run .cut-name").allInnerTexts();
const sidecar = (logdir) => JSON.parse(readFileSync(join(logdir, "compression-board.json"), "utf8"));

async function edit(page, run, fill) {
  await page.locator(`.run:has([aria-label="Edit ${run}"])`).hover();
  await page.click(`[aria-label="Edit ${run}"]`);
  await page.waitForSelector("dialog .run-form");
  await fill();
  await page.click('dialog button:has-text("Save")');
  await page.waitForSelector("dialog", { state: "detached" });
}

test("a run is renamed, described, tagged, coloured and archived, for every browser", async (t) => {
  const logdir = newLogdir(t);
  writeRuns(logdir, "a/seed-1", "a/seed-2", "a/seed-3");
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars"));
  const other = await openWindow(page.context().browser());
  await visit(other.page, at("scalars"));
  await edit(page, "a/seed-1", async () => {
    await page.fill('dialog label:has-text("Name") input', "Baseline");
    await page.fill('dialog label:has-text("Tags") input', "good, to publish");
    await page.fill('dialog textarea', "**Best** so far <script>alert(1)</script>");
    await page.click('dialog [aria-label="Colour 6"]');
    assert.deepEqual(await barriers(page), []);
  });
  await page.waitForSelector('.run .cut-name:has-text("Baseline")');
  assert.deepEqual((await names(page)).sort(), ["Baseline", "a/seed-2", "a/seed-3"]);
  assert.deepEqual(await page.locator(".run-tag").allInnerTexts(), ["good", "to publish"]);
  await page.waitForSelector('.values :text("Baseline")'); // The legend of the chart.
  await other.page.waitForSelector('.run .cut-name:has-text("Baseline")'); // Without a reload.
  assert.equal(await other.page.locator('.run:has-text("Baseline") .run-6').count(), 1);
  await other.close();
  assert.equal(sidecar(logdir).runs["a/seed-1"].name[0], "Baseline");

  await page.hover('.run:has-text("Baseline")');
  await page.click('[aria-label="Edit a/seed-1"]');
  await page.waitForSelector("dialog .markdown strong");
  assert.equal(await page.locator("dialog .markdown script").count(), 0);
  await page.keyboard.press("Escape");

  await page.fill('[aria-label="Filter runs"]', "#good");
  await page.waitForFunction(() => document.querySelectorAll(".run").length === 1);
  await page.fill('[aria-label="Filter runs"]', "");
  await edit(page, "a/seed-2", () => page.click('dialog label:has-text("Archived")'));
  await page.waitForFunction(() => document.querySelectorAll(".run").length === 2);
  await page.click('button:has-text("Show 1 archived")');
  await page.waitForFunction(() => document.querySelectorAll(".run").length === 3);
});

test("several runs are tagged at once and keep the tags that they have", async (t) => {
  const logdir = newLogdir(t);
  writeRuns(logdir, "a", "b");
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars"));
  await edit(page, "a", () => page.fill('dialog label:has-text("Tags") input', "mine"));
  await page.click('.runs-head button:has-text("Edit")');
  await page.fill('dialog label:has-text("Add tags") input', "sweep");
  await page.click('dialog button:has-text("Save")');
  await page.waitForSelector("dialog", { state: "detached" });
  const { runs } = sidecar(logdir);
  assert.deepEqual([runs.a.tags[0], runs.b.tags[0]], [["mine", "sweep"], ["sweep"]]);
});

test("named views are stored beside the logs", async (t) => {
  const logdir = newLogdir(t);
  writeRuns(logdir, "a");
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars?smooth=0.9"));
  await page.click(".view-pick > button");
  await page.fill('[aria-label="Name of this view"]', "Smooth");
  await page.click('.views button:has-text("Save")');
  await page.waitForSelector('.view-pick > button:has-text("Smooth")');
  const other = await openWindow(page.context().browser());
  await visit(other.page, at("overview"));
  await other.page.click(".view-pick > button");
  await other.page.click('.open-view:has-text("Smooth")');
  await other.page.waitForURL(/scalars\?smooth=0.9/);
  await other.close();
  assert.equal(sidecar(logdir).views.Smooth.address[0], "scalars?smooth=0.9");
});

test("a server that may not write leaves names to the browser, and says so", async (t) => {
  const logdir = newLogdir(t);
  writeRuns(logdir, "a");
  const { page, at } = await serve(t, logdir, { flags: ["--read-only"] });
  await visit(page, at("scalars"));
  await edit(page, "a", async () => {
    assert.match(await page.innerText("dialog"), /Stored in this browser only: the server was started with --read-only/);
    await page.fill('dialog label:has-text("Name") input', "Mine");
  });
  await page.reload();
  await page.waitForSelector('.run .cut-name:has-text("Mine")');
  assert.ok(!existsSync(join(logdir, "compression-board.json")));
});

test("a run can be edited before its stored name and note have arrived", async (t) => {
  const logdir = newLogdir(t);
  writeRuns(logdir, "a");
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars"));
  await edit(page, "a", async () => {
    await page.fill("dialog textarea", "Keep this note");
  });
  await page.route("**/api/v1/annotations", async (route) => {
    await new Promise((done) => setTimeout(done, 2000));
    await route.continue();
  });
  await page.reload();
  await edit(page, "a", () => page.fill('dialog label:has-text("Name") input', "Late"));
  await page.waitForSelector('.run .cut-name:has-text("Late")');
  const [annotation] = Object.values(sidecar(logdir).runs);
  assert.deepEqual([annotation.name[0], annotation.note[0]], ["Late", "Keep this note"]);
});

test("runs are deleted only where the server allows it", async (t) => {
  const logdir = newLogdir(t);
  writeRuns(logdir, "a", "b");
  const { page, at } = await serve(t, logdir, { flags: ["--allow-delete"] });
  await visit(page, at("scalars"));
  await page.hover('.run:has([aria-label="Edit a"])');
  await page.click('[aria-label="Edit a"]');
  await page.click('dialog button:has-text("Delete this run")');
  await page.click('dialog button.pick:has-text("Delete")');
  await page.waitForSelector("dialog", { state: "detached" });
  await page.waitForFunction(() => document.querySelectorAll(".run").length === 1);
  assert.ok(!existsSync(join(logdir, "a")) && existsSync(join(logdir, "b")));
});
