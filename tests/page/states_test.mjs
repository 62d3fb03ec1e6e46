// Log directories that are empty, missing, damaged or full of something else.
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { reads, visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { newLogdir, writeTraining } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const PAGES = ["overview", "compare", "layers", "graph", "tuning", "hardware", "report", "scalars", "histograms", "hparams", "images", "text", "files", "pr", "custom", "projector", "audio", "mesh"];

test("every page of an empty directory says what it would show", async (t) => {
  const { page, at } = await serve(t, newLogdir(t));
  for (const name of PAGES) {
    await visit(page, at(name));
    assert.ok((await page.locator("main .empty p").allInnerTexts()).join(" ").length > 40, name);
  }
});

test("what an empty page says to log goes into the folder that it follows", async (t) => {
  const logdir = newLogdir(t);
  const { page, at } = await serve(t, logdir);
  for (const name of ["scalars", "histograms", "hparams", "images", "text", "pr", "custom", "projector", "audio", "mesh"]) {
    await visit(page, at(name));
    assert.match(await page.locator("main .empty pre").innerText(), /^from compression_board import SummaryWriter\nwith SummaryWriter\(".+"\) as writer:\n {4}/, name);
    assert.ok((await page.locator("main .empty pre").innerText()).includes(`SummaryWriter("${logdir}/`), name);
  }
});

test("so does what an empty page of models says, in Python and for a shell, though its name has spaces", async (t) => {
  const logdir = newLogdir(t);
  const { page, at } = await serve(t, logdir);
  for (const name of ["overview", "compare", "layers", "graph", "tuning", "hardware", "report", "files"]) {
    await visit(page, at(name));
    const text = await page.locator("main .empty pre").innerText();
    const folders = [...text.matchAll(/--logdir (\S*'[^']*'|\S+)|(?:Writer|Logger)\((".+?")\)/g)].map(([, shell, python]) => shell?.replaceAll("'", "") ?? JSON.parse(python));
    assert.ok(folders.length > 0, `${name}: ${text}`);
    for (const folder of folders) assert.ok(folder === logdir || folder.startsWith(`${logdir}/`), `${name}: ${folder}`);
  }
});

test("a directory that is not there is named", async (t) => {
  const missing = join(newLogdir(t), "not there");
  const { page, at } = await serve(t, missing);
  await visit(page, at(""));
  assert.ok((await page.locator("main").innerText()).includes(missing));
  assert.equal(await page.locator(".damage-note").innerText(), "1 log directory does not exist");
  assert.doesNotMatch(await page.locator("body").innerText(), /damaged|unreadable|cannot read/);
});

test("a directory that is not there among others is missing, not damaged", async (t) => {
  const logdir = newLogdir(t);
  const missing = join(newLogdir(t), "not there");
  new EventFile(join(logdir, "run")).scalar("loss", 1);
  const { page, at, board } = await serve(t, null, { flags: ["--logdir_spec", `a:${logdir},b:${missing}`] });
  await visit(page, at("files"));
  const bar = await page.locator(".page-bar .verdict").innerText();
  assert.equal(bar, "1 log directory does not exist");
  assert.match(await page.locator("main .trouble").innerText(), /not there' does not exist; check its name/);
  assert.doesNotMatch(await page.locator("body").innerText(), /damaged|unreadable|everything could be read/);
  const status = await (await fetch(`${board.address}api/v1/status`)).json();
  assert.deepEqual(status.problems.codes, ["not_found"]);
  assert.equal(status.damaged_runs, 0);
});

test("a damaged file shows what could be read", async (t) => {
  const logdir = newLogdir(t);
  const file = new EventFile(join(logdir, "run"));
  for (let step = 0; step < 20; step += 1) file.scalar("loss", 20 - step, step);
  const bytes = readFileSync(file.path);
  bytes[Math.floor(bytes.length / 2)] ^= 0xff;
  writeFileSync(file.path, bytes);
  appendFileSync(file.path, Buffer.from([9, 0, 0])); // And the last record was torn off.
  new EventFile(join(logdir, "whole")).scalar("other", 1);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars?smooth=0"));
  await page.waitForFunction(() => /loss, 1\d points: run ends at 1/.test(document.querySelector(".plot")?.getAttribute("aria-label") ?? ""));
  await reads(page, ".page-bar", /every point that could be read/); // And not that every point is there.
  assert.match(await page.locator(".run .warn").getAttribute("title"), /of its log could not be read; the rest is shown/);
  await page.click('a:has-text("1 damaged log")');
  await page.waitForSelector('h1:text("Files")');
  await page.click('.files button:has-text("run")');
  await page.waitForSelector(".damage");
  assert.match(await page.locator(".unfolded-row").innerText(), /damaged; the other data is shown[\s\S]*incomplete record[\s\S]*At byte/i);
});

test("curves without a comparison say so, and how to log one", async (t) => {
  const logdir = newLogdir(t);
  writeTraining(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("overview"));
  const text = await page.locator("main").innerText();
  assert.match(text, /contains 3 runs/);
  assert.match(text, /compression-board import/);
});

test("the board opens on the first page that has something, also when that comes later", async (t) => {
  const logdir = newLogdir(t);
  const { page, at } = await serve(t, logdir);
  await visit(page, at(""));
  await page.waitForSelector('h1:text("No comparison was logged yet")');
  writeTraining(logdir);
  await page.waitForURL(at("scalars"));
  await page.waitForSelector('section[aria-label="loss/train"]');
  await visit(page, at(""));
  await page.waitForURL(at("scalars"));
  await page.click(".rail-more");
  await page.click('.rail a:has-text("Overview")'); // A user who opens it stays there.
  await page.waitForSelector('h1:text("No comparison was logged yet")');
  await page.waitForTimeout(600);
  assert.equal(page.url(), at("overview"));
});

test("two files that were compared open where their figures are", async (t) => {
  const logdir = newLogdir(t);
  new EventFile(join(logdir, "net")).scalar("net/performance/model_size_mb/fp32", 4).scalar("net/performance/model_size_mb/int8", 1);
  const { page, at } = await serve(t, logdir);
  await visit(page, at(""));
  await page.waitForURL(at("compare"));
});

test("filters that hide everything offer to be cleared", async (t) => {
  const logdir = newLogdir(t);
  writeTraining(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars?runs=nothing-is-called-this"));
  await page.click('button:text("Clear the filters")');
  await page.waitForSelector('section[aria-label="loss/train"]');
});

test("pages without data wait behind More, and come out when they have some", async (t) => {
  const logdir = newLogdir(t);
  const file = new EventFile(join(logdir, "run")).scalar("loss", 1, 0);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars"));
  await page.waitForSelector(".rail-more");
  const shown = () => page.locator(".rail a:visible").allInnerTexts();
  assert.deepEqual((await shown()).map((text) => text.split("\n")[0]), ["Scalars", "Files"]);
  await page.click(".rail-more");
  await page.click('.rail a:has-text("Images")');
  await page.waitForSelector('h1:text("No images yet")');
  await visit(page, at("scalars"));
  await page.waitForSelector(".rail-more");
  file.text("note", "hello");
  await page.waitForSelector('.rail > a:has-text("Text")');
});

test("an address that no page has leads back", async (t) => {
  const { page, at } = await serve(t, newLogdir(t));
  await visit(page, at("nowhere"));
  await page.click('a:text("Go to the overview")');
  await page.waitForURL(at("overview"));
});
