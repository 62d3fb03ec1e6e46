// Counting into TensorBoard's exponential bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tensor/histogram/tensorboard_cells.h"

namespace cboard::tensor {

// Counts of the kTensorBoardBins bins, by numpy's rules: [left, right), the last one [left, right].
using TensorBoardCounts = std::span<std::uint64_t, kTensorBoardBins>;

// Counts values of type Real (float or double) into bins. Values outside the edges, infinities and
// NaNs are not counted.
template <typename Real>
class TensorBoardCounter {
 public:
  // Adds to the bins of `counts`, which must outlive the counter. About `expected_count` values
  // will come; for few, fewer and shorter counters are used.
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

  // Lanes are arrays of counters, of 16 bits when few values will come, else of 32.
  template <typename Lanes>
  void AddTo(Lanes& lanes, std::span<const Real> values);
  template <typename Lanes>
  void CountCells(Lanes& lanes, std::span<const Real> values);
  template <typename Lanes>
  void Collect(Lanes& lanes);

  TensorBoardCounts counts_;
  bool few_;
  std::unique_ptr<Counters> counters_;
  std::size_t pending_ = 0;  // Values in counters_, which must not overflow.
};

// Counts `value` `count` times.
void AddToTensorBoardBin(double value, std::uint64_t count, TensorBoardCounts counts);

}  // namespace cboard::tensor
