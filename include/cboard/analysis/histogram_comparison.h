// Compares two histograms of one tensor, before and after compression, and finds the damage and
// its cause.
//
// They see a wrong scale, an offset, clipping, and a range stretched by outliers. They cannot see
// channels that were swapped, and hardly one dead channel of many or channels of very different
// size under one scale: for these, log SQNR per channel.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "cboard/analysis/value_distribution.h"
#include "cboard/verdict/damage.h"

namespace cboard::analysis {

struct HistogramComparison {
  double w1_by_sigma = 0;      // Wasserstein distance, in standard deviations of the baseline.
  double sqnr_at_most_db = 0;  // SQNR cannot be better: 20 log10(rms / Wasserstein2). +inf if 0.
  double range_ratio = 0;      // (max - min) of the variant by that of the baseline.
  double deviation_ratio = 0;  // Standard deviations likewise.
  double mean_shift_by_sigma = 0;  // (mean of variant - mean of baseline) / sigma
  double kl = 0;                   // Kullback-Leibler, in nats, on bins aligned to the codes.
  double clipped_share = 0;        // Baseline values beyond the variant's range.
  double codes_used = 0;           // Estimate: codes that hold any value of the variant.
  double central_codes = 0;        // Codes that the middle 99.9 % of the baseline share.

  // Whether nothing differs: no error was measured, which is not the same as no error.
  bool is_identical() const { return std::isinf(sqnr_at_most_db) && sqnr_at_most_db > 0; }
};

// 8 bits. Fewer for 4-bit variants.
inline constexpr int kDefaultCodes = 256;

// Assumes that the variant is quantized uniformly between its min and max to `codes` codes, at
// least 2. Ratios to a baseline without spread are 0 or infinite.
HistogramComparison CompareDistributions(const ValueDistribution& baseline,
                                         const ValueDistribution& variant,
                                         int codes = kDefaultCodes);

using verdict::Cause;
using verdict::Diagnosis;
using verdict::Level;
using verdict::NameOf;
using verdict::Thresholds;
using verdict::ThresholdsFor;

// Histograms that do not differ at all measure nothing: either this tensor was not quantized, or
// the same values were logged twice. The level is then kUnmeasured.
//
// The cause is the one that explains most of the distance: each is undone on the baseline, and
// what is left is measured. When none explains half of it, it is kChanged. Pruning is to be watched
// at most: it is meant, and no range or scale would mend it.
Diagnosis DiagnoseHistograms(const ValueDistribution& baseline, const ValueDistribution& variant,
                             const HistogramComparison& comparison,
                             const Thresholds& thresholds = {}, int codes = kDefaultCodes);

}  // namespace cboard::analysis
