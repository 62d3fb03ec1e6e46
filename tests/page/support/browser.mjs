// A real browser that opens pages and remembers whatever went wrong in them.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../../ui/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const AXE = require.resolve("axe-core/axe.min.js");

export async function startBrowser(...flags) {
  return chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", ...flags],
  });
}

/**
 * A fresh window: nothing is remembered from the one before. `slowdown` 6 is a machine six times as
 * slow, on which keys come faster than the page draws. `troubles` collects uncaught errors,
 * failed requests, what the content security policy refused, and every request that leaves the board.
 */
export async function openWindow(browser, { width = 1440, height = 900, scheme = "light", slowdown = 1 } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000 * slowdown);
  if (slowdown > 1) await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  followQuestions(page);
  await answerLate(page);
  const troubles = [];
  page.on("pageerror", (error) => troubles.push(`uncaught: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) troubles.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol !== "blob:" && hostname !== "127.0.0.1") troubles.push(`asked elsewhere: ${request.url()}`);
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => console.error(`policy refused ${event.violatedDirective}: ${event.blockedURI}`));
  });
  return { page, troubles, close: () => context.close() };
}

/**
 * With LATE=500 every answer of the board comes up to half a second late, each by another time: a test
 * that looks before the page has what it needs fails now, not on the one machine in fifty that is busy.
 */
async function answerLate(page) {
  const most = Number(process.env["LATE"] ?? 0);
  if (most === 0) return;
  await page.route(/\/(api|data|experiment)\//, async (route) => {
    await new Promise((done) => setTimeout(done, Math.random() * most));
    await route.continue().catch(() => {}); // The page may have gone on meanwhile.
  });
}

const questions = new WeakMap(); // The requests of each page that have no response yet.

function followQuestions(page) {
  const open = new Set();
  questions.set(page, open);
  page.on("request", (request) => {
    if (/\/api\/v1\/(?!events)/.test(request.url())) open.add(request);
  });
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (request) => open.delete(request));
}

/** Waits until the page has had its answers for a while, and asked nothing else. */
export async function answered(page) {
  for (let quiet = 0; quiet < 300; quiet = questions.get(page).size === 0 ? quiet + 20 : 0) await page.waitForTimeout(20);
}

/** Opens an address and waits until the page has drawn what it is about. */
export async function visit(page, address) {
  await page.goto(address);
  await drawn(page);
}

export async function drawn(page) {
  await page.waitForSelector("main h1");
  await page.waitForFunction(() => !document.querySelector("main [aria-busy=true]"));
}

/** Waits until what `selector` finds first reads like `pattern`; otherwise it says what stood there instead. */
export async function reads(page, selector, pattern) {
  const place = page.locator(selector).first();
  const end = Date.now() + 20_000;
  while (Date.now() < end && !pattern.test(await place.innerText())) await page.waitForTimeout(20);
  assert.match(await place.innerText(), pattern);
}

/** A picture of the window as it is now, if PICTURES names a folder: for the guides, and to look at. */
export async function picture(page, name) {
  const folder = process.env["PICTURES"];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

/** Findings that axe calls serious or critical, a line each. */
export async function barriers(page) {
  // The policy forbids scripts from elsewhere, so axe comes in beside the page's own.
  const client = await page.context().newCDPSession(page);
  const { readFileSync } = await import("node:fs");
  await client.send("Runtime.evaluate", { expression: readFileSync(AXE, "utf8") });
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.target.join(" ")).join("; ")}`);
}

/** Nothing is wider than the window, so that nobody has to scroll sideways to read. */
export async function assertFitsWidth(page) {
  const [content, window] = await page.evaluate(() => [document.querySelector("main").scrollWidth, document.querySelector("main").clientWidth]);
  assert.ok(content <= window, `the page is ${content} px wide in a window of ${window} px`);
}
