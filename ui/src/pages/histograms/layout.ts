// Histograms over steps as ridges, one behind the other, the newest in front. Pure.
import { extent, linearScale, type Scale } from "../../lib/scale";

export interface Steps {
  readonly steps: readonly number[];
  readonly lefts: readonly (readonly number[])[];
  readonly rights: readonly (readonly number[])[];
  readonly counts: readonly (readonly number[])[];
}

export interface Ridge {
  readonly step: number;
  readonly baseline: number;
  readonly path: string;
  readonly age: number; // 0: the oldest, 1: the newest.
}

export interface RidgeLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly x: Scale;
  readonly ridges: readonly Ridge[];
}

/** Counts per width, since bins may differ in it. */
function densities(lefts: readonly number[], rights: readonly number[], counts: readonly number[]): number[] {
  const total = counts.reduce((sum, c) => sum + c, 0) || 1;
  return counts.map((c, i) => {
    const width = (rights[i] ?? 0) - (lefts[i] ?? 0);
    return width > 0 ? c / total / width : 0;
  });
}

export function layoutRidges(data: Steps, width: number, height: number, overlay: boolean): RidgeLayout | null {
  const box = { l: 12, r: width - 56, t: 8, b: height - 22 };
  const edges = data.lefts.flatMap((lefts, s) => {
    const filled = (data.counts[s] ?? []).map((c, i) => (c > 0 ? i : -1)).filter((i) => i >= 0);
    const [first, last] = [filled[0], filled.at(-1)];
    return first === undefined || last === undefined ? [] : [lefts[first] ?? 0, data.rights[s]?.[last] ?? 0];
  });
  const range = extent(edges);
  if (!range || box.r - box.l < 40) return null;
  const x = linearScale(range[0], range[1] === range[0] ? range[0] + 1 : range[1], box.l, box.r);
  const all = data.steps.map((_, s) => densities(data.lefts[s] ?? [], data.rights[s] ?? [], data.counts[s] ?? []));
  const most = Math.max(...all.map((d) => Math.max(0, ...d)), 1e-300);
  const room = box.b - box.t;
  const rise = overlay || data.steps.length === 1 ? room * 0.94 : room * 0.4;
  const ridges = data.steps.map((step, s): Ridge => {
    const age = data.steps.length === 1 ? 1 : s / (data.steps.length - 1);
    const baseline = overlay ? box.b : box.t + rise + (room - rise) * age;
    let path = "";
    all[s]?.forEach((density, i) => {
      const y = (baseline - (density / most) * rise).toFixed(1);
      const [from, to] = [x(data.lefts[s]?.[i] ?? 0), x(data.rights[s]?.[i] ?? 0)];
      if (to < box.l - 1 || from > box.r + 1) return;
      path += path === "" ? `M${from.toFixed(1)} ${baseline.toFixed(1)}V${y}H${to.toFixed(1)}` : `V${y}H${to.toFixed(1)}`;
    });
    if (path) path += `V${baseline.toFixed(1)}`;
    return { step, baseline, path, age };
  });
  return { box, x, ridges };
}
