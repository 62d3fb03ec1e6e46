// Pictures of every page: light and dark, wide, middle and narrow, full and empty.
//
//   COMPRESSION_BOARD=build/release/bin/compression-board node ui/tools/screenshots.mjs DIRECTORY [LOGDIR]
//
// Without LOGDIR the pages show the log directories that the tests write.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBoard, everythingRead } from "../../tests/page/support/board.mjs";
import { drawn, openWindow, startBrowser } from "../../tests/page/support/browser.mjs";
import { writeGraphs, writeGraphStages } from "../../tests/page/support/graph_logs.mjs";
import { WORST_LAYER, writeEverything } from "../../tests/page/support/logdirs.mjs";

const [directory = "build/screenshots", given] = process.argv.slice(2);
const PAGES = {
  overview: "overview",
  compare: "compare?model=alexnet",
  layers: `layers?model=resnet18&sel=${WORST_LAYER}&channel=17`,
  graph: "graph?model=resnet18",
  "graph-stages": "graph?model=mct&color=memory",
  tuning: "tuning",
  hardware: "hardware",
  scalars: "scalars?runs=seed",
  histograms: "histograms?runs=seed",
  groups: "scalars?runs=seed&group=%5E(.*)-",
  hparams: "hparams",
  images: "images",
  text: "text",
  report: "report",
  files: "files",
};
const WINDOWS = { wide: { width: 1440, height: 900 }, middle: { width: 1024, height: 768 }, narrow: { width: 390, height: 844 } };

async function shoot(browser, board, prefix, only) {
  for (const scheme of ["light", "dark"]) {
    for (const [size, window] of Object.entries(WINDOWS)) {
      const { page, troubles, close } = await openWindow(browser, { ...window, scheme });
      for (const [name, path] of Object.entries(PAGES)) {
        if (only && !only.includes(`${name}-${scheme}-${size}`) && !only.includes(name)) continue;
        await page.goto(board.address + path);
        await drawn(page);
        await page.waitForTimeout(350); // Canvases are painted a frame after their data is there.
        await page.screenshot({ path: join(directory, `${prefix}${name}-${scheme}-${size}.png`) });
      }
      for (const trouble of troubles) console.error(`screenshots: ${prefix}${scheme}-${size}: ${trouble}`);
      await close();
    }
  }
}

mkdirSync(directory, { recursive: true });
const temporary = mkdtempSync(join(tmpdir(), "cboard-screenshots-"));
const only = process.env["ONLY"]?.split(",");
const browser = await startBrowser();
try {
  if (given === undefined) {
    const runs = join(temporary, "runs");
    writeEverything(runs);
    writeGraphs(runs);
    writeGraphStages(runs);
  }
  for (const [prefix, logdir] of [["", given ?? join(temporary, "runs")], ["empty-", join(temporary, "none")]]) {
    if (prefix && only) continue;
    mkdirSync(logdir, { recursive: true });
    const board = await startBoard(logdir);
    await everythingRead(board);
    await shoot(browser, board, prefix, only);
    await board.stop();
  }
} finally {
  await browser.close();
  rmSync(temporary, { recursive: true, force: true });
}
