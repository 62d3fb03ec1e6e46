// Compares two histograms of one tensor, before and after compression, and finds the damage and its
// cause.
//
// Histograms show a wrong scale, an offset, clipping, and a range stretched by outliers. They do
// not show swapped channels, and rarely show a single dead channel or channels of very different
// magnitude that share a scale. For these causes, log the SQNR per channel.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "cboard/analysis/value_distribution.h"
#include "cboard/verdict/damage.h"

namespace cboard::analysis {

struct HistogramComparison {
  double w1_by_sigma = 0;  // Wasserstein distance, in standard deviations of the baseline.
  // Upper bound of the SQNR: 20 log10(rms / Wasserstein2). +inf if the distance is 0.
  double sqnr_at_most_db = 0;
  double range_ratio = 0;          // (max - min) of the variant / (max - min) of the baseline.
  double deviation_ratio = 0;      // Standard deviation of the variant / that of the baseline.
  double mean_shift_by_sigma = 0;  // (mean of variant - mean of baseline) / sigma
  double kl = 0;                   // Kullback-Leibler, in nats, on bins aligned to the codes.
  double clipped_share = 0;        // Share of baseline values outside the variant's range.
  double codes_used = 0;           // Estimated number of codes that hold a value of the variant.
  double central_codes = 0;        // Number of codes for the middle 99.9 % of the baseline.

  // True if both histograms are equal. The histograms then do not show an error, although there may
  // be one.
  bool is_identical() const { return std::isinf(sqnr_at_most_db) && sqnr_at_most_db > 0; }
};

// Default number of codes, for 8 bits. Variants with 4 bits have fewer.
inline constexpr int kDefaultCodes = 256;

// Compares two distributions. Assumes that the variant is quantized uniformly between its min and
// max to `codes` codes, at least 2. Ratios to a baseline whose values are all equal are 0 or
// infinite.
HistogramComparison CompareDistributions(const ValueDistribution& baseline,
                                         const ValueDistribution& variant,
                                         int codes = kDefaultCodes);

using verdict::Cause;
using verdict::Diagnosis;
using verdict::Level;
using verdict::NameOf;
using verdict::Thresholds;
using verdict::ThresholdsFor;

// Equal histograms measure nothing: either this tensor was not quantized, or the same values were
// logged twice. The level is then kUnmeasured.
//
// The cause is the one that explains most of the distance: each candidate is undone on the
// baseline, and the residual is measured. If no candidate explains half of the distance, the cause
// is kChanged. Pruning is amber at most: it is intended, and no range or scale would repair it.
Diagnosis DiagnoseHistograms(const ValueDistribution& baseline, const ValueDistribution& variant,
                             const HistogramComparison& comparison,
                             const Thresholds& thresholds = {}, int codes = kDefaultCodes);

}  // namespace cboard::analysis
