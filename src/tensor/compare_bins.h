// Counts both sides of a comparison in bins that are the quantizer's own steps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tensor/compare_sums.h"

namespace cboard {

class StepBins {
 public:
  StepBins(std::int32_t code_min, std::int32_t code_max);

  // Pairs of finite values; others are left out.
  void Add(std::span<const float> reference, std::span<const std::int8_t> codes,
           const Steps& steps);
  void Add(std::span<const float> reference, std::span<const std::uint8_t> codes,
           const Steps& steps);
  void Add(std::span<const float> reference, std::span<const float> compressed, const Steps& steps);
  void Add(std::span<const double> reference, std::span<const double> compressed,
           const Steps& steps);

  bool SameBins(const StepBins& other) const {
    return code_min_ == other.code_min_ && code_max_ == other.code_max_;
  }
  void Merge(const StepBins& other);

  // See Comparison::divergence; nothing before the first pair.
  std::optional<double> Divergence() const;

  // Codes of the compressed side that occur.
  int used_codes() const;

 private:
  template <typename Real, typename Other>
  void AddPairs(std::span<const Real> reference, std::span<const Other> compressed,
                const Steps& steps);

  std::int32_t code_min_;
  std::int32_t code_max_;
  std::vector<std::uint64_t> reference_;
  std::vector<std::uint64_t> compressed_;
};

}  // namespace cboard
