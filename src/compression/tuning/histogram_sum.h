// A histogram that grows batch by batch, in memory that does not.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/histogram.h"

namespace cboard::compression {

// Adds up batches in TensorBoard's bins, which are the same for all values, so that the sum is what
// one histogram of all batches would be. About 12 KiB, however much is added.
//
// NaN and infinities are counted apart: min, max and sums stay those of the finite values, because
// one NaN in them would take the whole histogram off every viewer's page.
class HistogramSum {
 public:
  // An empty batch adds nothing. Fails when `batch` is not valid.
  Result<void> Add(const TensorView& batch);

  // The sum so far; nothing when no finite value lies in any bin.
  std::optional<tensor::HistogramData> Total() const;

  std::uint64_t value_count() const { return value_count_; }
  std::uint64_t nan_count() const { return nan_count_; }
  std::uint64_t infinity_count() const { return infinity_count_; }

 private:
  tensor::HistogramData totals_;  // Without buckets.
  std::vector<double> counts_;    // counts_[i] is of values below TensorBoardBinEdges()[i].
  std::uint64_t value_count_ = 0;
  std::uint64_t nan_count_ = 0;
  std::uint64_t infinity_count_ = 0;
};

}  // namespace cboard::compression
