// Counts both sides of a comparison in bins that are the quantizer's own steps.
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

  // Pairs of finite values; others are left out.
  template <typename Real, typename Other>
  void Add(std::span<const Real> reference, std::span<const Other> compressed, const Steps& steps);

  // Pairs of `lanes` ≤ kLaneGroup lanes, which lie as those of ErrorsOfLanes do.
  template <typename Real, typename Other>
  void AddLanes(const Real* reference, const Other* compressed, std::size_t stride,
                std::size_t rows, std::size_t lanes, const LaneSteps& steps);

  bool SameBins(const StepBins& other) const {
    return code_min_ == other.code_min_ && code_max_ == other.code_max_;
  }
  void Merge(const StepBins& other);

  // See Comparison::divergence; nothing before the first pair.
  std::optional<double> Divergence() const;

  // Codes of the compressed side that occur.
  int used_codes() const;

 private:
  void Count(std::span<const std::int32_t> reference, std::span<const std::int32_t> compressed);

  std::int32_t code_min_;
  std::int32_t code_max_;
  std::vector<std::uint64_t> reference_;
  std::vector<std::uint64_t> compressed_;
};

}  // namespace cboard::tensor
