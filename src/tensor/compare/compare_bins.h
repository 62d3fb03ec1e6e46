// Counts the baseline values and the compressed values in bins that equal the quantization steps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tensor/compare/compare_sums.h"

namespace cboard::tensor {

class StepBins {
 public:
  StepBins(std::int32_t code_min, std::int32_t code_max);

  // Counts pairs of values. A pair with a non-finite value is skipped.
  template <typename Real, typename Other>
  void Add(std::span<const Real> reference, std::span<const Other> compressed, const Steps& steps);

  // Counts the pairs of several lanes, which are channels that are compared at once. `lanes` is
  // their number, at most kLaneGroup. The memory layout is that of ErrorsOfLanes.
  template <typename Real, typename Other>
  void AddLanes(const Real* reference, const Other* compressed, std::size_t stride,
                std::size_t rows, std::size_t lanes, const LaneSteps& steps);

  bool SameBins(const StepBins& other) const {
    return code_min_ == other.code_min_ && code_max_ == other.code_max_;
  }
  void Merge(const StepBins& other);

  // Returns Comparison::divergence, or nullopt if no pair was added.
  std::optional<double> Divergence() const;

  // Returns the number of distinct codes among the compressed values.
  int used_codes() const;

 private:
  void Count(std::span<const std::int32_t> reference, std::span<const std::int32_t> compressed);

  std::int32_t code_min_;
  std::int32_t code_max_;
  std::vector<std::uint64_t> reference_;
  std::vector<std::uint64_t> compressed_;
};

}  // namespace cboard::tensor
