// One number each, taken in a fresh browser profile.
import { openWindow, startBrowser } from "../../tests/page/support/browser.mjs";

export const median = (values) => {
  const sorted = [...values].sort((p, q) => p - q);
  return sorted.length === 0 ? NaN : (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
export const quantile = (values, share) => [...values].sort((p, q) => p - q)[Math.min(values.length - 1, Math.floor(values.length * share))];

// Watches from the first script on: paints, long tasks, layout shifts, and the first frame in which
// `isThere` holds.
function watch(isThereText) {
  const seen = { chart: null, list: null, blocking: 0, shift: 0 };
  window.measured = seen;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => { seen.blocking += Math.max(0, entry.duration - 50); })).observe({ type: "longtask", buffered: true });
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => { if (!entry.hadRecentInput) seen.shift += entry.value; })).observe({ type: "layout-shift", buffered: true });
  const [isThere, listSelector] = isThereText;
  const check = new Function(`return (${isThere})();`);
  const frame = () => {
    if (seen.list === null && document.querySelector(listSelector)) seen.list = performance.now();
    if (seen.chart === null && document.body && check()) seen.chart = performance.now();
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
    await page.goto(board.page);
    const chart = await page.waitForFunction(() => window.measured.chart, null, { timeout }).then(() => true, () => false);
    await page.waitForTimeout(chart ? 300 : 0);
    const measured = await page.evaluate(() => ({
      ...window.measured,
      paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null,
    }));
    return measured;
  } finally {
    await browser.close();
  }
}

/** Milliseconds from a key in the run filter to the frame that shows its effect. */
export async function typeIntoFilter(board, text) {
  const browser = await startBrowser();
  try {
    const { page } = await openWindow(browser);
    await page.goto(board.page);
    await page.waitForSelector(board.list);
    await page.focus(board.filter);
    await page.evaluate(() => {
      window.keys = [];
      document.addEventListener("keydown", () => {
        const from = performance.now();
        requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = () => window.keys.push(performance.now() - from); channel.port2.postMessage(0); });
      }, true);
    });
    for (const letter of text) {
      await page.keyboard.press(letter);
      await page.waitForTimeout(120);
    }
    return await page.evaluate(() => window.keys);
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

/** The heap in MB before and after `switches` changes of page. */
export async function switchPages(board, switches) {
  const browser = await startBrowser();
  try {
    const { page } = await openWindow(browser);
    const client = await page.context().newCDPSession(page);
    await client.send("Performance.enable");
    const heap = async () => {
      await client.send("HeapProfiler.collectGarbage");
      const { metrics } = await client.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "JSHeapUsedSize").value / 1e6;
    };
    const walk = async (n) => {
      for (let i = 0; i < n; i += 1) {
        await page.keyboard.press("g");
        await page.keyboard.press(["o", "s", "h", "p", "c", "l"][i % 6]);
        await page.waitForTimeout(40);
      }
      await page.waitForTimeout(500);
    };
    await page.goto(`${board.address}overview`);
    await page.waitForSelector("main h1");
    await walk(12); // Every part is loaded once before anything is counted.
    const before = await heap();
    await walk(switches);
    return { before, after: await heap() };
  } finally {
    await browser.close();
  }
}
