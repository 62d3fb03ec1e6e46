// Maps weights to the scales of a quantizer, and computes the range of each scale.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/quantizer_trial.h"
#include "tensor/kernels/quantizer_kernels.h"

namespace cboard::tensor {

// Maps elements to scales. A row consists of runs of elements that share a scale. After the last
// scale, the first one is used again.
struct QuantizerRuns {
  std::size_t count = 0;       // Number of elements.
  std::size_t row_length = 1;  // Runs end at the end of a row.
  std::size_t run_length = 1;  // Length of a run, except the last one of a row.
  std::size_t scales = 1;

  bool HasOneForEachScale() const {
    return run_length == row_length && scales * row_length == count;
  }

  // Calls `visit(scale, first, count)` for each run, in the order of the elements.
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

// Maps the weights to scales. Fails with kInvalidArgument if the quantizer does not fit the shape.
Result<QuantizerRuns> RunsOf(const TensorView& weights, const Quantizer& quantizer);

// Returns the min and max of the values that share a scale, for each scale.
std::vector<FiniteRange> ExtremesOf(std::span<const float> values, const QuantizerRuns& runs);

// Returns the range of each scale. The quantizer's percentile decides how many values are inside.
std::vector<FiniteRange> RangesOf(std::span<const float> values, const QuantizerRuns& runs,
                                  const Quantizer& quantizer,
                                  const std::vector<FiniteRange>& extremes);

// True if both quantizers divide the elements into the same runs, so that the min and max of each
// scale are equal too.
bool HaveSameRuns(const Quantizer& a, const Quantizer& b);

}  // namespace cboard::tensor
