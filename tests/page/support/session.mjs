// A board, a browser and a window for the length of a test, and the promise that nothing went wrong
// in between.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { everythingRead, startBoard } from "./board.mjs";
import { openWindow, startBrowser } from "./browser.mjs";

let browser;

/** One browser for all tests of a file. */
export function useBrowser() {
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser?.close());
}

/** Serves `logdir` and opens a window; when the test ends, nothing may have gone wrong in it. */
export async function serve(t, logdir, { flags = [], ...window } = {}) {
  const board = await startBoard(logdir, ...flags);
  t.after(() => board.stop());
  await everythingRead(board);
  const { page, troubles, close } = await openWindow(browser, window);
  t.after(async () => {
    await close();
    assert.deepEqual(troubles, []);
  });
  return { page, board, at: (path) => board.address + path };
}
