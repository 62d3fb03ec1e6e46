// Accumulates the sums of one channel of a comparison.
#pragma once

#include <cstdint>
#include <span>

#include "cboard/tensor/compare.h"
#include "tensor/kernels/compare_kernels.h"
#include "tensor/kernels/lane_kernels.h"
#include "tensor/statistics/statistics_builder.h"

namespace cboard::tensor {

// The quantizer of consecutive elements: scale and zero point, and the limits outside which values
// are clipped.
struct Steps {
  double scale = 1;
  std::int32_t zero_point = 0;
  double low = 0;   // Baseline values below are clipped.
  double high = 0;  // Baseline values above are clipped.

  Steps() = default;
  Steps(double step, std::int32_t zero, std::int32_t code_min, std::int32_t code_max);
};

class PairSums {
 public:
  // Adds 1 to kPairBlock codes that have the same scale. The scale must be finite, and the zero
  // point within ±2^20. Returns the moments of the codes.
  template <typename Code>
  CodeMoments AddCodes(std::span<const float> reference, std::span<const Code> codes,
                       const Steps& steps);

  // Adds 1 to kPairBlock pairs of real values. `steps` has the scale and zero point of the
  // compressed values; null if they are not on a grid.
  template <typename Real>
  void AddReals(std::span<const Real> reference, std::span<const Real> compressed,
                const Steps* steps);

  // Adds the `count` pairs of one lane (channel) of a group. `steps` may be null. If a value is not
  // finite, adds nothing and returns false.
  bool AddLane(std::size_t count, const LaneErrors& errors, std::size_t lane, const Steps* steps,
               bool are_codes);

  void Merge(const PairSums& other);

  PairStatistics Build() const;

 private:
  template <typename Real>
  void AddClipped(std::span<const Real> reference, const BlockMoments& moments, const Steps& steps);
  template <typename Code>
  bool AddRounded(std::span<const float> reference, std::span<const Code> codes, const Steps& steps,
                  CodeMoments& moments);
  void AddErrors(std::size_t count, const BlockErrors& errors, const Steps* steps);
  void AddOneByOne(double x, double y, const Steps* steps);

  std::uint64_t count_ = 0;
  StatisticsBuilder reference_;
  StatisticsBuilder compressed_;
  CompensatedSum squared_error_;
  double max_error_ = 0;

  // True if the errors of the last block were only rounding errors. The fast method for such blocks
  // is then tried first for the next block.
  bool is_rounding_ = true;

  bool has_steps_ = false;
  std::uint64_t clipped_ = 0;
  CompensatedSum squared_steps_;
};

}  // namespace cboard::tensor
