// The two boards that are measured: started, fully loaded, and asked for the same pages.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { everythingRead, startBoard } from "../../tests/page/support/board.mjs";

async function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Whether a chart with a line is on the screen; runs in the page, once a frame. */
function ourFirstChart() {
  for (const canvas of document.querySelectorAll(".plot canvas")) {
    const { width, height } = canvas;
    if (width === 0) continue;
    const pixels = canvas.getContext("2d").getImageData(Math.floor(width / 2), 0, 1, height).data;
    const paper = pixels.slice(0, 4).join();
    // A column in the middle crosses grid lines (grey) and, once they are drawn, coloured curves.
    for (let i = 0; i < pixels.length; i += 4) {
      const [r, g, b, a] = pixels.slice(i, i + 4);
      if (a > 0 && Math.max(r, g, b) - Math.min(r, g, b) > 40 && pixels.slice(i, i + 4).join() !== paper) return true;
    }
  }
  return false;
}

/** Whether the first chart shows where the pointer is; runs in the page. */
function ourHover() {
  const canvas = document.querySelector(".plot canvas.overlay");
  return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte > 0);
}

// TensorBoard paints on a canvas of a worker, which nobody can read. A card counts once it has a
// canvas, the grid of its data and no spinner: before its lines are drawn, so in its favour.
function theirFirstChart() {
  return [...document.querySelectorAll("scalar-card-component")].some((card) =>
    card.querySelector("line-chart canvas") && card.querySelector("line-chart-grid-view line") && !card.querySelector("mat-spinner, mat-progress-spinner"));
}

export async function startOurs(logdir) {
  const board = await startBoard(logdir);
  await everythingRead(board);
  return { name: "Compression Board", page: `${board.address}scalars`, firstChart: ourFirstChart, list: ".runs .run", chart: ".plot", hovered: ourHover, filter: 'input[aria-label="Filter runs"]', address: board.address, stop: board.stop };
}

/** Stock TensorBoard, waited for until it lists every run; null when it is not installed. */
export async function startTheirs(logdir, runs, python) {
  const port = await freePort();
  const server = spawn(python, ["-m", "tensorboard.main", "--logdir", logdir, "--port", String(port), "--host", "127.0.0.1"], { stdio: "ignore" });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const stop = () => {
    server.kill("SIGTERM");
    return ended;
  };
  const address = `http://127.0.0.1:${port}/`;
  for (let i = 0; i < 1200; i += 1) {
    if (server.exitCode !== null) return null;
    try {
      const tags = await (await fetch(`${address}data/plugin/scalars/tags`)).json();
      if (Object.keys(tags).length >= runs && Object.values(tags).every((of) => Object.keys(of).length > 0)) {
        return { name: "TensorBoard", page: `${address}#timeseries`, firstChart: theirFirstChart, list: "runs-data-table tb-data-table-content-row", chart: "scalar-card-component line-chart", filter: null, address, stop };
      }
    } catch {
      // Not up yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stop();
  return null;
}
