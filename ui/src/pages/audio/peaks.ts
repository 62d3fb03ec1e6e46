// The outline of a sound: min and max of its samples in each pixel column. Pure functions.

export interface Peaks {
  readonly lows: Float32Array;
  readonly highs: Float32Array;
}

export function peaksOf(samples: Float32Array, columns: number): Peaks {
  const used = Math.max(0, Math.min(columns, samples.length));
  const [lows, highs] = [new Float32Array(used), new Float32Array(used)];
  for (let column = 0; column < used; column += 1) {
    const [from, to] = [
      Math.floor((column * samples.length) / used),
      Math.floor(((column + 1) * samples.length) / used),
    ];
    let [low, high] = [Infinity, -Infinity];
    for (let i = from; i < to; i += 1) {
      const sample = samples[i]!;
      if (sample < low) low = sample;
      if (sample > high) high = sample;
    }
    lows[column] = low;
    highs[column] = high;
  }
  return { lows, highs };
}

/** A closed outline in a box of this size; samples of -1 and 1 touch its edges. */
export function outlineOf({ lows, highs }: Peaks, width: number, height: number): string {
  if (lows.length === 0) return "";
  const x = (i: number): string => (lows.length === 1 ? width / 2 : (i / (lows.length - 1)) * width).toFixed(1);
  // Silence is drawn as a line of half a pixel.
  const y = (value: number, by: number): string =>
    (height / 2 - Math.max(-1, Math.min(1, value)) * (height / 2 - 1) + by).toFixed(1);
  const top = Array.from(highs, (value, i) => `${x(i)} ${y(value, -0.3)}`);
  const bottom = Array.from(lows, (value, i) => `${x(i)} ${y(value, 0.3)}`).reverse();
  return `M${[...top, ...bottom].join("L")}Z`;
}
