// Other names of pages: those in TensorBoard's addresses, so that old links open, and those that people type. Pure.

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

/** "graph?node=x" of "/stages" and "?node=x"; null for the address of a page, and for names that none has. */
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

/** "graph?graph=train" of TensorBoard's "#graphs&run=train"; null for what is no such link. */
export function newAddressOf(hash: string): string | null {
  const [name = "", ...rest] = hash.slice(1).split("&");
  const page = name === "" ? undefined : PAGE_OF.get(name);
  if (page === undefined) return null;
  // Only this page of TensorBoard has its state in the address.
  const run = page === "graph" ? new URLSearchParams(rest.join("&")).get("run") : null;
  return page + (run === null ? "" : `?${new URLSearchParams({ graph: run }).toString()}`);
}
