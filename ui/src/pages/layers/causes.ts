/** Names of causes: short in a column of the list, long as the headline of a diagnosis. */

const WORDS: Record<string, readonly [word: string, headline: string]> = {
  none: ["", "No damage to see"],
  // By histograms.
  dead: ["dead", "Dead"],
  clipped: ["clipped", "Clipped"],
  shifted: ["shifted", "Shifted"],
  scaled: ["scaled", "Wrong scale"],
  stretched: ["stretched", "Range stretched by outliers"],
  pruned: ["pruned", "Pruned"],
  carried: ["carried", "Perhaps a victim"],
  changed: ["changed", "Changed"],
  // By a comparison of two model files.
  wrong_scale: ["scaled", "Wrong scale"],
  bias_shift: ["bias", "Shifted bias"],
  outliers: ["outliers", "Outliers take the range"],
  over_clipped: ["clipped", "Clipped"],
  channel_spread: ["spread", "Unequal channels"],
  dead_channel: ["dead", "Dead channel"],
  permuted_channels: ["order", "Channels in another order"],
  not_finite: ["not finite", "Values that are NaN or infinite"],
};

export const causeWord = (cause: string): string => WORDS[cause]?.[0] ?? cause;
export const causeHeadline = (cause: string): string => WORDS[cause]?.[1] ?? cause;
