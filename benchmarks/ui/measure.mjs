// One number each, taken in a fresh browser profile.
import { openWindow, startBrowser } from "../../tests/page/support/browser.mjs";

export const median = (values) => {
  const sorted = [...values].sort((p, q) => p - q);
  return sorted.length === 0 ? NaN : (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
export const quantile = (values, share) => [...values].sort((p, q) => p - q)[Math.min(values.length - 1, Math.floor(values.length * share))];

export const ms = (value) => (Number.isFinite(value) ? `${Math.round(value)} ms` : "never");

// Frames come at 16.7 ms; the clock that measures them adds a little.
export const isSmooth = (gaps) => quantile(gaps, 0.95) <= 17.5;

// Watches from the first script on: paints, long tasks, layout shifts, and the first frame in which
// `isThere` holds.
function watch(isThereText) {
  const seen = { chart: null, drawing: null, list: null, blocking: 0, shift: 0 };
  window.measured = seen;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => { seen.blocking += Math.max(0, entry.duration - 50); })).observe({ type: "longtask", buffered: true });
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => { if (!entry.hadRecentInput) seen.shift += entry.value; })).observe({ type: "layout-shift", buffered: true });
  const [isThere, listSelector] = isThereText;
  const check = new Function(`return (${isThere})();`);
  const frame = () => {
    if (seen.list === null && document.querySelector(listSelector)) seen.list = performance.now();
    if (seen.chart === null && document.body && check()) {
      seen.chart = performance.now();
      // How long the page had the first curves before it showed them.
      const read = performance.getEntriesByType("resource").filter(({ name, responseEnd }) => name.endsWith("/api/v1/scalars") && responseEnd > 0);
      seen.drawing = read.length === 0 ? null : seen.chart - Math.min(...read.map(({ responseEnd }) => responseEnd));
      console.debug("measured");
    }
    if (seen.chart === null || seen.list === null) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/** Milliseconds from the start of navigation to paint, run list and first chart. */
export async function openCold(board, { slowdown = 1, timeout = 60_000 } = {}) {
  const browser = await startBrowser();
  try {
    // new Function is what the policy forbids; measuring is allowed to.
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, bypassCSP: true });
    const page = await context.newPage();
    if (slowdown > 1) await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: slowdown });
    await page.addInitScript(watch, [board.firstChart.toString(), board.list]);
    // The page says when it is done: to be asked would cost it 25 ms of a script that is not its own, just when it draws.
    const done = page.waitForEvent("console", { predicate: (message) => message.text() === "measured", timeout }).then(() => true, () => false);
    await page.goto(board.page);
    await page.waitForTimeout((await done) ? 300 : 0);
    const measured = await page.evaluate(() => ({
      ...window.measured,
      paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null,
    }));
    return measured;
  } finally {
    await browser.close();
  }
}

// Runs in the page: from every key, milliseconds until a frame in which all rows of the list are what the
// filter asks for.
function timeKeys(listSelector) {
  window.keys = [];
  document.addEventListener("keydown", () => {
    const from = performance.now();
    const look = () => requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        const wanted = document.activeElement.value;
        const rows = [...document.querySelectorAll(listSelector)];
        const fits = new URLSearchParams(location.search).get("runs") === (wanted || null) && rows.length > 0 && rows.every((row) => row.textContent.includes(wanted));
        if (fits) window.keys.push(performance.now() - from);
        else look();
      };
      channel.port2.postMessage(0);
    });
    look();
  }, true);
}

/** Milliseconds from a key in the run filter to the frame that shows its effect: `text` typed and wiped, three times. */
export async function typeIntoFilter(board, text) {
  const browser = await startBrowser();
  try {
    const { page } = await openWindow(browser);
    await page.goto(board.page);
    await page.waitForSelector(board.list);
    await page.waitForTimeout(1500);
    await page.focus(board.filter);
    await page.evaluate(timeKeys, board.list);
    const keys = [...text, ...Array.from(text, () => "Backspace")];
    for (const key of [...keys, ...keys, ...keys]) {
      await page.keyboard.press(key);
      await page.waitForTimeout(120);
    }
    await page.waitForTimeout(500);
    const taken = await page.evaluate(() => window.keys);
    if (taken.length < 3 * keys.length) throw new Error(`only ${taken.length} of ${3 * keys.length} keys had an effect`);
    return taken;
  } finally {
    await browser.close();
  }
}

/** Milliseconds from an event on disk to the page that shows it. */
export async function writeToPixel(board, file, times) {
  const browser = await startBrowser();
  try {
    const { page } = await openWindow(browser);
    await page.goto(board.page);
    await page.waitForFunction(() => document.querySelector(".plot")?.getAttribute("aria-label")?.includes(" points"));
    await page.waitForTimeout(1500);
    const taken = [];
    for (let i = 0; i < times; i += 1) {
      const before = await page.locator(".plot").first().getAttribute("aria-label");
      const from = performance.now();
      file.scalar("loss", i, 100 + i);
      await page.waitForFunction((label) => document.querySelector(".plot")?.getAttribute("aria-label") !== label, before, { polling: "raf" });
      taken.push(performance.now() - from);
      await page.waitForTimeout(1200);
    }
    return taken;
  } finally {
    await browser.close();
  }
}
