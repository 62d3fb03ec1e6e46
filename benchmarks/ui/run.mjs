// The budgets of the page beside what was measured, and stock TensorBoard by the same script on the
// same log directories.
//
//   COMPRESSION_BOARD=build/release/bin/compression-board node benchmarks/ui/run.mjs [--rounds 5] [--only NAME,…] [--kept FILE]
//
// Writes benchmarks/RESULTS-ui.md when everything was measured. With --kept, what was measured is kept
// in a file, so that the parts can be measured one after the other, whenever the machine is idle.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { graph, layouts } from "./parts_graph.mjs";
import { charts, curves, list, report, runs, sizes } from "./parts_open.mjs";
import { cards, frames, layers, lines, live, switches } from "./parts_use.mjs";

const PARTS = { sizes, curves, runs, list, charts, frames, lines, cards, layouts, graph, layers, live, switches, report };

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const PYTHON = process.env["PYTHON"] ?? join(root, "build/venv/bin/python");
const option = (name) => { const at = process.argv.indexOf(`--${name}`); return at < 0 ? undefined : process.argv[at + 1]; };
const ROUNDS = Number(option("rounds") ?? 5);
const only = option("only")?.split(",");
const unknown = only?.filter((name) => !(name in PARTS)) ?? [];
if (unknown.length > 0) {
  console.error(`there is no part ${unknown.join(", ")}; the parts are ${Object.keys(PARTS).join(", ")}`);
  process.exit(2);
}
const kept = option("kept");
const rows = kept && existsSync(kept) ? JSON.parse(readFileSync(kept, "utf8")) : [];

function say(part, number, what, ours, theirs, goal, met) {
  const same = rows.findIndex((row) => row.what === what);
  rows.splice(same < 0 ? rows.length : same, same < 0 ? 0 : 1, { part, number, what, ours, theirs, goal, met });
  console.log(`${String(number).padStart(2)}  ${what}: ${ours}${theirs ? ` (TensorBoard ${theirs})` : ""}, goal ${goal}: ${met ? "met" : "not met"}`);
}

/** Measures a part in a folder of its own. Earlier results are deleted, because the new ones may differ. */
async function measure(name) {
  const folder = mkdtempSync(join(tmpdir(), "cboard-bench-ui-"));
  const began = performance.now();
  rows.splice(0, rows.length, ...rows.filter((row) => row.part !== name));
  try {
    await PARTS[name]({ folder, rounds: ROUNDS, python: PYTHON, say: (...row) => say(name, ...row) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`    ${name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
}

function markdown(loadBefore) {
  const version = execFileSync(PYTHON, ["-c", "import tensorboard; print(tensorboard.__version__)"]).toString().trim();
  const chromium = execFileSync(process.env["CHROMIUM"] ?? "/usr/bin/chromium", ["--version"]).toString().trim();
  const order = [...rows].sort((p, q) => p.number - q.number);
  return `# Results of the page

What \`make bench-ui\` measured last: medians of ${ROUNDS} cold browser profiles, milliseconds from the
start of navigation. Both boards had read everything before the first visit, and were opened by the
same script on the same files (\`benchmarks/ui/\`): ours on Scalars, TensorBoard on Time Series, its
default. Our chart counts from the first frame in which a line is on the screen; TensorBoard's, whose
canvas cannot be read, already when its axes stand, a little before its lines do. Frames are 16.7 ms
apart, so whatever is counted until a frame is painted has that floor. Numbers are those of the
performance budgets.

- date: ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC
- machine: ${cpus()[0]?.model ?? "?"}, ${cpus().length} processors, ${Math.round(totalmem() / 1e9)} GB, no GPU
- load before and after: ${loadBefore.toFixed(1)}, ${loadavg()[0].toFixed(1)}
- browser: ${chromium}; peer: TensorBoard ${version}

| # | what | ours | TensorBoard | goal | |
|---|---|---|---|---|---|
${order.map((row) => `| ${row.number} | ${row.what} | ${row.ours} | ${row.theirs ?? "–"} | ${row.goal} | ${row.met ? "met" : "**not met**"} |`).join("\n")}
`;
}

const loadBefore = loadavg()[0];
for (const name of only ?? Object.keys(PARTS)) {
  await measure(name);
  if (kept) writeFileSync(kept, JSON.stringify(rows));
}
const complete = Object.keys(PARTS).every((name) => rows.some((row) => row.part === name));
if (complete) writeFileSync(join(root, "benchmarks/RESULTS-ui.md"), markdown(loadBefore));
