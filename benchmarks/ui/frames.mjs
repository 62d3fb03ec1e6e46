// How smooth a page is while somebody uses it: times between frames, and from an act to its picture.
import { openWindow, startBrowser } from "../../tests/page/support/browser.mjs";

/** Milliseconds between the frames of a page while `act` runs. */
export async function gapsDuring(page, act) {
  await page.evaluate(() => {
    window.gaps = [];
    let last = performance.now();
    const tick = (now) => {
      window.gaps.push(now - last);
      last = now;
      window.counting = requestAnimationFrame(tick);
    };
    window.counting = requestAnimationFrame(tick);
  });
  await act();
  return (await page.evaluate(() => (cancelAnimationFrame(window.counting), window.gaps))).slice(2);
}

/** Uses a page in a fresh browser once it shows what it is about, and nothing is asked any more. */
export async function inWindow(address, isThere, use) {
  const browser = await startBrowser();
  try {
    const { page } = await openWindow(browser);
    page.setDefaultTimeout(60_000);
    await page.goto(address);
    await page.waitForFunction(isThere);
    await page.waitForTimeout(1500);
    return await use(page);
  } finally {
    await browser.close();
  }
}

async function boxOf(page, selector) {
  const { x, y, width, height } = await page.locator(selector).first().boundingBox();
  return { x: x + width * 0.2, y: y + height / 2, width: width * 0.6 };
}

// Runs in the page: what is on its canvases.
function pixelsOf(selector) {
  return [...document.querySelectorAll(selector)].map((canvas) => {
    if (canvas.width === 0 || canvas.height === 0) return 0;
    const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    let hash = canvas.width;
    for (let i = 0; i < pixels.length; i += 1) hash = Math.imul(hash ^ pixels[i], 0x01000193);
    return hash;
  }).join();
}

/** To be watched by changesAfter: the canvases at `selector`, pixel by pixel. */
export const canvases = (selector) => `() => (${pixelsOf})(${JSON.stringify(selector)})`;

// Runs in the page: from every event of `type`, milliseconds until each change of what `look` sees. It
// looks after a frame, not before: what was not painted does not count.
function watch(look, type) {
  window.stopWatching?.();
  let last = "";
  let from = NaN;
  let watching = true;
  const begin = () => {
    last = look();
    window.changes = [];
    from = performance.now();
  };
  const next = () => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      const now = performance.now();
      if (!Number.isNaN(from)) {
        const seen = look();
        if (seen !== last) window.changes.push(now - from);
        last = seen;
      }
      if (watching) next();
    };
    channel.port2.postMessage(0);
  });
  window.changes = [];
  window.stopWatching = () => {
    watching = false;
    document.removeEventListener(type, begin, true);
  };
  document.addEventListener(type, begin, true);
  next();
}

/** For each of `acts`, milliseconds from its event of `type` until the first change of what `look` sees on the page, and until the last. */
export async function changesAfter(page, type, look, acts, rest = 500) {
  await page.evaluate(`(${watch})(${look}, ${JSON.stringify(type)})`);
  const seen = [];
  for (const act of acts) {
    await act();
    await page.waitForTimeout(rest);
    const changes = await page.evaluate(() => window.changes);
    if (changes.length === 0) throw new Error(`nothing changed within ${rest} ms of a ${type}`);
    seen.push({ first: changes[0], last: changes.at(-1) });
  }
  await page.evaluate(() => window.stopWatching());
  return seen;
}

const LINES = canvases(".plot > canvas:not(.overlay)");

/** Frame gaps while the pointer goes to and fro over the first chart. */
export async function hover(board) {
  return inWindow(board.page, board.firstChart, async (page) => {
    const box = await boxOf(page, board.chart);
    const sweep = async () => {
      for (let i = 0; i < 120; i += 1) await page.mouse.move(box.x + box.width * Math.abs(((i / 40) % 2) - 1), box.y + (i % 7));
    };
    await sweep(); // Once unmeasured: code that runs for the first time is still being compiled.
    const gaps = await gapsDuring(page, sweep);
    if (board.hovered && !(await page.evaluate(board.hovered))) throw new Error("the chart did not follow the pointer");
    return gaps;
  });
}

/** Frame gaps while the first chart is dragged to and fro with shift. */
export async function pan(board) {
  return inWindow(board.page, board.firstChart, async (page) => {
    const box = await boxOf(page, board.chart);
    const before = await page.evaluate(() => location.search);
    const drag = async () => {
      await page.keyboard.down("Shift");
      await page.mouse.move(box.x, box.y);
      await page.mouse.down();
      for (let i = 0; i < 120; i += 1) await page.mouse.move(box.x + box.width * Math.abs(((i / 40) % 2) - 1) * 0.5 + 3, box.y);
    };
    const drop = async () => {
      await page.mouse.up();
      await page.keyboard.up("Shift");
      await page.waitForTimeout(600);
    };
    await drag();
    await drop();
    const gaps = await gapsDuring(page, drag);
    await drop();
    if ((await page.evaluate(() => location.search)) === before) throw new Error("the chart was not moved");
    return gaps;
  });
}

/** Milliseconds from an act to its picture: a change of smoothing; a zoom, and the finer curves it asks for. */
export async function updateAndZoom(board, address, { zooms = 8 } = {}) {
  return inWindow(address, board.firstChart, async (page) => {
    await page.focus('input[aria-label="Smoothing"]');
    const smooth = Array.from({ length: 10 }, () => () => page.keyboard.press("ArrowLeft"));
    const update = await changesAfter(page, "input", LINES, smooth, 300);
    const box = await boxOf(page, board.chart);
    const zoomIn = Array.from({ length: zooms }, (_, i) => async () => {
      await page.keyboard.press("z");
      await page.waitForTimeout(700);
      await page.mouse.move(box.x + 5 * i, box.y);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width - 5 * i, box.y, { steps: 4 });
      await page.mouse.up();
    });
    const zoom = await changesAfter(page, "pointerup", LINES, zoomIn, 900);
    return { update: update.slice(2).map(({ first }) => first), zoom: zoom.slice(2).map(({ first }) => first), resample: zoom.slice(2).map(({ last }) => last) };
  });
}

/** Milliseconds from going back to a page of many cards until its first chart; and frame gaps while it is scrolled. */
export async function manyCards(board, address) {
  return inWindow(address, board.firstChart, async (page) => {
    const open = [];
    for (let i = 0; i < 5; i += 1) {
      await page.keyboard.press("g");
      await page.keyboard.press("e");
      await page.waitForSelector(".empty, .text-body");
      await page.waitForTimeout(300);
      open.push(await page.evaluate(async () => {
        const from = performance.now();
        history.back();
        for (;;) {
          await new Promise((resolve) => requestAnimationFrame(resolve));
          const canvas = document.querySelector(".plot canvas"); // Nothing is painted on it before its data is there.
          if (canvas && canvas.width > 0 && canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte > 0)) return performance.now() - from;
        }
      }));
    }
    const { x, y } = await boxOf(page, board.chart);
    await page.mouse.move(x, y);
    const gaps = await gapsDuring(page, async () => {
      for (let i = 0; i < 80; i += 1) await page.mouse.wheel(0, 240);
      await page.waitForTimeout(300);
    });
    const scrolled = await page.evaluate(() => [...document.querySelectorAll("main, main *")].reduce((most, element) => Math.max(most, element.scrollTop), 0));
    if (scrolled < 5000) throw new Error(`the page was scrolled by ${scrolled} px only`);
    return { open, gaps };
  });
}
