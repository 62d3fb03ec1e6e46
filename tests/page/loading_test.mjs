// The page while it loads, and the requests that it sends until it is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, visit } from "./support/browser.mjs";
import { newLogdir, writeEverything, writeTraining } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

// Runs in the page: the frame of a document, from the build or from the script.
function frameOf() {
  const parts = (of) => [...of.querySelectorAll(".brand, .rail, .rail > *")].map((part) => ({
    tag: part.tagName, class: part.className, title: part.title, label: part.getAttribute("aria-label"), text: part.textContent,
    leadsTo: part.getAttribute("href")?.split("/").at(-1), here: part.getAttribute("aria-current"), icon: part.querySelector("path")?.getAttribute("d"),
  }));
  return fetch(window.location.href, { headers: { Accept: "text/html" } }).then((answer) => answer.text()).then((html) => ({ sent: parts(new DOMParser().parseFromString(html, "text/html")), drawn: parts(document) }));
}

test("the frame that comes with the document is the one that its script draws", async (t) => {
  const logdir = newLogdir(t);
  writeTraining(logdir);
  const { page, at } = await serve(t, logdir);
  await page.route("**/api/v1/contents", (route) => route.abort()); // It folds empty pages away, later.
  for (const path of ["", "scalars", "graph", "nowhere"]) {
    await page.goto(at(path));
    await page.waitForSelector("main h1");
    await page.waitForSelector(".rail:not(.waiting)");
    const { sent, drawn } = await page.evaluate(frameOf);
    assert.ok(sent.length > 10);
    assert.deepEqual(sent, drawn, path);
  }
});

test("the frame is there before any script, in the chosen theme, and its links lead on", async (t) => {
  const logdir = newLogdir(t);
  writeTraining(logdir);
  const { page, at } = await serve(t, logdir, { scheme: "light" });
  await visit(page, at("scalars"));
  await page.keyboard.press("d"); // Light.
  await page.keyboard.press("d"); // Dark.
  const paper = () => page.evaluate(() => getComputedStyle(document.querySelector("#app")).backgroundColor);
  const dark = await paper();
  await page.waitForSelector(".rail:not(.waiting)"); // Which pages are empty is remembered now.
  await page.route("**/assets/*.js", (route) => route.abort());
  await page.goto(at("scalars"));
  assert.equal(await page.locator(".rail a[aria-current] span").innerText(), "Scalars");
  assert.equal(await paper(), dark);
  assert.equal(await page.locator("main > *").count(), 0);
  await page.unroute("**/assets/*.js");
  await page.click('.rail a:has-text("Text")');
  await page.waitForSelector('h1:text("Text")');
});

// Counted by the server: what a link has sent for and a script then asks for is one request.
async function questionsTo(board) {
  const metrics = await (await fetch(`${board.address}metrics`)).text();
  return [...metrics.matchAll(/^cboard_http_requests_total\{route="api",status="\d+"\} (\d+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}

test("a page asks every question once", async (t) => {
  const logdir = newLogdir(t);
  writeEverything(logdir);
  const { page, at, board } = await serve(t, logdir);
  // Every page requests the state of the board, the table, the list of empty pages and the annotations.
  // Overview also requests the verdicts and the Pareto front, Scalars the tags and the last values, and each card its curves.
  for (const [path, shows, own] of [["overview", ".models", 2], ["scalars?runs=seed&tag=loss", ".plot canvas", 2], ["files", ".files tbody tr", 1]]) {
    const before = await questionsTo(board);
    await visit(page, at(path));
    await page.waitForSelector(shows);
    await answered(page);
    const cards = await page.locator(".plot canvas:not(.overlay)").count();
    assert.equal((await questionsTo(board)) - before, 4 + own + cards, path);
  }
});

test("links do not move while one looks at them, on the first visit and on later ones", async (t) => {
  const logdir = newLogdir(t);
  writeTraining(logdir); // Most pages are empty and folded away.
  const { page, at } = await serve(t, logdir);
  await page.addInitScript(() => {
    window.moved = 0;
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.moved += entry.value; }).observe({ type: "layout-shift", buffered: true });
  });
  for (const visited of ["first", "second"]) {
    await visit(page, at("scalars"));
    await page.waitForSelector(".rail-more");
    await page.waitForTimeout(600); // Whatever comes late has come.
    assert.ok((await page.evaluate(() => window.moved)) < 0.02, `${visited} visit: ${await page.evaluate(() => window.moved)}`);
  }
});
