/**
 * The value that would be at `rank` if `values` were sorted; their order changes. Takes time in
 * proportion to how many there are, where sorting a chart's points takes longer than drawing them.
 */
export function ranked(values: Float64Array, rank: number): number {
  let [lo, hi] = [0, values.length - 1];
  while (lo < hi) {
    const pivot = values[(lo + hi) >> 1] ?? NaN;
    let [i, j] = [lo, hi];
    while (i <= j) {
      while ((values[i] ?? NaN) < pivot) i += 1;
      while ((values[j] ?? NaN) > pivot) j -= 1;
      if (i > j) break;
      const swapped = values[i] ?? NaN;
      values[i] = values[j] ?? NaN;
      values[j] = swapped;
      i += 1;
      j -= 1;
    }
    // Up to j nothing is larger than the pivot, from i on nothing smaller, in between all are equal.
    if (rank <= j) hi = j;
    else if (rank >= i) lo = i;
    else return pivot;
  }
  return values[rank] ?? NaN;
}
