// How smooth a page is while somebody uses it: times between frames, and from an act to its frame.
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

async function inWindow(board, address, use) {
  const browser = await startBrowser();
  try {
    const { page } = await openWindow(browser);
    await page.goto(address);
    await page.waitForFunction(board.firstChart);
    await page.waitForTimeout(1500); // Until the charts below are drawn too, and nothing is asked any more.
    return await use(page);
  } finally {
    await browser.close();
  }
}

async function boxOf(page, selector) {
  const { x, y, width, height } = await page.locator(selector).first().boundingBox();
  return { x: x + width * 0.2, y: y + height / 2, width: width * 0.6 };
}

/** Frame gaps while the pointer goes to and fro over the first chart. */
export async function hover(board) {
  return inWindow(board, board.page, async (page) => {
    const box = await boxOf(page, board.chart);
    const sweep = async () => {
      for (let i = 0; i < 120; i += 1) await page.mouse.move(box.x + box.width * Math.abs(((i / 40) % 2) - 1), box.y + (i % 7));
    };
    await sweep(); // Once unmeasured: code that runs for the first time is still being compiled.
    return gapsDuring(page, sweep);
  });
}

// Runs in the page: for every `type` of event, milliseconds until its frame is painted, and until the
// curves that it made the page ask for are painted as well.
function timeActs(type) {
  Object.assign(window, { frames: [], resampled: [] });
  let from = NaN;
  const painted = (list) => {
    const began = from;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => list.push(performance.now() - began);
      channel.port2.postMessage(0);
    });
  };
  document.addEventListener(type, () => {
    from = performance.now();
    painted(window.frames);
  }, true);
  new PerformanceObserver((list) => {
    if (list.getEntries().some(({ name, startTime }) => name.endsWith("/api/v1/scalars") && startTime >= from)) painted(window.resampled);
  }).observe({ type: "resource" });
}

/** Milliseconds from an act to its frame: a change of smoothing; a zoom, and the finer curves it asks for. */
export async function updateAndZoom(board) {
  return inWindow(board, board.page, async (page) => {
    await page.evaluate(timeActs, "input");
    await page.focus('input[aria-label="Smoothing"]');
    for (let i = 0; i < 12; i += 1) {
      await page.keyboard.press("ArrowLeft");
      await page.waitForTimeout(250);
    }
    const update = await page.evaluate(() => window.frames.slice(2));
    await page.evaluate(timeActs, "pointerup");
    const box = await boxOf(page, board.chart);
    const resample = [];
    for (let i = 0; i < 8; i += 1) {
      await page.mouse.move(box.x + 5 * i, box.y);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width - 5 * i, box.y, { steps: 4 });
      await page.mouse.up();
      await page.waitForTimeout(600);
      resample.push(...(await page.evaluate(() => window.resampled.splice(0).slice(-1)))); // The last chart of all.
      await page.keyboard.press("z");
      await page.waitForTimeout(600);
      await page.evaluate(() => window.resampled.splice(0));
    }
    const zoom = await page.evaluate(() => window.frames);
    return { update, zoom: zoom.slice(2), resample: resample.slice(2) };
  });
}

/** Milliseconds from going back to a page of many cards until its first chart; and frame gaps while it is scrolled. */
export async function manyCards(board, address) {
  return inWindow(board, address, async (page) => {
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
    return { open, gaps };
  });
}
