// Counting into TensorBoard's exponential bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tensor/tensorboard_cells.h"

namespace cboard {

// Of the kTensorBoardBins bins, by numpy's rules: [left, right), the last one [left, right].
using TensorBoardCounts = std::span<std::uint64_t, kTensorBoardBins>;

// Counts values of type Real (float or double) into bins. Values outside the edges, infinities and
// NaNs are not counted.
template <typename Real>
class TensorBoardCounter {
 public:
  // Adds to the bins of `counts`, which must outlive the counter. About `expected_count` values
  // will come; for few, fewer counters are used.
  TensorBoardCounter(std::size_t expected_count, TensorBoardCounts counts);
  ~TensorBoardCounter();

  TensorBoardCounter(const TensorBoardCounter&) = delete;
  TensorBoardCounter& operator=(const TensorBoardCounter&) = delete;

  void Add(std::span<const Real> values);

  // Call after the last Add: counts are complete from here on.
  void Finish();

 private:
  struct Counters;
  static std::unique_ptr<Counters>& SpareOfThread();

  template <std::size_t kLanes>
  void CountCells(std::span<const Real> values);

  TensorBoardCounts counts_;
  std::size_t lanes_;
  std::unique_ptr<Counters> counters_;
  std::size_t pending_ = 0;  // Values in counters_, whose 32 bits must not overflow.
};

// Counts `value` `count` times.
void AddToTensorBoardBin(double value, std::uint64_t count, TensorBoardCounts counts);

}  // namespace cboard
