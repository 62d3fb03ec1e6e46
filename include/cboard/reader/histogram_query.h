// Histograms with their logged bins, in one form for all formats in which they are logged, and
// values for charts: shared bins, percentiles, cumulative shares.
//
//   CBOARD_ASSIGN_OR_RETURN(const auto steps,
//                           ReadHistograms(run, tag, SelectSteps(tag.size(), 51)));
//   const std::vector<double> edges = SharedEdges(histograms, BarCount(histograms));
//   const RebinnedHistogram bars = Rebin(histogram.bins, edges);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::reader {

// A bin of a histogram. It counts the values in (left, right]; a bin of zero width counts values
// equal to its edge.
struct HistogramBin {
  double left = 0;
  double right = 0;
  double count = 0;

  friend bool operator==(const HistogramBin&, const HistogramBin&) = default;
};

// The fields of a HistogramProto besides its bins: min, max, count and sums.
struct HistogramMoments {
  double min = 0;
  double max = 0;
  double sum = 0;
  double sum_squares = 0;
};

struct LoggedHistogram {
  // The bins, in the order of the log, which is ascending in all known writers, without empty bins
  // at either end. All edges are finite.
  std::vector<HistogramBin> bins;
  double count = 0;     // Sum over bins and `unplaced`; the number stored in the log may differ.
  double unplaced = 0;  // Count of values in bins without a finite edge, which no axis can show.
  std::optional<HistogramMoments> moments;  // Not set for tensors.
  // True if the logged limits were left edges, as in the Model Compression Toolkit.
  bool left_edges = false;
};

// Parses a serialized Summary.Value: a HistogramProto, or a tensor [k, 3] of (left, right,
// count).
//
// HistogramProto: bin i is between limit i - 1 and limit i. The first bin has no left limit, so
// it starts at the min. The outermost bins with values end at min and max, even if their limits
// are the largest representable numbers, which TensorFlow uses for open bins. The limits are left
// edges if they start at `min`, end below `max`, and `num` is the number of bins.
//
// The values of a bin that is infinite on one side are placed at its finite edge.
//
// Fails with kDataLoss if the value is neither of the two, if limits do not ascend, or if edges
// are NaN, and with kResourceExhausted beyond kMaxHistogramBins.
Result<LoggedHistogram> ParseHistogramValue(std::string_view value);

inline constexpr std::size_t kMaxHistogramBins = std::size_t{1} << 20;

// Converts a histogram as one of TensorBoard's two loaders does: kPython drops empty bins at both
// ends and rounds to float; kRust keeps all bins. Both begin at `min` and end at `max`. Tensors are
// not changed.
enum class TensorBoardLoader { kPython, kRust };
Result<std::vector<HistogramBin>> TensorBoardBins(std::string_view value, TensorBoardLoader loader);

// The percentiles of TensorBoard's distribution charts, in hundredths of a percent: the quantiles
// of a normal distribution at -inf, -1.5, -1, -.5, 0, … standard deviations.
inline constexpr std::array<double, 9> kDistributionBasisPoints = {0,    668,  1587, 3085, 5000,
                                                                   6915, 8413, 9332, 10000};

// Computes the percentiles `basis_points` (in hundredths of a percent), interpolated inside bins,
// exactly as TensorBoard does; zeros if there are no bins. `basis_points` must ascend to 10000.
std::vector<double> CompressHistogram(std::span<const HistogramBin> bins,
                                      std::span<const double> basis_points);
inline std::vector<double> Distribution(std::span<const HistogramBin> bins) {
  return CompressHistogram(bins, kDistributionBasisPoints);
}

// Computes the share of values at or below each edge, from (first left, 0) to (last right, 1). Bins
// must ascend; the result is empty if nothing was counted.
struct CumulativePoint {
  double x = 0;
  double share = 0;
};
std::vector<CumulativePoint> CumulativeShares(std::span<const HistogramBin> bins);

// Limits and choice of the number of bars. More values give more bars, because the height of a bar
// with few values is uncertain (Rice's rule). The number is odd, so that equal values are in the
// middle of a bar.
inline constexpr std::size_t kMinBars = 31;  // TensorBoard draws 30.
inline constexpr std::size_t kMaxBars = 81;  // More bars would show the grid of 8-bit codes.
std::size_t BarCount(std::span<const LoggedHistogram> histograms);

// Returns the edges of `bins` bars of equal width, from the smallest left edge to the largest right
// edge of bins with values. With equal widths, the height of a bar is proportional to its area; the
// logged bins of most writers differ in width. Ascending, at least two edges; empty if nothing was
// counted.
std::vector<double> SharedEdges(std::span<const LoggedHistogram> histograms, std::size_t bins);

struct RebinnedHistogram {
  std::vector<double> counts;  // One less than the number of edges.
  double below = 0;            // Left of the first edge.
  double above = 0;            // Right of the last edge.
};

// Distributes each bin evenly over its width and counts again. A bin of zero width is added to the
// bin that contains its edge, or that ends there. Sums are equal except for rounding. `edges` must
// ascend. Takes linear time if bins ascend and do not overlap.
RebinnedHistogram Rebin(std::span<const HistogramBin> bins, std::span<const double> edges);

// Chooses at most `max_steps` of `count` steps, evenly spread, including the first and the last.
// For max_steps = 1, the last one.
std::vector<std::size_t> SelectSteps(std::size_t count, std::size_t max_steps);

struct HistogramStep {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  LoggedHistogram histogram;
};

// Reads the values of `tag` with these indices from the run's files. Fails like ReadBlob and
// ParseHistogramValue.
Result<std::vector<HistogramStep>> ReadHistograms(const Run& run, const Tag& tag,
                                                  std::span<const std::size_t> indices);

}  // namespace cboard::reader
