// Alternative names of pages: the names in TensorBoard's addresses, so that old links work, and names that people type.
// Pure functions.

const PAGES: Readonly<Record<string, readonly string[]>> = {
  overview: ["home", "index", "models", "model", "pareto", "aurora", "summary", "dashboard", "c", "board"],
  compare: ["comparison", "diff", "gates", "latency", "config"],
  layers: ["layer", "sensitivity", "channels", "channel", "sqnr", "errors", "quantization"],
  graph: ["graphs", "stages", "stage", "network", "netron", "architecture"],
  tuning: ["tune", "trials", "trial", "search"],
  hardware: ["profile", "profiler", "monitor", "system", "resources", "cpu", "gpu", "memory", "energy"],
  report: ["reports", "export"],
  scalars: ["scalar", "timeseries", "time_series", "metrics", "charts", "curves", "loss", "runs"],
  histograms: ["histogram", "distributions", "distribution"],
  hparams: ["hparam", "hyperparameters", "hyperparams", "parameters", "parallel", "sweep", "sweeps"],
  images: ["image", "media", "pictures"],
  text: ["texts", "notes"],
  pr: ["pr_curves", "pr_curve", "prcurves", "precision_recall"],
  custom: ["custom_scalars", "customscalars", "layouts"],
  projector: ["projections", "embeddings", "embedding", "tsne", "pca", "umap"],
  audio: ["audios", "sound", "sounds"],
  mesh: ["meshes", "pointcloud", "3d"],
  files: ["file", "logs", "logdir", "data"],
};

const PAGE_OF = new Map(
  Object.entries(PAGES).flatMap(([page, names]) => [page, ...names].map((name): [string, string] => [name, page])),
);

/**
 * The address for an address with an alternative page name: "graph?node=x" for "/stages" and "?node=x". Null if the
 * given address already names a page, or if the name is unknown.
 */
export function addressOfName(path: string, search: string): string | null {
  const typed = path.slice(1);
  const page = PAGE_OF.get(
    typed
      .toLowerCase()
      .replaceAll(/[ -]/g, "_")
      .replace(/\.html?$/, ""),
  );
  return page === undefined || page === typed ? null : page + search;
}

/** The address for a TensorBoard link: "graph?graph=train" for "#graphs&run=train"; null for other links. */
export function newAddressOf(hash: string): string | null {
  const [name = "", ...rest] = hash.slice(1).split("&");
  const page = name === "" ? undefined : PAGE_OF.get(name);
  if (page === undefined) return null;
  // Only the graph page of TensorBoard keeps its state in the address.
  const run = page === "graph" ? new URLSearchParams(rest.join("&")).get("run") : null;
  return page + (run === null ? "" : `?${new URLSearchParams({ graph: run }).toString()}`);
}
