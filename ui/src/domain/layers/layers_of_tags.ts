// Finds layer names in tags, for the search: <model>/layers/<layer>/<what>/<variant> of Compression Board's writers,
// <layer>/<what>/fp32 of other programs. Pure functions.

export interface NamedLayer {
  readonly model: string | null;
  readonly layer: string;
}

const OWN = /^(.+?)\/layers\/(.+)\/[^/]+\/[^/]+$/;
const OTHERS = /^(.+)\/[^/]+\/(?:fp32|int8)$/;
const NO_LAYERS = /\/(?:metrics|performance|per_class|latency_distribution)(?:\/|$)/;

export function layersOfTags(tags: readonly string[]): NamedLayer[] {
  const found = new Map<string, NamedLayer>();
  for (const tag of tags) {
    if (NO_LAYERS.test(tag)) continue;
    const own = OWN.exec(tag);
    const layer = own?.[2] ?? OTHERS.exec(tag)?.[1];
    if (layer === undefined) continue;
    const model = own?.[1] ?? null;
    found.set(`${model}\0${layer}`, { model, layer });
  }
  return [...found.values()];
}
