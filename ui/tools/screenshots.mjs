// Pictures of every page: light and dark, wide, middle and narrow, full, empty and damaged.
//
//   COMPRESSION_BOARD=build/release/bin/compression-board node ui/tools/screenshots.mjs DIRECTORY [LOGDIR]
//
// Without LOGDIR the pages show the log directories that the tests write. ONLY=overview,graph takes
// some pages, SIZES=wide,narrow some windows, SCHEMES=light one of the two, and KINDS=full,empty,damaged
// some of the log directories: the full one alone unless it says so, if only some pages are taken.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBoard, everythingRead } from "../../tests/page/support/board.mjs";
import { drawn, openWindow, startBrowser } from "../../tests/page/support/browser.mjs";
import { writeGraphs, writeGraphStages } from "../../tests/page/support/graph_logs.mjs";
import { writeMedia } from "../../tests/page/support/media_logs.mjs";
import { WORST_LAYER, writeEverything, writeMetrics, writeTraining } from "../../tests/page/support/logdirs.mjs";

const [directory = "build/screenshots", given] = process.argv.slice(2);
const only = process.env["ONLY"]?.split(",");
const chosen = (name, all) => process.env[name]?.split(",") ?? all;

/** The pages of a log directory; the model is one whose layers were logged. */
async function pagesOf(board) {
  const ask = async (route) => (await fetch(`${board.address}api/v1/${route}`)).json();
  const sides = await ask("compression/sides");
  const model = sides.models.includes("resnet18") ? "resnet18" : (sides.models.find(Boolean) ?? "");
  const of = model === "" ? "" : `model=${encodeURIComponent(model)}`;
  return {
    overview: "overview",
    "overview-radar": `overview?pins=${sides.models.includes("resnet18") ? "alexnet,resnet18" : "vgg16_tensorflow_pb,resnest50_pytorch_static,digits_cnn"}`,
    compare: `compare?${of}`,
    layers: model === "resnet18" ? `layers?${of}&sel=${WORST_LAYER}&channel=17` : `layers?${of}`,
    "layers-qq": `layers?${of}&hist=qq&channels=table`,
    graph: `graph?${of}`,
    "graph-bits": `graph?${of}&color=bits`,
    "graph-stages": "graph?model=mct&color=memory",
    tuning: "tuning",
    hardware: "hardware",
    scalars: "scalars",
    "scalars-runs": "scalars?runs=seed",
    "scalars-step": "scalars?runs=seed&step=100&mix=accuracy%2Fval%252Closs%2Ftrain",
    "scalars-table": "scalars?table=1",
    histograms: "histograms",
    "histograms-heatmap": "histograms?mode=heatmap",
    "histograms-runs": "histograms?mode=runs",
    groups: "scalars?runs=seed&group=%5E(.*)-",
    hparams: "hparams",
    "hparams-scatter": "hparams?plot=scatter",
    "hparams-importance": "hparams?plot=importance",
    images: "images",
    "images-wipe": "images?ab=wipe",
    text: "text",
    "text-diff": "text?diff=1",
    pr: "pr",
    "pr-corner": "pr?zoom=0.8~1~0.8~1",
    custom: "custom",
    projector: "projector",
    "projector-point": "projector?point=3",
    "projector-dots": "projector?pictures=0&flat=1",
    "projector-tsne": "projector?by=tsne&flat=1",
    audio: "audio",
    mesh: "mesh",
    report: "report",
    files: "files",
  };
}
const WINDOWS = {
  wide: { width: 1440, height: 900 },
  middle: { width: 1024, height: 768 },
  narrow: { width: 390, height: 844 },
};

async function shoot(browser, board, prefix) {
  const pages = await pagesOf(board);
  for (const scheme of chosen("SCHEMES", ["light", "dark"])) {
    for (const size of chosen("SIZES", Object.keys(WINDOWS))) {
      const window = WINDOWS[size];
      const { page, troubles, close } = await openWindow(browser, { ...window, scheme });
      for (const [name, path] of Object.entries(pages)) {
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

/** A byte in the middle is wrong, and the last record was torn off. */
function damage(path) {
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1] ^= 0xff;
  writeFileSync(path, bytes.subarray(0, bytes.length - 5));
}

mkdirSync(directory, { recursive: true });
const temporary = mkdtempSync(join(tmpdir(), "cboard-screenshots-"));
const browser = await startBrowser();
try {
  if (given === undefined) {
    const runs = join(temporary, "runs");
    writeEverything(runs);
    writeGraphs(runs);
    writeGraphStages(runs);
    writeMedia(runs);
  }
  const damaged = join(temporary, "damaged");
  writeTraining(damaged);
  writeMetrics(damaged);
  for (const run of ["train/seed-1", "alexnet"]) damage(join(damaged, run, "events.out.tfevents.1763000000.page"));
  const kinds = chosen("KINDS", only ? ["full"] : ["full", "empty", "damaged"]);
  for (const [kind, logdir] of [
    ["full", given ?? join(temporary, "runs")],
    ["empty", join(temporary, "none")],
    ["damaged", damaged],
  ]) {
    if (!kinds.includes(kind)) continue;
    const prefix = kind === "full" ? "" : `${kind}-`;
    mkdirSync(logdir, { recursive: true });
    const board = await startBoard(logdir);
    await everythingRead(board);
    await shoot(browser, board, prefix);
    await board.stop();
  }
} finally {
  await browser.close();
  rmSync(temporary, { recursive: true, force: true });
}
