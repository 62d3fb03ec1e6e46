// Accumulates TensorStatistics from blocks of values in any form.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "cboard/tensor/statistics.h"
#include "tensor/element_reader.h"
#include "tensor/kernels/moment_kernels.h"

namespace cboard::tensor {

// A sum that compensates rounding errors (Knuth's TwoSum), so that a million block sums are as
// accurate as a single one. The code is inline and has no branches on the values, because even a
// channel with few weights needs a dozen of these additions.
class CompensatedSum {
 public:
  void Add(double value) {
    const double sum = sum_ + value;
    const double added = sum - sum_;
    const double lost = (sum_ - (sum - added)) + (value - added);
    // Infinite sums are not compensated, because infinity - infinity is NaN.
    lost_ += std::isfinite(sum) ? lost : 0;
    sum_ = sum;
  }
  double total() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

class StatisticsBuilder {
 public:
  void Add(std::span<const float> values) { AddBlocks(values); }
  void Add(std::span<const double> values) { AddBlocks(values); }

  // Adds `value` `count` times.
  void Add(double value, std::uint64_t count);

  // Adds codes that have the same finite scale. A code represents (code - zero_point) * scale.
  void AddCodes(const CodeMoments& codes, double scale, double zero_point);

  // Adds `count` finite values whose moments are `moments`.
  void AddFinite(std::uint64_t count, const BlockMoments& moments);

  // Adds all values that were added to `other`.
  void Merge(const StatisticsBuilder& other);

  TensorStatistics Build() const;

 private:
  template <typename Real>
  void AddBlocks(std::span<const Real> values);

  TensorStatistics counts_;  // Only the counts are used.
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  CompensatedSum sum_;
  CompensatedSum sum_squares_;
};

// Adds elements [first, first + count) of a validated tensor.
void AddElements(const TensorView& tensor, std::size_t first, std::size_t count,
                 StatisticsBuilder& statistics);

}  // namespace cboard::tensor
