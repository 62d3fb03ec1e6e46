// Runs are directories, and directories are called anything: what is addressed is the run that was
// named, and not what its name would mean in an address.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { visit } from "./support/browser.mjs";
import { EventFile, png } from "./support/event_file.mjs";
import { newLogdir } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const NAMES = ["a%2Fb", "a/b", "a%252Fb", "100%", "%zz", "two words", "hash#1", "what?x=1", "amp&eq=1", "plus+1", `quo"te's`, "comma,a", "back\\slash", "[x]* (y)", "ünï/日本"];
const TAG = "loss/train%2Fval";

/** Every run has a curve, a picture and a text that no other has, and is a trial. */
function writeNames(logdir) {
  NAMES.forEach((name, i) => {
    const file = new EventFile(join(logdir, name)).hold();
    for (let step = 0; step < 3; step += 1) file.scalar(TAG, 10 * i + step, step);
    file.image("picture", i + 1, 2, png(i + 1, 2, () => 128)).text("note", `text ${i}`).histogram("weights", [i, i + 1]);
    file.hparams({ bits: i }).flush();
  });
}

/** Waits until these runs are ticked and no other. */
async function assertTicked(page, names) {
  const ticked = () => page.locator(".runs label.run:has(input:checked) .cut-name").evaluateAll((all) => all.map((name) => name.title));
  await page.waitForSelector(".runs label.run");
  const end = Date.now() + 20_000;
  while (Date.now() < end && String(await ticked()) !== String(names)) await page.waitForTimeout(20);
  assert.deepEqual(await ticked(), names);
}

test("the API and TensorBoard's routes answer about the run that was named", async (t) => {
  const logdir = newLogdir(t);
  writeNames(logdir);
  const { board } = await serve(t, logdir);
  const ask = async (route, query, init) => {
    const answer = await fetch(`${board.address}${route}?${new URLSearchParams(query)}`, init);
    assert.equal(answer.status, 200, `${route} of ${query.run}: ${answer.statusText}`);
    return answer;
  };
  const bytesOf = async (answer) => Buffer.from(await answer.arrayBuffer()).toString("base64");
  assert.deepEqual((await (await ask("api/v1/runs", {})).json()).names.sort(), [...NAMES].sort());
  assert.deepEqual((await (await ask("data/runs", {})).json()).sort(), [...NAMES].sort());
  for (const [i, run] of NAMES.entries()) {
    const values = [0, 1, 2].map((step) => 10 * i + step);
    assert.deepEqual((await (await ask("api/v1/scalars", { run, tag: TAG })).json()).series[0].values, values, run);
    assert.deepEqual((await (await ask("data/plugin/scalars/scalars", { run, tag: TAG })).json()).map((point) => point[2]), values, run);
    const form = { method: "POST", body: new URLSearchParams({ tag: TAG, runs: run }) };
    assert.deepEqual((await (await ask("data/plugin/scalars/scalars_multirun", {}, form)).json())[run].map((point) => point[2]), values, run);
    assert.ok((await (await ask("api/v1/files", { run })).json()).paths[0].includes(run), run);
    assert.match(await (await ask("api/v1/text", { run, tag: "note/text_summary" })).text(), new RegExp(`text ${i}"`), run);
    const picture = await bytesOf(await ask("api/v1/blob", { run, tag: "picture", index: 0, sample: 0 }));
    assert.equal(picture, png(i + 1, 2, () => 128).toString("base64"), run);
    const [{ query }] = await (await ask("data/plugin/images/images", { run, tag: "picture", sample: 0 })).json();
    assert.equal(await bytesOf(await fetch(`${board.address}data/plugin/images/individualImage?${query}`)), picture, run);
  }
});

test("pages show the run that was chosen, also when their address is opened again", async (t) => {
  const logdir = newLogdir(t);
  writeNames(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("scalars"));
  for (const name of NAMES) {
    const row = page.locator(".runs label.run").filter({ has: page.locator(`[title=${JSON.stringify(name)}]`) });
    await row.hover();
    await row.locator(".only").click();
    await assertTicked(page, [name]);
    const { search } = new URL(page.url());
    await visit(page, at(`images${search}`));
    await page.waitForFunction((width) => [...document.querySelectorAll(".image-card img")].map((image) => image.naturalWidth).join() === String(width), NAMES.indexOf(name) + 1);
    await visit(page, at(`text${search}`));
    await page.waitForSelector(`.text-card:has-text("text ${NAMES.indexOf(name)}")`);
    assert.equal(await page.locator(".text-card").count(), 1, name);
    await visit(page, at(`scalars${search}`));
    await assertTicked(page, [name]);
  }
  await page.click('button:text("Show all")');
  for (const box of await page.locator(".runs label.run input").all()) await box.click();
  await visit(page, page.url());
  await assertTicked(page, []);
});

test("a trial leads to the curves of its run", async (t) => {
  const logdir = newLogdir(t);
  writeNames(logdir);
  const { page, at } = await serve(t, logdir);
  for (const name of NAMES) {
    await visit(page, at("hparams"));
    await page.locator(".trials tbody tr").filter({ has: page.locator(`[title=${JSON.stringify(name)}]`) }).click();
    await page.waitForURL(/scalars/);
    await assertTicked(page, [name]);
  }
});
