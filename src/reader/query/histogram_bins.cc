// Computes data for histogram charts: percentiles, cumulative shares, counts in other bins.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cboard/base/check.h"
#include "cboard/base/pairwise_sum.h"
#include "cboard/reader/histogram_query.h"

namespace cboard::reader {
namespace {

// These functions behave like Python's max and min: if two values cannot be compared, they return
// the first.
double PythonMax(double a, double b) { return b > a ? b : a; }
double PythonMin(double a, double b) { return b < a ? b : a; }

// Returns half of the width right - left. Both edges are halved first, because their difference
// could overflow a double.
double HalfWidth(double left, double right) { return right * 0.5 - left * 0.5; }

}  // namespace

std::vector<double> CompressHistogram(std::span<const HistogramBin> bins,
                                      std::span<const double> basis_points) {
  std::vector<double> result;
  result.reserve(basis_points.size());
  if (bins.empty()) {
    result.resize(basis_points.size());
    return result;
  }
  std::vector<double> weights;
  weights.reserve(bins.size());
  for (const HistogramBin& bin : bins) weights.push_back(bin.count);
  double total = PairwiseSum(weights);
  if (total == 0) total = 1;
  double cumulative = 0;
  for (double& weight : weights) weight = cumulative += weight * basis_points.back() / total;

  const double least = bins.front().left, greatest = bins.back().right;
  for (const double point : basis_points) {
    auto i = static_cast<std::size_t>(std::ranges::upper_bound(weights, point) - weights.begin());
    const auto before = [&] { return i > 0 ? weights[i - 1] : 0.0; };
    while (i < weights.size() && weights[i] == before()) ++i;
    if (i == weights.size()) break;
    const double left = i == 0 || before() == 0 ? least : PythonMax(bins[i - 1].right, least);
    const double right = PythonMin(bins[i].right, greatest);
    result.push_back(left + (point - before()) * (right - left) / (weights[i] - before()));
  }
  result.resize(basis_points.size(), greatest);
  return result;
}

std::vector<CumulativePoint> CumulativeShares(std::span<const HistogramBin> bins) {
  double total = 0;
  for (const HistogramBin& bin : bins) total += bin.count;
  std::vector<CumulativePoint> points;
  if (!(total > 0)) return points;
  points.reserve(bins.size() + 1);
  points.push_back({bins.front().left, 0});
  double seen = 0;
  for (const HistogramBin& bin : bins) {
    // If there is a gap between two bins, the cumulative curve is horizontal there.
    if (bin.left > points.back().x) points.push_back({bin.left, seen / total});
    points.push_back({bin.right, (seen += bin.count) / total});
  }
  points.back().share = 1;
  return points;
}

std::size_t BarCount(std::span<const LoggedHistogram> histograms) {
  double most = 0;
  for (const LoggedHistogram& histogram : histograms) most = std::max(most, histogram.count);
  const double bars = std::clamp(2 * std::cbrt(most), double{kMinBars}, double{kMaxBars});
  return static_cast<std::size_t>(bars) | 1;
}

std::vector<double> SharedEdges(std::span<const LoggedHistogram> histograms, std::size_t bins) {
  CBOARD_CHECK(bins > 0);
  std::vector<double> edges;
  double least = std::numeric_limits<double>::infinity(), greatest = -least;
  for (const LoggedHistogram& histogram : histograms) {
    for (const HistogramBin& bin : histogram.bins) {
      if (!(bin.count > 0)) continue;
      least = std::min({least, bin.left, bin.right});
      greatest = std::max({greatest, bin.left, bin.right});
    }
  }
  if (!(least <= greatest)) return edges;
  if (least == greatest) {  // If all values are equal, the axis is widened around the value.
    const double margin = least == 0 ? 0.5 : std::abs(least) * 0.1;
    least = std::max(least - margin, -std::numeric_limits<double>::max());
    greatest = std::min(greatest + margin, std::numeric_limits<double>::max());
  }
  const double half = HalfWidth(least, greatest);
  edges.reserve(bins + 1);
  for (std::size_t i = 0; i <= bins; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(bins);
    const double edge = i == bins ? greatest : least + half * share + half * share;
    // If the range contains only a few different doubles, it cannot be divided into so many bins.
    // Equal edges are then omitted.
    if (edges.empty() || edge > edges.back()) edges.push_back(edge);
  }
  return edges;
}

RebinnedHistogram Rebin(std::span<const HistogramBin> bins, std::span<const double> edges) {
  RebinnedHistogram result;
  if (edges.size() < 2) {
    for (const HistogramBin& bin : bins) result.above += bin.count;
    return result;
  }
  result.counts.resize(edges.size() - 1);
  const double first = edges.front(), last = edges.back();
  std::size_t hint = 0;  // The bin in which the previous bin started; bins are usually ascending.
  for (const HistogramBin& bin : bins) {
    const double left = std::min(bin.left, bin.right), right = std::max(bin.left, bin.right);
    const double half = HalfWidth(left, right);
    if (!(half > 0) || !std::isfinite(half)) {
      // The bin has no width: all its values equal the edge. The new bins are (left, right], so the
      // values belong to the bin that ends at this edge or contains it.
      if (right < first) {
        result.below += bin.count;
      } else if (right > last) {
        result.above += bin.count;
      } else {
        const auto above = std::ranges::lower_bound(edges, right) - edges.begin();
        result.counts[static_cast<std::size_t>(std::max<std::ptrdiff_t>(above, 1)) - 1] +=
            bin.count;
      }
      continue;
    }
    double rest = bin.count;
    const auto take = [&](double from, double to) {
      const double part = std::min(1.0, HalfWidth(from, to) / half) * bin.count;
      rest -= part;
      return part;
    };
    // The new bin in which the logged bin ends gets the rest of the count, so that the sum stays
    // equal despite rounding.
    double* end = nullptr;
    if (left < first) result.below += take(left, std::min(right, first)), end = &result.below;
    if (right > first && left < last) {
      if (edges[hint] > left || edges[hint + 1] <= left) {
        const auto above = std::ranges::upper_bound(edges, left) - edges.begin();
        hint = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
            above - 1, 0, static_cast<std::ptrdiff_t>(edges.size()) - 2));
      }
      for (std::size_t i = hint; i + 1 < edges.size() && edges[i] < right; ++i) {
        const double from = std::max(left, edges[i]), to = std::min(right, edges[i + 1]);
        if (!(from < to)) continue;
        result.counts[i] += take(from, to);
        end = &result.counts[i];
        hint = i;
      }
    }
    if (right > last) result.above += take(std::max(left, last), right), end = &result.above;
    if (end != nullptr) *end += rest;
  }
  return result;
}

std::vector<std::size_t> SelectSteps(std::size_t count, std::size_t max_steps) {
  std::vector<std::size_t> indices;
  if (count == 0 || max_steps == 0) return indices;
  if (max_steps == 1) return {count - 1};
  const std::size_t shown = std::min(count, max_steps);
  indices.reserve(shown);
  for (std::size_t i = 0; i < shown; ++i) {
    indices.push_back(shown == 1 ? 0 : i * (count - 1) / (shown - 1));
  }
  return indices;
}

}  // namespace cboard::reader
