// Histograms with the bins that were logged, in one form whatever form they were logged in, and
// what charts make of them: shared bins, percentiles, cumulative shares.
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

// Counts values in (left, right]; a bin of no width counts values equal to its edge.
struct HistogramBin {
  double left = 0;
  double right = 0;
  double count = 0;

  friend bool operator==(const HistogramBin&, const HistogramBin&) = default;
};

// Fields of a HistogramProto besides its bins.
struct HistogramMoments {
  double min = 0;
  double max = 0;
  double sum = 0;
  double sum_squares = 0;
};

struct LoggedHistogram {
  // In the order logged, which is ascending in all known writers, without empty bins at either end.
  // All edges are finite.
  std::vector<HistogramBin> bins;
  double count = 0;     // Over bins and `unplaced`; the number stored may be something else.
  double unplaced = 0;  // Values of bins without a finite edge: no axis can show them.
  std::optional<HistogramMoments> moments;  // Not set for tensors.
  bool left_edges = false;  // The limits were left edges, as the Model Compression Toolkit has it.
};

// From a serialized Summary.Value, a HistogramProto or a tensor [k, 3] of (left, right, count).
//
// HistogramProto: bin i reaches from limit i - 1 to limit i. The first has no left limit: it begins
// at the min. The outermost bins that hold anything end at min and max,
// also where their limits are at the end of the number range (how TensorFlow writes "everything
// beyond"). Where the limits begin at `min`, end below `max` and `num` is the number of bins, they
// are left edges.
//
// A bin that is infinite on one side holds its values at its finite edge.
//
// Fails with kDataLoss when the value is neither, when limits do not ascend, or edges are NaN, and
// with kResourceExhausted beyond kMaxHistogramBins.
Result<LoggedHistogram> ParseHistogramValue(std::string_view value);

inline constexpr std::size_t kMaxHistogramBins = std::size_t{1} << 20;

// How TensorBoard shows the same value, by its two loaders: kPython drops empty bins at both ends
// and rounds to float; kRust keeps all. Both begin at `min` and end at `max`. Tensors are shown as
// they are.
enum class TensorBoardLoader { kPython, kRust };
Result<std::vector<HistogramBin>> TensorBoardBins(std::string_view value, TensorBoardLoader loader);

// The points of TensorBoard's distribution charts, in hundredths of a percent: the quantiles of a
// normal distribution at -inf, -1.5, -1, -.5, 0, … standard deviations.
inline constexpr std::array<double, 9> kDistributionBasisPoints = {0,    668,  1587, 3085, 5000,
                                                                   6915, 8413, 9332, 10000};

// The values below which so many hundredths of a percent lie, interpolated inside bins, exactly as
// TensorBoard computes them; zeros when there are no bins. `basis_points` must ascend to 10000.
std::vector<double> CompressHistogram(std::span<const HistogramBin> bins,
                                      std::span<const double> basis_points);
inline std::vector<double> Distribution(std::span<const HistogramBin> bins) {
  return CompressHistogram(bins, kDistributionBasisPoints);
}

// The share of values at or below each edge, from (first left, 0) to (last right, 1). Bins must
// ascend; empty when nothing was counted.
struct CumulativePoint {
  double x = 0;
  double share = 0;
};
std::vector<CumulativePoint> CumulativeShares(std::span<const HistogramBin> bins);

// Bars that show these histograms: more for more values, since the height of a bar with few values
// means little (Rice's rule), and an odd number, so that equal values stand in the middle of one.
inline constexpr std::size_t kMinBars = 31;  // TensorBoard draws 30.
inline constexpr std::size_t kMaxBars = 81;  // More would show which codes of 8 bits share a bar.
std::size_t BarCount(std::span<const LoggedHistogram> histograms);

// Edges of `bins` bars of equal width, from the least left edge to the greatest right edge of bins
// that hold anything. On bars of one width, height means the same as area: the logged bins of most
// writers differ in width. Ascending, at least two, unless nothing was counted: then none.
std::vector<double> SharedEdges(std::span<const LoggedHistogram> histograms, std::size_t bins);

struct RebinnedHistogram {
  std::vector<double> counts;  // One fewer than edges.
  double below = 0;            // Left of the first edge.
  double above = 0;            // Right of the last.
};

// Spreads each bin evenly over its width and counts again; a bin of no width goes to the bin that
// its edge lies in, or ends. No mass is lost: the sums are equal but for rounding. `edges` must
// ascend. Takes time in proportion to bins plus edges, for bins that ascend and do not overlap.
RebinnedHistogram Rebin(std::span<const HistogramBin> bins, std::span<const double> edges);

// Which of `count` steps to show when there is room for `max_steps`: evenly spread, the first and
// the last among them. For max_steps = 1 the last.
std::vector<std::size_t> SelectSteps(std::size_t count, std::size_t max_steps);

struct HistogramStep {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  LoggedHistogram histogram;
};

// The values of `tag` with these indices, read from the run's files. Fails as ReadBlob and
// ParseHistogramValue do.
Result<std::vector<HistogramStep>> ReadHistograms(const Run& run, const Tag& tag,
                                                  std::span<const std::size_t> indices);

}  // namespace cboard::reader
