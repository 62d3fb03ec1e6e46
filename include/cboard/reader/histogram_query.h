// Reads histograms with their logged bins. The result has one form for all formats in which
// histograms are logged. Also computes values for charts: shared bins, percentiles, cumulative
// shares.
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

// The fields of a HistogramProto besides its bins: min, max and sums.
struct HistogramMoments {
  double min = 0;
  double max = 0;
  double sum = 0;
  double sum_squares = 0;
};

struct LoggedHistogram {
  // The bins in the order of the log, which is ascending for all known writers. Empty bins at both
  // ends are omitted. All edges are finite.
  std::vector<HistogramBin> bins;
  double count = 0;     // Sum over bins and `unplaced`; the number stored in the log may differ.
  double unplaced = 0;  // Count of values in bins without a finite edge, which no axis can show.
  std::optional<HistogramMoments> moments;  // Not set for tensors.
  // True if the logged limits are left edges of bins, as the Model Compression Toolkit writes them.
  bool left_edges = false;
};

// Parses a serialized Summary.Value. It contains a HistogramProto, or a tensor of shape [k, 3] with
// the columns left, right and count.
//
// In a HistogramProto, bin i is between limit i - 1 and limit i. The first bin has no left limit,
// so it starts at the min. The first and the last bin with values end at min and max, even if their
// limits are the largest representable numbers, which TensorFlow uses for open bins. The limits are
// treated as left edges if they start at `min`, end below `max`, and `num` is the number of bins.
//
// The values of a bin that is infinite on one side are placed at its finite edge.
//
// Fails with kDataLoss if the value is neither a HistogramProto nor such a tensor, if limits do not
// ascend, or if edges are NaN. Fails with kResourceExhausted if there are more than
// kMaxHistogramBins bins.
Result<LoggedHistogram> ParseHistogramValue(std::string_view value);

inline constexpr std::size_t kMaxHistogramBins = std::size_t{1} << 20;

// Converts a histogram like one of TensorBoard's two loaders: kPython drops empty bins at both ends
// and rounds to float; kRust keeps all bins. In both, the first bin begins at `min` and the last
// one ends at `max`. Tensors are not changed.
enum class TensorBoardLoader { kPython, kRust };
Result<std::vector<HistogramBin>> TensorBoardBins(std::string_view value, TensorBoardLoader loader);

// The percentiles of TensorBoard's distribution charts, in hundredths of a percent. They are the
// quantiles of a normal distribution at -inf, -1.5, -1, -.5, 0, … standard deviations.
inline constexpr std::array<double, 9> kDistributionBasisPoints = {0,    668,  1587, 3085, 5000,
                                                                   6915, 8413, 9332, 10000};

// Computes the percentiles `basis_points`, which are in hundredths of a percent. Interpolates
// inside bins exactly like TensorBoard; returns zeros if there are no bins. `basis_points` must
// ascend to 10000.
std::vector<double> CompressHistogram(std::span<const HistogramBin> bins,
                                      std::span<const double> basis_points);
inline std::vector<double> Distribution(std::span<const HistogramBin> bins) {
  return CompressHistogram(bins, kDistributionBasisPoints);
}

// Computes the share of values at or below each edge, from (first left edge, 0) to (last right
// edge, 1). Bins must ascend. The result is empty if all counts are zero.
struct CumulativePoint {
  double x = 0;
  double share = 0;
};
std::vector<CumulativePoint> CumulativeShares(std::span<const HistogramBin> bins);

// The number of bars of a histogram chart, and its limits. More values give more bars (Rice's
// rule), because the height of a bar with few values is uncertain. The number is odd: if all values
// are equal, they are then in the middle of a bar.
inline constexpr std::size_t kMinBars = 31;  // TensorBoard draws 30.
inline constexpr std::size_t kMaxBars = 81;  // More bars would show the grid of 8-bit codes.
std::size_t BarCount(std::span<const LoggedHistogram> histograms);

// Returns the edges of `bins` bars of equal width, from the smallest left edge to the largest right
// edge of all bins with values. Bars of equal width have heights proportional to their areas; the
// logged bins of most writers differ in width. The edges ascend, and there are at least two. The
// result is empty if all counts are zero.
std::vector<double> SharedEdges(std::span<const LoggedHistogram> histograms, std::size_t bins);

struct RebinnedHistogram {
  std::vector<double> counts;  // One less than the number of edges.
  double below = 0;            // Left of the first edge.
  double above = 0;            // Right of the last edge.
};

// Distributes the count of each bin evenly over its width, and counts again in the bins between
// `edges`. A bin of zero width is added to the new bin that contains its edge, or that ends there.
// Sums are equal except for rounding. `edges` must ascend. Takes linear time if bins ascend and do
// not overlap.
RebinnedHistogram Rebin(std::span<const HistogramBin> bins, std::span<const double> edges);

// Chooses at most `max_steps` of `count` steps. They are evenly spread, and include the first and
// the last step. If max_steps is 1, chooses the last step.
std::vector<std::size_t> SelectSteps(std::size_t count, std::size_t max_steps);

struct HistogramStep {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  LoggedHistogram histogram;
};

// Reads the values of `tag` at the given indices from the run's files. Fails like ReadBlob and
// ParseHistogramValue.
Result<std::vector<HistogramStep>> ReadHistograms(const Run& run, const Tag& tag,
                                                  std::span<const std::size_t> indices);

}  // namespace cboard::reader
