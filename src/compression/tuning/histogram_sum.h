// Adds up a histogram over batches in constant memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/histogram.h"

namespace cboard::compression {

// Sums batches in TensorBoard's bins. The bins do not depend on the values, so the sum equals a
// histogram of all batches together. Takes about 12 KiB. NaN and infinities are counted separately:
// min, max and sums include finite values only, because viewers do not show a histogram whose
// totals contain NaN.
class HistogramSum {
 public:
  // Adds a batch, which may be empty. Fails if `batch` is not valid.
  Result<void> Add(const TensorView& batch);

  // Returns the sum so far; nullopt if no bin contains a finite value.
  std::optional<tensor::HistogramData> Total() const;

  std::uint64_t value_count() const { return value_count_; }
  std::uint64_t nan_count() const { return nan_count_; }
  std::uint64_t infinity_count() const { return infinity_count_; }

 private:
  tensor::HistogramData totals_;  // Has no buckets.
  std::vector<double> counts_;    // counts_[i] counts values below TensorBoardBinEdges()[i].
  std::uint64_t value_count_ = 0;
  std::uint64_t nan_count_ = 0;
  std::uint64_t infinity_count_ = 0;
};

}  // namespace cboard::compression
