#include "cboard/analysis/histogram_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cboard/base/check.h"

namespace cboard::analysis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Share of values at each end that `central_codes` ignores.
constexpr double kTail = 0.0005;

// Number of bins for the Kullback-Leibler divergence: fewer than codes, so that quantized values
// fill all bins.
constexpr int kAlignedBins = 64;

// The divergence needs positive shares, so an empty bin is assumed to contain this share of the
// values.
constexpr double kEmptyShare = 1e-6;

double Ratio(double part, double whole) {
  if (whole > 0) return part / whole;
  return part == 0 ? 0 : std::copysign(kInfinity, part);
}

// The quantization grid: the evenly spaced codes in the range of a variant.
struct Grid {
  double low, step;
  int codes;

  // Returns the border between a code and the previous code, halfway between their values.
  double Border(double code) const { return low + (code - 0.5) * step; }
};

double KullbackLeibler(const ValueDistribution& baseline, const ValueDistribution& variant,
                       Grid grid) {
  if (grid.step <= 0) {  // The variant has no range: uses the baseline's range.
    grid.low = std::min(baseline.min(), variant.min());
    grid.step = (std::max(baseline.max(), variant.max()) - grid.low) / (grid.codes - 1);
  }
  if (grid.step <= 0) return 0;
  const int bins = std::min(kAlignedBins, grid.codes);
  double sum = 0, below_p = 0, below_q = 0;
  // The first and last bin count values outside the grid.
  for (int bin = 0; bin <= bins + 1; ++bin) {
    const double border = grid.Border(static_cast<double>(bin) * grid.codes / bins);
    const double end_p = bin > bins ? 1 : baseline.ShareBelow(border);
    const double end_q = bin > bins ? 1 : variant.ShareBelow(border);
    const double total = 1 + (bins + 2) * kEmptyShare;
    const double p = (end_p - below_p + kEmptyShare) / total;
    const double q = (end_q - below_q + kEmptyShare) / total;
    sum += p * std::log(p / q);
    below_p = end_p;
    below_q = end_q;
  }
  return std::max(sum, 0.0);
}

double CodesUsed(const ValueDistribution& variant, const Grid& grid) {
  if (grid.step <= 0) return 1;
  double used = 0, below = 0;
  for (int code = 0; code < grid.codes; ++code) {
    const double end = code + 1 == grid.codes ? 1 : variant.ShareBelow(grid.Border(code + 1));
    if ((end - below) * variant.count() >= 0.5) ++used;
    below = end;
  }
  return used;
}

}  // namespace

HistogramComparison CompareDistributions(const ValueDistribution& baseline,
                                         const ValueDistribution& variant, int codes) {
  CBOARD_CHECK(codes >= 2);
  const double range = variant.max() - variant.min();
  const Grid grid{variant.min(), range / (codes - 1), codes};
  const double sigma = baseline.deviation();
  const double error = Wasserstein2(baseline, variant);
  HistogramComparison result;
  result.w1_by_sigma = Ratio(Wasserstein1(baseline, variant), sigma);
  result.sqnr_at_most_db =
      error > 0 ? 20 * std::log10(baseline.root_mean_square() / error) : kInfinity;
  result.range_ratio = Ratio(range, baseline.max() - baseline.min());
  result.deviation_ratio = Ratio(variant.deviation(), sigma);
  result.mean_shift_by_sigma = Ratio(variant.mean() - baseline.mean(), sigma);
  result.kl = KullbackLeibler(baseline, variant, grid);
  // Values up to half a code beyond the range are rounded, not clipped.
  const double below = baseline.ShareBelow(std::nextafter(grid.Border(0), -kInfinity));
  result.clipped_share = below + 1 - baseline.ShareBelow(grid.Border(codes));
  result.codes_used = CodesUsed(variant, grid);
  const double central = std::min(baseline.Quantile(1 - kTail), variant.max()) -
                         std::max(baseline.Quantile(kTail), variant.min());
  result.central_codes =
      grid.step > 0 ? std::min(std::max(central, 0.0) / grid.step + 1, double(codes)) : 1;
  return result;
}

}  // namespace cboard::analysis
