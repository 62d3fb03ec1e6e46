// Chooses the graphs that the page shows: the graphs in the address, otherwise the graphs of the header's pair,
// otherwise graphs of stages.

import type { GraphsResponse, Timeline } from "../../api/graphs";

export interface Source {
  readonly run: string;
  readonly tag: string;
  readonly kind: string;
  readonly model: string;
  readonly variant: string;
  readonly version: string;
  readonly profiles: readonly string[];
  /** The id in the address: the run, followed by the tag if the run has several graphs. */
  readonly id: string;
}

export interface Wanted {
  readonly graph: string | null;
  readonly with: string | null;
  readonly stage: string | null;
  readonly model: string | null;
  readonly a: string;
  readonly b: string;
}

export interface Shown {
  readonly a: Source;
  readonly b: Source | null;
  readonly timeline: Timeline | null;
  /** The index of the shown stage in the timeline. */
  readonly stage: number;
}

export function readSources(response: GraphsResponse): Source[] {
  const perRun = new Map<string, number>();
  for (const run of response.runs) perRun.set(run, (perRun.get(run) ?? 0) + 1);
  const seen = new Set<string>();
  return response.runs.map((run, i) => {
    const tag = response.tags[i] ?? "";
    const first = !seen.has(run);
    seen.add(run);
    return {
      run,
      tag,
      kind: response.kinds[i] ?? "run",
      model: response.models[i] ?? "",
      variant: response.variants[i] ?? "",
      version: response.versions[i] ?? "",
      profiles: response.profiles[i] ?? [],
      id: first ? run : `${run}|${tag}`,
    };
  });
}

/**
 * The graph of a variant, preferably of the model; a graph without a model name is accepted, because not all runs have
 * one.
 */
function ofVariant(sources: readonly Source[], variant: string, model: string | null): Source | undefined {
  const named = sources.filter((source) => source.variant === variant);
  return (
    named.find((source) => model !== null && source.model === model) ??
    named.find((source) => model === null || source.model === "")
  );
}

/**
 * The graphs of the wanted variants. If no model is given, both graphs are from a model that has both variants. This is
 * checked because every model has "fp32".
 */
function pairOf(
  sources: readonly Source[],
  { a, b, model }: Wanted,
): readonly [Source | undefined, Source | undefined] {
  if (model === null) {
    for (const one of sources.filter((source) => source.variant === a)) {
      const other = sources.find((source) => source.variant === b && source.model === one.model);
      if (other) return [one, other];
    }
  }
  return [ofVariant(sources, a, model), ofVariant(sources, b, model)];
}

export function chooseSources(
  sources: readonly Source[],
  timelines: readonly Timeline[],
  wanted: Wanted,
): Shown | null {
  const byId = (id: string | null): Source | undefined =>
    id === null ? undefined : sources.find((source) => source.id === id);
  const [named, other] = [byId(wanted.graph), byId(wanted.with)];
  if (named) return { a: named, b: other && other.id !== named.id ? other : null, ...stageOf(named, other, timelines) };
  const [a, b] = pairOf(sources, wanted);
  if (a && b && a.id !== b.id && wanted.stage === null) return { a, b, ...stageOf(a, b, timelines) };
  const timeline =
    timelines.find((one) => (wanted.model === null || one.model === wanted.model) && one.has_graph.some(Boolean)) ??
    (a || b ? undefined : timelines.find((one) => one.has_graph.some(Boolean)));
  if (timeline) {
    const withGraph = timeline.names.map((_, i) => i).filter((i) => timeline.has_graph[i]);
    const ofStage = (i: number | undefined): Source | undefined =>
      sources.find((source) => i !== undefined && source.run === timeline.runs[i]);
    const chosen = withGraph.find((i) => timeline.names[i] === wanted.stage) ?? withGraph.at(-1);
    const [first, shown] = [ofStage(withGraph[0]), ofStage(chosen)];
    if (shown)
      return { a: first ?? shown, b: first && first.id !== shown.id ? shown : null, timeline, stage: chosen ?? 0 };
  }
  const only = a ?? b ?? sources.find((source) => wanted.model !== null && source.model === wanted.model) ?? sources[0];
  return only ? { a: only, b: null, ...stageOf(only, undefined, timelines) } : null;
}

function stageOf(a: Source, b: Source | undefined, timelines: readonly Timeline[]): Pick<Shown, "timeline" | "stage"> {
  for (const source of [b, a]) {
    const timeline = timelines.find((one) => source && one.runs.includes(source.run));
    if (timeline && source) return { timeline, stage: timeline.runs.indexOf(source.run) };
  }
  return { timeline: null, stage: 0 };
}

/**
 * Whether the page still shows another stage than the requested stage. False if no stage with a graph has the requested
 * name.
 */
export function isOnItsWay({ timeline, stage }: Pick<Shown, "timeline" | "stage">, wanted: string | null): boolean {
  const at = timeline?.names.indexOf(wanted ?? "") ?? -1;
  return at >= 0 && at !== stage && timeline?.has_graph[at] === true;
}

/** The name of a graph: its variant, or its run if the variant is unknown. */
export function nameOf(source: Source): string {
  const name = source.variant || source.run;
  return source.kind === "run" ? name : `${name} (${source.kind === "functions" ? source.tag : source.kind})`;
}
