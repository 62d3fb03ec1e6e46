// JupyterLab in a real browser: %compression_board, the tab COMPRESSION in %tensorboard, and the board behind
// jupyter-server-proxy.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { picture, startBrowser } from "../page/support/browser.mjs";

const directory = mkdtempSync(join(tmpdir(), "cboard-lab-"));
const LOG = "from compression_board import SummaryWriter\nwith SummaryWriter('runs/first') as writer:\n    writer.add_scalar('loss', 0.5, 1)";
let browser;

before(async () => {
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  rmSync(directory, { recursive: true, force: true });
});

async function startLab(t, variables = {}) {
  const home = mkdtempSync(join(directory, "home-")); // JupyterLab opens the notebooks of last time again.
  const lab = spawn("jupyter", ["lab", "--no-browser", "--allow-root", "--expose-app-in-browser", "--port=0", "--ip=127.0.0.1", "--IdentityProvider.token=", "--ServerApp.open_browser=False"], {
    cwd: directory,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, HOME: home, JUPYTER_RUNTIME_DIR: join(home, "runtime"), TMPDIR: directory, ...variables },
  });
  const ended = new Promise((resolve) => lab.once("exit", resolve));
  t.after(async () => {
    lab.kill("SIGTERM");
    const late = setTimeout(() => lab.kill("SIGKILL"), 20_000);
    await ended; // The next test starts with idle processors.
    clearTimeout(late);
  });
  return new Promise((resolve, reject) => {
    createInterface(lab.stderr).on("line", (line) => {
      const found = /http:\/\/127\.0\.0\.1:\d+\/lab/.exec(line);
      if (found) resolve(found[0]);
    });
    lab.on("exit", (code) => reject(new Error(`jupyter lab ended with ${code}`)));
  });
}

/** Runs the cells of a new notebook and returns the page. */
async function runCells(t, lab, name, cells) {
  const cell = (source, i) => ({ cell_type: "code", id: `cell-${i}`, metadata: {}, outputs: [], execution_count: null, source });
  const kernelspec = { display_name: "Python 3 (ipykernel)", language: "python", name: "python3" };
  writeFileSync(join(directory, `${name}.ipynb`), JSON.stringify({ cells: cells.map(cell), metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 }));
  const context = await browser.newContext({ viewport: { width: 1440, height: 1400 } });
  t.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(`${lab}/tree/${name}.ipynb`);
  await page.locator(".jp-Notebook .jp-CodeCell").first().waitFor();
  // The indicator in the page is "idle" before there is a kernel, and cells that are run then do nothing.
  await page.waitForFunction(() => {
    const kernel = globalThis.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel;
    return kernel?.connectionStatus === "connected" && kernel.status === "idle";
  });
  await page.evaluate(() => globalThis.jupyterapp.commands.execute("notebook:run-all-cells"));
  return page;
}

async function seesScalars(frame) {
  await frame.locator("main h1").waitFor();
  await frame.locator("nav a", { hasText: "Scalars" }).first().click();
  await frame.locator(".card", { hasText: "loss" }).first().waitFor();
}

test("%compression_board shows the board below the cell", async (t) => {
  const page = await runCells(t, await startLab(t), "board", ["%load_ext compression_board", LOG, "%compression_board --logdir runs"]);
  await seesScalars(page.frameLocator('iframe[title="Compression Board"]'));
  await picture(page, "lab-board");
});

test("%tensorboard has the tab COMPRESSION", async (t) => {
  const page = await runCells(t, await startLab(t), "tensorboard", [LOG, "%load_ext tensorboard", "%tensorboard --logdir runs --port 0"]);
  const tensorboard = page.frameLocator('iframe[id^="tensorboard-frame"]');
  await tensorboard.locator('plugin-selector [role="tab"]', { hasText: "Compression" }).click();
  await seesScalars(tensorboard.frameLocator("iframe").frameLocator('iframe[title="Compression Board"]'));
  await picture(page, "lab-tensorboard");
});

test("the board is shown through the port of the notebook server", async (t) => {
  const lab = await startLab(t, { COMPRESSION_BOARD_PROXY_URL: "/proxy/absolute/%PORT%/" });
  const page = await runCells(t, lab, "proxy", ["%load_ext compression_board", LOG, "%compression_board --logdir runs"]);
  const frame = page.frameLocator('iframe[title="Compression Board"]');
  await seesScalars(frame);
  await picture(page, "lab-proxy");
});
