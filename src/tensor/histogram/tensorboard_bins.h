// Counts values in TensorBoard's exponential bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tensor/histogram/tensorboard_cells.h"

namespace cboard::tensor {

// The counts of the kTensorBoardBins bins. As in numpy, a bin is [left, right), and the last bin is
// [left, right].
using TensorBoardCounts = std::span<std::uint64_t, kTensorBoardBins>;

// Counts values of type Real (float or double). Values outside the edges, infinities and NaNs are
// ignored.
template <typename Real>
class TensorBoardCounter {
 public:
  // Adds to `counts`, which must outlive the counter. `expected_count` is the approximate number of
  // values; for a small number, fewer and smaller counters are used.
  TensorBoardCounter(std::size_t expected_count, TensorBoardCounts counts);
  ~TensorBoardCounter();

  TensorBoardCounter(const TensorBoardCounter&) = delete;
  TensorBoardCounter& operator=(const TensorBoardCounter&) = delete;

  void Add(std::span<const Real> values);

  // Adds all pending counts to the bins. Must be called after the last Add.
  void Finish();

 private:
  struct Counters;
  static std::unique_ptr<Counters>& SpareOfThread();

  // `Lanes` are arrays of counters. A counter has 16 bits if few values are expected, otherwise 32
  // bits.
  template <typename Lanes>
  void AddTo(Lanes& lanes, std::span<const Real> values);
  template <typename Lanes>
  void CountCells(Lanes& lanes, std::span<const Real> values);
  template <typename Lanes>
  void Collect(Lanes& lanes);

  TensorBoardCounts counts_;
  bool few_;
  std::unique_ptr<Counters> counters_;
  std::size_t pending_ = 0;  // Number of values in counters_, which must not overflow.
};

// Adds `count` to the bin that contains `value`.
void AddToTensorBoardBin(double value, std::uint64_t count, TensorBoardCounts counts);

}  // namespace cboard::tensor
