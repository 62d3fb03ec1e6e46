#include "tensor/statistics/statistics_builder.h"

#include <algorithm>
#include <cmath>

namespace cboard::tensor {

void StatisticsBuilder::Add(double value, std::uint64_t count) {
  if (count == 0) return;
  if (std::isfinite(value)) {
    const auto times = static_cast<double>(count);
    return AddFinite(count, {value, value, value * times, value * value * times});
  }
  counts_.count += count;
  if (std::isnan(value)) {
    counts_.nan_count += count;
  } else {
    (value > 0 ? counts_.positive_infinity_count : counts_.negative_infinity_count) += count;
  }
}

void StatisticsBuilder::AddCodes(const CodeMoments& codes, double scale, double zero_point) {
  if (codes.count == 0) return;
  const auto count = static_cast<double>(codes.count);
  const auto sum = static_cast<double>(codes.sum);
  const auto [min, max] = std::minmax(
      {(static_cast<double>(codes.min) - zero_point) * scale,
       (static_cast<double>(codes.max) - zero_point) * scale});  // The scale may be negative.
  // Subtracts the zero point from the sums. Sums of integers are exact below 2^53; only the product
  // with the scale is rounded.
  const double shifted_sum = sum - count * zero_point;
  const double shifted_squares = static_cast<double>(codes.sum_squares) - 2 * zero_point * sum +
                                 count * zero_point * zero_point;
  AddFinite(static_cast<std::uint64_t>(codes.count),
            {min, max, shifted_sum * scale, shifted_squares * (scale * scale)});
}

template <typename Real>
void StatisticsBuilder::AddBlocks(std::span<const Real> values) {
  while (!values.empty()) {
    const auto block = values.first(std::min(values.size(), kMomentBlock));
    values = values.subspan(block.size());
    const BlockMoments moments = MomentsOf(block);
    if (std::isfinite(moments.sum_squares)) {
      AddFinite(block.size(), moments);
    } else {
      for (const Real value : block) Add(static_cast<double>(value), 1);
    }
  }
}

template void StatisticsBuilder::AddBlocks(std::span<const float>);
template void StatisticsBuilder::AddBlocks(std::span<const double>);

void StatisticsBuilder::AddFinite(std::uint64_t count, const BlockMoments& moments) {
  counts_.count += count;
  min_ = std::min(min_, moments.min);
  max_ = std::max(max_, moments.max);
  sum_.Add(moments.sum);
  sum_squares_.Add(moments.sum_squares);
}

void StatisticsBuilder::Merge(const StatisticsBuilder& other) {
  counts_.count += other.counts_.count;
  counts_.nan_count += other.counts_.nan_count;
  counts_.positive_infinity_count += other.counts_.positive_infinity_count;
  counts_.negative_infinity_count += other.counts_.negative_infinity_count;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_.Add(other.sum_.total());
  sum_squares_.Add(other.sum_squares_.total());
}

TensorStatistics StatisticsBuilder::Build() const {
  TensorStatistics statistics = counts_;
  const bool any = statistics.finite_count() > 0;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  statistics.min = any ? min_ : nan;
  statistics.max = any ? max_ : nan;
  statistics.sum = any ? sum_.total() : nan;
  statistics.sum_squares = any ? sum_squares_.total() : nan;
  return statistics;
}

namespace {

CodeMoments CodeMomentsOf(const TensorView& tensor, std::size_t first, std::size_t count) {
  return tensor.dtype == DType::kInt8 ? MomentsOf(ElementsOf<std::int8_t>(tensor, first, count))
                                      : MomentsOf(ElementsOf<std::uint8_t>(tensor, first, count));
}

// Minimum number of codes with the same scale for which codes are counted. For fewer codes,
// dequantizing them is faster than a call per run.
constexpr std::size_t kShortRun = 64;

void AddValues(const TensorView& tensor, std::size_t first, std::size_t count,
               StatisticsBuilder& statistics) {
  ForEachBlock(tensor, first, count, [&](auto block) { statistics.Add(block); });
}

void AddQuantizedBytes(const TensorView& tensor, const ScaleLookup& scales, std::size_t first,
                       std::size_t count, StatisticsBuilder& statistics) {
  scales.ForEachRun(first, first + count, [&](const QuantizedRun& run) {
    if (std::isfinite(run.scale)) {
      statistics.AddCodes(CodeMomentsOf(tensor, run.first, run.count), run.scale, run.zero_point);
    } else {
      AddValues(tensor, run.first, run.count, statistics);
    }
  });
}

}  // namespace

void AddElements(const TensorView& tensor, std::size_t first, std::size_t count,
                 StatisticsBuilder& statistics) {
  if (count == 0) return;
  if (tensor.quantization && HoldsBytes(tensor)) {
    const ScaleLookup scales(tensor);
    if (scales.run_length() >= kShortRun) {
      return AddQuantizedBytes(tensor, scales, first, count, statistics);
    }
  } else if (HoldsBytes(tensor)) {
    return statistics.AddCodes(CodeMomentsOf(tensor, first, count), 1, 0);
  }
  AddValues(tensor, first, count, statistics);
}

}  // namespace cboard::tensor
