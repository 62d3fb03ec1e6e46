#include "cboard/compression/stage_statistics.h"

#include <algorithm>
#include <cmath>

#include "cboard/base/strings.h"

namespace cboard::compression {
namespace {

// Minimum width of bins: 2^-kFinestBits of the largest magnitude, and at least the width that
// BinGrid has.
constexpr int kFinestBits = 20;

void Merge(const tensor::TensorStatistics& more, tensor::TensorStatistics& into) {
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

int FinestExponent(double min, double max) {
  const double magnitude = std::max(std::abs(min), std::abs(max));
  if (magnitude == 0) return -kFinestBits;
  return std::max(std::ilogb(magnitude) - kFinestBits, tensor::BinGrid::kMinExponent);
}

}  // namespace

void GrowingHistogram::DoubleWidth() {
  std::vector<double> wider;
  const std::int64_t first = grid_.first >> 1;  // Rounds down, also below zero.
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto index =
        static_cast<std::size_t>(((grid_.first + static_cast<std::int64_t>(i)) >> 1) - first);
    wider.resize(std::max(wider.size(), index + 1));
    wider[index] += counts_[i];
  }
  counts_ = std::move(wider);
  grid_.first = first;
  ++grid_.exponent;
}

void GrowingHistogram::Cover(double min, double max) {
  if (counts_.empty()) {
    grid_.exponent = FinestExponent(min, max);
    grid_.first = grid_.IndexOf(min);
  }
  while (grid_.exponent < FinestExponent(min, max)) DoubleWidth();
  while (true) {
    const std::int64_t low =
        counts_.empty() ? grid_.IndexOf(min) : std::min(grid_.first, grid_.IndexOf(min));
    const std::int64_t end =
        std::max(grid_.first + static_cast<std::int64_t>(counts_.size()), grid_.IndexOf(max) + 1);
    if (end - low <= kMaxBins) {
      counts_.insert(counts_.begin(), static_cast<std::size_t>(grid_.first - low), 0.0);
      grid_.first = low;
      counts_.resize(static_cast<std::size_t>(end - low));
      return;
    }
    DoubleWidth();
  }
}

Result<void> GrowingHistogram::Add(const TensorView& tensor, double min, double max) {
  Cover(min, max);
  // Visits only the bins that this tensor reaches: there may be fewer values than bins.
  const tensor::BinGrid reached{.exponent = grid_.exponent, .first = grid_.IndexOf(min)};
  const auto bins = static_cast<std::size_t>(grid_.IndexOf(max) - reached.first + 1);
  const auto offset = static_cast<std::size_t>(reached.first - grid_.first);
  return tensor::CountInGrid(tensor, reached, std::span(counts_).subspan(offset, bins));
}

void GrowingHistogram::Fill(tensor::HistogramData& data) const {
  data.bucket_limits.clear();
  data.bucket_counts.clear();
  if (counts_.empty()) return;
  const double width = grid_.width();
  data.bucket_limits.push_back(static_cast<double>(grid_.first) * width);
  data.bucket_counts.push_back(0);
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    data.bucket_limits.push_back(
        static_cast<double>(grid_.first + static_cast<std::int64_t>(i) + 1) * width);
    data.bucket_counts.push_back(counts_[i]);
  }
}

Result<void> OutputStatistics::Add(const TensorView& output) {
  CBOARD_RETURN_IF_ERROR(output.Validate());
  if (output.shape.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the output is a single number; give a tensor with a channel axis");
  }
  if (output.element_count() == 0) return {};
  const std::size_t axis = std::min(channel_axis_, output.shape.size() - 1);
  CBOARD_ASSIGN_OR_RETURN(const std::vector<tensor::TensorStatistics> channels,
                          tensor::ComputeChannelStatistics(output, axis));
  if (!channels_.empty() && channels_.size() != channels.size()) {
    return Fail(ErrorCode::kInvalidArgument, "the output has " + HumanCount(channels.size()) +
                                                 " channels along axis " + std::to_string(axis) +
                                                 ", but earlier outputs had " +
                                                 HumanCount(channels_.size()));
  }
  tensor::TensorStatistics total;
  for (const tensor::TensorStatistics& channel : channels) Merge(channel, total);
  if (total.finite_count() > 0) {
    CBOARD_RETURN_IF_ERROR(histogram_.Add(output, total.min, total.max));
  }
  channels_.resize(channels.size());
  for (std::size_t i = 0; i < channels.size(); ++i) Merge(channels[i], channels_[i]);
  Merge(total, total_);
  return {};
}

std::optional<tensor::HistogramData> OutputStatistics::Histogram() const {
  if (total_.finite_count() == 0) return std::nullopt;
  tensor::HistogramData data{.min = total_.min,
                             .max = total_.max,
                             .num = static_cast<double>(total_.finite_count()),
                             .sum = total_.sum,
                             .sum_squares = total_.sum_squares};
  histogram_.Fill(data);
  return data;
}

}  // namespace cboard::compression
