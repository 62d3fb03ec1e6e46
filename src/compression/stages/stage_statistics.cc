#include "cboard/compression/stage_statistics.h"

#include <algorithm>
#include <cmath>

#include "cboard/base/strings.h"

namespace cboard {
namespace {

// Bins never get narrower than this part of the largest magnitude, nor than a normal double holds.
constexpr int kFinestBits = 20;
constexpr int kLeastExponent = -1000;

void Merge(const TensorStatistics& more, TensorStatistics& into) {
  if (more.finite_count() > 0) {
    const bool first = into.finite_count() == 0;
    into.min = first ? more.min : std::min(into.min, more.min);
    into.max = first ? more.max : std::max(into.max, more.max);
    into.sum = first ? more.sum : into.sum + more.sum;
    into.sum_squares = first ? more.sum_squares : into.sum_squares + more.sum_squares;
  }
  into.count += more.count;
  into.nan_count += more.nan_count;
  into.positive_infinity_count += more.positive_infinity_count;
  into.negative_infinity_count += more.negative_infinity_count;
}

std::int64_t IndexOf(double value, double width) {
  return static_cast<std::int64_t>(std::floor(value / width));
}

int FinestExponent(double min, double max) {
  const double magnitude = std::max(std::abs(min), std::abs(max));
  if (magnitude == 0) return -kFinestBits;
  return std::max(std::ilogb(magnitude) - kFinestBits, kLeastExponent);
}

}  // namespace

double GrowingHistogram::Width() const { return std::ldexp(1.0, exponent_); }

void GrowingHistogram::DoubleWidth() {
  std::vector<double> wider;
  const std::int64_t first = first_ >> 1;  // Rounds down, below zero too.
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto index =
        static_cast<std::size_t>(((first_ + static_cast<std::int64_t>(i)) >> 1) - first);
    wider.resize(std::max(wider.size(), index + 1));
    wider[index] += counts_[i];
  }
  counts_ = std::move(wider);
  first_ = first;
  ++exponent_;
}

void GrowingHistogram::Cover(double min, double max) {
  if (counts_.empty()) {
    exponent_ = FinestExponent(min, max);
    first_ = IndexOf(min, Width());
  }
  while (exponent_ < FinestExponent(min, max)) DoubleWidth();
  while (true) {
    const std::int64_t low =
        counts_.empty() ? IndexOf(min, Width()) : std::min(first_, IndexOf(min, Width()));
    const std::int64_t end =
        std::max(first_ + static_cast<std::int64_t>(counts_.size()), IndexOf(max, Width()) + 1);
    if (end - low <= kMaxBins) {
      counts_.insert(counts_.begin(), static_cast<std::size_t>(first_ - low), 0.0);
      first_ = low;
      counts_.resize(static_cast<std::size_t>(end - low));
      return;
    }
    DoubleWidth();
  }
}

Result<void> GrowingHistogram::Add(const TensorView& tensor, double min, double max) {
  Cover(min, max);
  const double width = Width();
  const std::int64_t low = IndexOf(min, width);
  const std::int64_t high = IndexOf(max, width);
  std::vector<double> edges;
  edges.reserve(static_cast<std::size_t>(high - low + 2));
  for (std::int64_t i = low; i <= high + 1; ++i) edges.push_back(static_cast<double>(i) * width);
  CBOARD_ASSIGN_OR_RETURN(const HistogramData counted, ComputeHistogram(tensor, BinEdges{edges}));
  for (std::size_t i = 0; i < counted.bucket_counts.size(); ++i) {
    if (counted.bucket_counts[i] == 0) continue;
    const auto right = std::ranges::lower_bound(edges, counted.bucket_limits[i]);
    const std::int64_t index = low + (right - edges.begin()) - 1;
    counts_[static_cast<std::size_t>(index - first_)] += counted.bucket_counts[i];
  }
  return {};
}

void GrowingHistogram::Fill(HistogramData& data) const {
  data.bucket_limits.clear();
  data.bucket_counts.clear();
  if (counts_.empty()) return;
  const double width = Width();
  data.bucket_limits.push_back(static_cast<double>(first_) * width);
  data.bucket_counts.push_back(0);
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    data.bucket_limits.push_back(static_cast<double>(first_ + static_cast<std::int64_t>(i) + 1) *
                                 width);
    data.bucket_counts.push_back(counts_[i]);
  }
}

Result<void> OutputStatistics::Add(const TensorView& output) {
  CBOARD_RETURN_IF_ERROR(output.Validate());
  if (output.shape.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the output is a single number; expected a tensor with channels");
  }
  if (output.element_count() == 0) return {};
  const std::size_t axis = std::min(channel_axis_, output.shape.size() - 1);
  CBOARD_ASSIGN_OR_RETURN(const std::vector<TensorStatistics> channels,
                          ComputeChannelStatistics(output, axis));
  if (!channels_.empty() && channels_.size() != channels.size()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the output has " + HumanCount(channels.size()) + " channels in dimension " +
                    std::to_string(axis) + ", those before had " + HumanCount(channels_.size()));
  }
  TensorStatistics total;
  for (const TensorStatistics& channel : channels) Merge(channel, total);
  if (total.finite_count() > 0) {
    CBOARD_RETURN_IF_ERROR(histogram_.Add(output, total.min, total.max));
  }
  channels_.resize(channels.size());
  for (std::size_t i = 0; i < channels.size(); ++i) Merge(channels[i], channels_[i]);
  Merge(total, total_);
  return {};
}

std::optional<HistogramData> OutputStatistics::Histogram() const {
  if (total_.finite_count() == 0) return std::nullopt;
  HistogramData data{.min = total_.min,
                     .max = total_.max,
                     .num = static_cast<double>(total_.finite_count()),
                     .sum = total_.sum,
                     .sum_squares = total_.sum_squares};
  histogram_.Fill(data);
  return data;
}

}  // namespace cboard
