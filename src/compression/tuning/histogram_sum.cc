#include "compression/tuning/histogram_sum.h"

#include <algorithm>
#include <cmath>

#include "cboard/tensor/statistics.h"

namespace cboard::compression {

Result<void> HistogramSum::Add(const TensorView& batch) {
  CBOARD_ASSIGN_OR_RETURN(const tensor::TensorStatistics batch_statistics,
                          tensor::ComputeStatistics(batch));
  value_count_ += batch_statistics.count;
  nan_count_ += batch_statistics.nan_count;
  infinity_count_ +=
      batch_statistics.positive_infinity_count + batch_statistics.negative_infinity_count;
  const std::uint64_t finite_count = batch_statistics.finite_count();
  if (finite_count == 0) return {};
  const bool first = totals_.num == 0;
  totals_.min = first ? batch_statistics.min : std::min(totals_.min, batch_statistics.min);
  totals_.max = first ? batch_statistics.max : std::max(totals_.max, batch_statistics.max);
  totals_.num += static_cast<double>(finite_count);
  totals_.sum += batch_statistics.sum;
  totals_.sum_squares += batch_statistics.sum_squares;

  // Fails only if all values are beyond the outermost edges, ±1e20. Values beyond the edges are
  // counted in the totals.
  const Result<tensor::HistogramData> counted = tensor::ComputeHistogram(batch);
  if (!counted) return {};
  const std::span<const double> edges = tensor::TensorBoardBinEdges();
  if (counts_.empty()) counts_.resize(edges.size());
  const auto first_edge = std::ranges::lower_bound(edges, counted->bucket_limits.front());
  const auto offset = static_cast<std::size_t>(first_edge - edges.begin());
  for (std::size_t i = 0; i < counted->bucket_counts.size(); ++i) {
    counts_[offset + i] += counted->bucket_counts[i];
  }
  return {};
}

std::optional<tensor::HistogramData> HistogramSum::Total() const {
  const auto occupied = [](double count) { return count > 0; };
  const auto first = std::ranges::find_if(counts_, occupied);
  if (first == counts_.end()) return std::nullopt;
  const auto last = std::find_if(counts_.rbegin(), counts_.rend(), occupied).base();
  tensor::HistogramData total = totals_;
  // Adds an empty bin on the left, because TensorBoard expects the left edge of the first bin as
  // the edge of an empty bin. The first of all bins has a count of 0, so there is always a bin
  // before the first occupied one.
  const auto left = first - 1;
  total.bucket_counts.assign(left, last);
  const auto limits = tensor::TensorBoardBinEdges().begin() + (left - counts_.begin());
  total.bucket_limits.assign(limits, limits + (last - left));
  return total;
}

}  // namespace cboard::compression
