// Checks how the folders of src/ import each other.
//
//   node tools/check_imports.mjs [SRC]
//
// A folder imports only the folders before it in ORDER. Pages do not import each other. Inside a
// folder, sub-folders form no cycle. Prints one line per offence and exits with code 1.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { pathToFileURL } from "node:url";

const ORDER = ["base", "widgets", "api", "domain", "charts", "pages", "app"];
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"|new URL\("(\.[^"]+)", import\.meta\.url\)/g;

function sourcesIn(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return sourcesIn(path);
    return /\.tsx?$/.test(name) ? [path] : [];
  });
}

/** Every import of `root`: the importing file and the imported path, both relative to `root`. */
function importsOf(root) {
  return sourcesIn(root).flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(IMPORT)].map(([, plain, worker]) => ({
      from: relative(root, file),
      to: relative(root, normalize(join(dirname(file), plain ?? worker))),
    })),
  );
}

/** "charts/line" of "charts/line/layout.ts"; "charts" of "charts/labels.ts". */
const folderOf = (path) => path.split("/").slice(0, -1).slice(0, 2).join("/");

/** A cycle among the folders that `edges` connect, as a list of folders, or null. */
function cycleIn(edges) {
  const done = new Set();
  const walk = (node, trail) => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node];
    if (done.has(node)) return null;
    for (const next of edges.get(node) ?? []) {
      const found = walk(next, [...trail, node]);
      if (found) return found;
    }
    done.add(node);
    return null;
  };
  for (const node of edges.keys()) {
    const found = walk(node, []);
    if (found) return found;
  }
  return null;
}

export function offencesIn(root) {
  const imports = importsOf(root);
  const offences = [];
  const edges = new Map();
  for (const { from, to } of imports) {
    const [[top], [target]] = [from.split("/"), to.split("/")];
    const [at, wanted] = [ORDER.indexOf(top), ORDER.indexOf(target)];
    if (at < 0 || wanted < 0) offences.push(`${from} imports ${to}: every file belongs to one of ${ORDER.join(", ")}`);
    else if (wanted > at)
      offences.push(`${from} imports ${to}: ${top} may import only ${ORDER.slice(0, at + 1).join(", ")}`);
    const [folder, other] = [folderOf(from), folderOf(to)];
    if (top === "pages" && target === "pages" && folder !== other)
      offences.push(`${from} imports ${to}: pages do not import each other`);
    if (top !== target || folder === other) continue;
    edges.set(folder, (edges.get(folder) ?? new Set()).add(other));
  }
  const cycle = cycleIn(edges);
  if (cycle) {
    offences.push(`folders form a cycle: ${cycle.join(" -> ")}`);
    cycle.slice(1).forEach((to, i) => {
      for (const each of imports)
        if (folderOf(each.from) === cycle[i] && folderOf(each.to) === to)
          offences.push(`  ${each.from} imports ${each.to}`);
    });
  }
  if (imports.length === 0) offences.push(`${root} has no imports; is it the right folder?`);
  return offences;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const offences = offencesIn(process.argv[2] ?? new URL("../src", import.meta.url).pathname);
  for (const offence of offences) console.error(offence);
  process.exit(offences.length > 0 ? 1 : 0);
}
