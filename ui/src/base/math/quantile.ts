// Quantiles of histograms.

/** The value below which a given share of the counts lies. It is interpolated linearly inside its bin. */
export function quantile(edges: readonly number[], counts: readonly number[], share: number): number {
  const total = counts.reduce((sum, c) => sum + c, 0);
  let before = 0;
  for (let i = 0; i < counts.length; i += 1) {
    const c = counts[i] ?? 0;
    if (c > 0 && before + c >= share * total) {
      const inside = (share * total - before) / c;
      return (edges[i] ?? 0) + inside * ((edges[i + 1] ?? 0) - (edges[i] ?? 0));
    }
    before += c;
  }
  return edges.at(-1) ?? NaN;
}
