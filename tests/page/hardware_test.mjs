// The Hardware page: lanes on one axis, and the cost of each phase of the program.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { assertFitsWidth, barriers, visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { newLogdir } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

/** Twenty samples, half a second apart; the second half is another phase. */
function writePhases(logdir) {
  const file = new EventFile(join(logdir, "machine"));
  for (let i = 0; i < 20; i += 1) {
    if (i % 10 === 0) {
      file.wallTime -= 0.25; // Between two samples.
      file.text("hardware/phase", i === 0 ? "calibrate" : "evaluate", i);
    }
    file.scalar("hardware/power/package_w", i < 10 ? 10 : 30, i);
    file.wallTime -= 0.5;
    file.scalar("hardware/process/count", 1, i);
  }
}

test("phases have figures of their own, and are zoomed to by mouse and keys", async (t) => {
  const logdir = newLogdir(t);
  writePhases(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("hardware"));
  await page.waitForSelector(".phases-panel");
  const rows = await page.locator(".phases-panel tbody tr").allInnerTexts();
  assert.match(rows[0], /calibrate\s+[\d.]+ s\s+10\s+10\s+10/);
  assert.match(rows[1], /evaluate\s+[\d.]+ s\s+30\s+30\s+30\s+\d+ J/);
  assert.equal(await page.locator(".lane:not(.phase-lane)").count(), 1);
  assert.match(await page.locator(".still").innerText(), /Constant: Process count 1/);
  assert.deepEqual(await barriers(page), []);
  await page.click('.band:has-text("evaluate")');
  await page.waitForURL((url) => url.searchParams.has("xlim"));
  await page.waitForSelector('.phases-panel tr[aria-selected="true"]:has-text("evaluate")');
  await page.keyboard.press("[");
  await page.waitForSelector('.phases-panel tr[aria-selected="true"]:has-text("calibrate")');
  await page.keyboard.press("z");
  await page.waitForURL((url) => !url.searchParams.has("xlim"));
  await page.setViewportSize({ width: 390, height: 844 });
  await assertFitsWidth(page);
});
