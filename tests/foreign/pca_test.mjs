// The projector's principal components are those of NumPy, up to their signs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { runnerImport } = await import(pathToFileURL(createRequire(here("../../ui/package.json")).resolve("vite")).href);
const { module: { project } } = await runnerImport(here("../../ui/src/pages/projector/pca.ts"), { configFile: false, logLevel: "error" });
const sets = JSON.parse(execFileSync(process.env.PYTHON ?? "python3", [here("numpy_pca.py")], { maxBuffer: 1 << 28 }));

for (const { name, width, rows, sizes, points } of sets) {
  test(`components of ${name} equal NumPy's`, () => {
    const found = project(Float32Array.from(rows), width);
    const count = rows.length / width;
    const total = sizes.reduce((sum, size) => sum + size * size, 0);
    for (let axis = 0; axis < 3; axis += 1) {
      const size = sizes[axis] ?? 0;
      const share = (size * size) / total;
      assert.ok(Math.abs(found.shares[axis] - share) < 1e-6, `share ${axis} is ${found.shares[axis]}, NumPy has ${share}`);
      const expected = points[axis] ?? new Array(count).fill(0);
      const own = Array.from({ length: count }, (_, row) => found.points[3 * row + axis]);
      const together = own.reduce((sum, value, row) => sum + value * expected[row], 0);
      const sign = together < 0 ? -1 : 1;
      const apart = Math.max(...own.map((value, row) => Math.abs(sign * value - expected[row])));
      const reach = Math.max(...points[0].map(Math.abs));
      assert.ok(apart < 1e-4 * reach, `axis ${axis} is off by ${apart}, the points reach to ${reach}`);
    }
  });
}
