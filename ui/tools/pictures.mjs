// The pictures of README.md and of docs/stages.md, from what those pages say: their own examples and the
// demo's log. Those of docs/tuning.md are taken by its test, tests/tuning/page_test.mjs.
//
//   tests/python/run --install && make demo     an environment with the package, and build/demo
//   COMPRESSION_BOARD=build/release/bin/compression-board PYTHON=build/wheel/venv/bin/python \
//     node ui/tools/pictures.mjs docs/images build/demo
//
// ONLY=graph,stages-node takes some of them. They are the nicer for one of the fonts that the page asks for.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { everythingRead, startBoard } from "../../tests/page/support/board.mjs";
import { drawn, openWindow, startBrowser } from "../../tests/page/support/browser.mjs";

const [directory = "build/pictures", demo = "build/demo"] = process.argv.slice(2);
const only = process.env["ONLY"]?.split(",");
const root = new URL("../..", import.meta.url).pathname;

/** Runs Python in `folder`, where its logs go. */
const python = (folder, ...given) =>
  execFileSync(resolve(process.env["PYTHON"] ?? "python3"), given, {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });

const firstExample = (page) => /```python\n(.*?)```/s.exec(readFileSync(join(root, page), "utf8"))[1];

const WALK = { width: 1200, height: 760 };
const BOTH = "a=thresholds_selection&b=after_quantization";

/** Log directories by name: how each is made below a folder, and what is taken of it. */
const SHELF = {
  stages: {
    make(folder) {
      python(folder, "-c", firstExample("docs/stages.md"));
      return join(folder, "runs/stages");
    },
    pictures: {
      "stages-graph": { path: "graph?stage=after_quantization" },
      "stages-node": { path: "graph?stage=after_quantization&color=memory&node=Net%2FConv2d_0%2Fconv1" },
      "stages-layers": { path: `layers?${BOTH}&sel=conv1&hist=log`, ...WALK, height: 960 },
      "stages-similarity": { path: "images?runs=figures&tag=sample_(0%7C1%7C2%7C3)%24", ...WALK },
    },
  },
  tuning: {
    make(folder) {
      python(folder, join(root, "examples/tune_digits.py"), join(root, "build/digits/digits.csv.gz"));
      return join(folder, "runs/eval");
    },
    pictures: { graph: { path: "graph?a=baseline&b=tune_2" } },
  },
  demo: {
    make: () => resolve(demo),
    pictures: { layers: { path: "layers?model=eval&b=tune_1" }, overview: { path: "overview" } },
  },
};

const temporary = mkdtempSync(join(tmpdir(), "cboard-pictures-"));
const browser = await startBrowser();
try {
  for (const { make, pictures } of Object.values(SHELF)) {
    const wanted = Object.entries(pictures).filter(([name]) => !only || only.includes(name));
    if (wanted.length === 0) continue;
    const board = await startBoard(make(temporary));
    await everythingRead(board);
    for (const [name, { path, width = 1440, height = 900 }] of wanted) {
      const { page, troubles, close } = await openWindow(browser, { width, height });
      await page.goto(board.address + path);
      await drawn(page);
      await page.waitForTimeout(500); // Canvases are painted a frame after their data is there.
      await page.screenshot({ path: join(directory, `${name}.png`) });
      for (const trouble of troubles) console.error(`pictures: ${name}: ${trouble}`);
      await close();
    }
    await board.stop();
  }
} finally {
  await browser.close();
  rmSync(temporary, { recursive: true, force: true });
}
