// Which weights share a scale of a quantizer, and which range it has to cover.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/quantizer_trial.h"
#include "tensor/kernels/quantizer_kernels.h"

namespace cboard::tensor {

// Maps elements to scales: rows of runs, one scale per run; after the last run of a row, the first
// one follows again.
struct QuantizerRuns {
  std::size_t count = 0;       // Elements.
  std::size_t row_length = 1;  // Runs do not cross from one row to the next …
  std::size_t run_length = 1;  // … and have this length, except the last one of a row.
  std::size_t scales = 1;

  bool HasOneForEachScale() const {
    return run_length == row_length && scales * row_length == count;
  }

  // Calls `visit(scale, first, count)` in the order of elements.
  template <typename Visitor>
  void ForEach(Visitor&& visit) const {
    std::size_t scale = 0;
    for (std::size_t row = 0; row < count; row += row_length) {
      for (std::size_t first = 0; first < row_length; first += run_length) {
        visit(scale, row + first, std::min(run_length, row_length - first));
        scale = scale + 1 == scales ? 0 : scale + 1;
      }
    }
  }
};

// Fails with kInvalidArgument when the quantizer does not fit the shape.
Result<QuantizerRuns> RunsOf(const TensorView& weights, const Quantizer& quantizer);

// The range of each scale, from the extremes.
std::vector<FiniteRange> ExtremesOf(std::span<const float> values, const QuantizerRuns& runs);

// The range of each scale that covers what the quantizer's percentile says.
std::vector<FiniteRange> RangesOf(std::span<const float> values, const QuantizerRuns& runs,
                                  const Quantizer& quantizer,
                                  const std::vector<FiniteRange>& extremes);

// Whether both have the same runs, and therefore extremes.
bool HaveSameRuns(const Quantizer& a, const Quantizer& b);

}  // namespace cboard::tensor
