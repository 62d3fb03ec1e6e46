#include "cboard/tensor/histogram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "cboard/base/strings.h"
#include "cboard/tensor/convert.h"
#include "tensor/element_reader.h"
#include "tensor/histogram/bin_estimators.h"
#include "tensor/histogram/byte_counts.h"
#include "tensor/histogram/equal_bins.h"
#include "tensor/histogram/tensorboard_bins.h"
#include "tensor/statistics/statistics_builder.h"

namespace cboard::tensor {
namespace {

constexpr std::array<std::pair<std::string_view, BinEstimator>, 8> kEstimators = {{
    {"auto", BinEstimator::kAuto},
    {"fd", BinEstimator::kFd},
    {"doane", BinEstimator::kDoane},
    {"scott", BinEstimator::kScott},
    {"stone", BinEstimator::kStone},
    {"rice", BinEstimator::kRice},
    {"sturges", BinEstimator::kSturges},
    {"sqrt", BinEstimator::kSqrt},
}};

// The bins before merging and removing empty bins. counts[i] belongs to the bin from edges[i] to
// edges[i + 1].
struct Bins {
  std::vector<double> own_edges;  // Empty if `edges` points to other memory.
  std::span<const double> edges;
  std::vector<std::uint64_t> counts;
};

// Adds 8-bit codes with the same scale to the bins. There are at most 256 different values, so each
// value is added once with its count.
void AddBytes(const ByteCounts& bytes, const QuantizedRun& run, StatisticsBuilder& statistics,
              TensorBoardCounts counts) {
  const bool finite = std::isfinite(run.scale);
  if (finite) statistics.AddCodes(bytes.Moments(), run.scale, run.zero_point);
  bytes.ForEach([&](int code, std::uint64_t count) {
    const double value = (static_cast<double>(code) - run.zero_point) * run.scale;
    if (!finite) statistics.Add(value, count);
    AddToTensorBoardBin(value, count, counts);
  });
}

template <typename Real>
void AddValues(const TensorView& tensor, StatisticsBuilder& statistics, TensorBoardCounts counts) {
  TensorBoardCounter<Real> counter(tensor.element_count(), counts);
  ForEachBlock(tensor, 0, tensor.element_count(), [&](auto block) {
    if constexpr (std::is_same_v<typename decltype(block)::value_type, Real>) {
      statistics.Add(block);
      counter.Add(block);
    }
  });
  counter.Finish();
}

Result<Bins> CountTensorBoardBins(const TensorView& tensor, StatisticsBuilder& statistics) {
  Bins bins{{}, TensorBoardBinEdges(), std::vector<std::uint64_t>(kTensorBoardBins)};
  const TensorBoardCounts counts(bins.counts);
  const bool counted_codes =
      ForEachByteRun(tensor, [&](const ByteCounts& bytes, const QuantizedRun& run) {
        AddBytes(bytes, run, statistics, counts);
      });
  if (counted_codes) return bins;
  if (FitsFloat32(tensor)) {
    AddValues<float>(tensor, statistics, counts);
  } else {
    AddValues<double>(tensor, statistics, counts);
  }
  return bins;
}

Result<Bins> CountEqualBins(const TensorView& tensor, const Binning& binning,
                            StatisticsBuilder& statistics) {
  AddElements(tensor, 0, tensor.element_count(), statistics);
  const TensorStatistics summary = statistics.Build();
  if (summary.finite_count() != summary.count) {
    return Fail(ErrorCode::kInvalidArgument,
                "histogram: " + std::to_string(summary.count - summary.finite_count()) + " of " +
                    std::to_string(summary.count) +
                    " values are NaN or infinite, so their range cannot be divided into bins; give "
                    "bin edges, or use TensorBoard's bins");
  }
  std::size_t count = 0;
  if (const auto* equal = std::get_if<EqualBins>(&binning)) {
    count = equal->count;
  } else {
    CBOARD_ASSIGN_OR_RETURN(std::vector<double> values, ToDoubles(tensor));
    CBOARD_ASSIGN_OR_RETURN(count,
                            EstimateBinCount(std::get<BinEstimator>(binning), std::move(values)));
  }
  CBOARD_ASSIGN_OR_RETURN(std::vector<double> edges,
                          MakeEqualBins(BinRangeOf(summary.min, summary.max), count));
  EqualBinCounter counter(edges);
  ForEachBlock(tensor, 0, tensor.element_count(), [&](auto block) { counter.Add(block); });
  Bins bins{std::move(edges), {}, counter.counts()};
  bins.edges = bins.own_edges;
  return bins;
}

Result<Bins> CountBetweenEdges(const TensorView& tensor, std::span<const double> edges,
                               StatisticsBuilder& statistics) {
  if (edges.size() < 2) {
    return Fail(ErrorCode::kInvalidArgument, "histogram: " + std::to_string(edges.size()) +
                                                 " bin edges are given; give at least two edges");
  }
  // The comparison is negated, so that NaN is rejected too: comparisons with NaN are false.
  const auto unsorted = std::ranges::adjacent_find(edges, std::not_fn(std::less_equal<>()));
  if (unsorted != edges.end()) {
    return Fail(ErrorCode::kInvalidArgument,
                "histogram: bin edge " + std::to_string(unsorted - edges.begin()) + " is " +
                    ShortestDecimal(*unsorted) + " and the next one is " +
                    ShortestDecimal(*(unsorted + 1)) + "; sort the edges in ascending order");
  }
  Bins bins{{}, edges, std::vector<std::uint64_t>(edges.size() - 1)};
  ForEachBlock(tensor, 0, tensor.element_count(), [&](auto block) {
    statistics.Add(block);
    for (const auto real : block) {
      const auto value = static_cast<double>(real);
      if (!(value >= edges.front() && value <= edges.back())) continue;
      const auto above = std::upper_bound(edges.begin(), edges.end(), value) - edges.begin();
      ++bins.counts[std::min(static_cast<std::size_t>(above), bins.counts.size()) - 1];
    }
  });
  return bins;
}

Result<Bins> Count(const TensorView& tensor, const Binning& binning,
                   StatisticsBuilder& statistics) {
  if (std::holds_alternative<TensorBoardBins>(binning)) {
    return CountTensorBoardBins(tensor, statistics);
  }
  if (const auto* edges = std::get_if<BinEdges>(&binning)) {
    return CountBetweenEdges(tensor, edges->edges, statistics);
  }
  return CountEqualBins(tensor, binning, statistics);
}

// Merges groups of neighbouring bins, as tensorboardX does. All groups have the same number of
// bins, except the last one, which may have fewer. There can be more groups than `max_bins`: with a
// maximum of 5, 11 bins are merged in pairs, which gives 6 groups.
void Thin(std::size_t max_bins, Bins& bins) {
  if (max_bins == 0 || bins.counts.size() <= max_bins) return;
  const std::size_t step = bins.counts.size() / max_bins;
  Bins thin;
  std::vector<double>& edges = thin.own_edges;
  for (std::size_t i = 0; i < bins.counts.size(); i += step) {
    edges.push_back(bins.edges[i]);
    std::uint64_t count = 0;
    for (std::size_t j = i; j < std::min(i + step, bins.counts.size()); ++j) {
      count += bins.counts[j];
    }
    thin.counts.push_back(count);
  }
  edges.push_back(bins.edges.back());
  bins = std::move(thin);
  bins.edges = bins.own_edges;
}

// Keeps the bins from the first to the last non-empty bin, and adds one empty bin before them. The
// format stores only right edges; the right edge of the empty bin is the left edge of the first
// bin.
Result<void> Trim(const Bins& bins, HistogramData& histogram) {
  const auto occupied = [](std::uint64_t count) { return count > 0; };
  const auto first = std::ranges::find_if(bins.counts, occupied);
  if (first == bins.counts.end()) {
    return Fail(ErrorCode::kInvalidArgument,
                "histogram: none of " + std::to_string(static_cast<std::uint64_t>(histogram.num)) +
                    " values is between the first edge, " + ShortestDecimal(bins.edges.front()) +
                    ", and the last edge, " + ShortestDecimal(bins.edges.back()));
  }
  const auto last = std::find_if(bins.counts.rbegin(), bins.counts.rend(), occupied).base();
  histogram.bucket_counts.reserve(static_cast<std::size_t>(last - first) + 1);
  histogram.bucket_counts.push_back(0);
  histogram.bucket_counts.insert(histogram.bucket_counts.end(), first, last);
  const auto left = bins.edges.begin() + (first - bins.counts.begin());
  histogram.bucket_limits.assign(left, left + (last - first) + 1);
  return {};
}

// Computes min, max and sums of a histogram. Like numpy, includes NaN and infinity.
void Summarize(const TensorStatistics& statistics, HistogramData& histogram) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const bool up = statistics.positive_infinity_count > 0;
  const bool down = statistics.negative_infinity_count > 0;
  histogram.num = static_cast<double>(statistics.count);
  if (statistics.nan_count > 0) {
    histogram.min = histogram.max = histogram.sum = histogram.sum_squares = kNan;
    return;
  }
  const bool any_finite = statistics.finite_count() > 0;
  histogram.min = down ? -kInfinity : any_finite ? statistics.min : kInfinity;
  histogram.max = up ? kInfinity : any_finite ? statistics.max : -kInfinity;
  histogram.sum = up && down ? kNan : up ? kInfinity : down ? -kInfinity : statistics.sum;
  histogram.sum_squares = up || down ? kInfinity : statistics.sum_squares;
}

}  // namespace

Result<BinEstimator> BinEstimatorOf(std::string_view name) {
  const auto found =
      std::ranges::find(kEstimators, name, &decltype(kEstimators)::value_type::first);
  if (found != kEstimators.end()) return found->second;
  return Fail(ErrorCode::kInvalidArgument, "histogram: " + Quoted(name) +
                                               " is not a bin estimator; choose one of auto, fd, "
                                               "doane, scott, stone, rice, sturges, sqrt");
}

Result<HistogramData> ComputeHistogram(const TensorView& given, const Binning& binning,
                                       std::size_t max_bins) {
  CBOARD_ASSIGN_OR_RETURN(const PlainTensor plain, PlainTensor::Of(given));
  const TensorView& tensor = plain.view();
  if (tensor.element_count() == 0) {
    return Fail(ErrorCode::kInvalidArgument,
                "histogram: the tensor is empty; give at least one value");
  }
  StatisticsBuilder statistics;
  CBOARD_ASSIGN_OR_RETURN(Bins bins, Count(tensor, binning, statistics));
  HistogramData histogram;
  Summarize(statistics.Build(), histogram);
  Thin(max_bins, bins);
  CBOARD_RETURN_IF_ERROR(Trim(bins, histogram));
  return histogram;
}

}  // namespace cboard::tensor
