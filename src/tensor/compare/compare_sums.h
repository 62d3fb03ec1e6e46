// Sums of one channel of a comparison.
#pragma once

#include <cstdint>
#include <span>

#include "cboard/tensor/compare.h"
#include "tensor/kernels/compare_kernels.h"
#include "tensor/kernels/lane_kernels.h"
#include "tensor/statistics/statistics_builder.h"

namespace cboard::tensor {

// The quantizer of consecutive elements, with the limits beyond which it clips.
struct Steps {
  double scale = 1;
  std::int32_t zero_point = 0;
  double low = 0;   // References below are clipped …
  double high = 0;  // … and those above.

  Steps() = default;
  Steps(double step, std::int32_t zero, std::int32_t code_min, std::int32_t code_max);
};

class PairSums {
 public:
  // At most kPairBlock codes, but not none, of one scale, which is finite, and whose zero point is
  // within ±2^20. Returns the moments of the codes.
  template <typename Code>
  CodeMoments AddCodes(std::span<const float> reference, std::span<const Code> codes,
                       const Steps& steps);

  // At most kPairBlock real values, but not none; with `steps`, if they are known.
  template <typename Real>
  void AddReals(std::span<const Real> reference, std::span<const Real> compressed,
                const Steps* steps);

  // The `count` pairs of one lane, with `steps` if they are known. Adds none and returns false when
  // one of them is not finite.
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

  // Whether errors of codes were no more than rounding when they were last looked at: what comes
  // next is then first tried as such.
  bool is_rounding_ = true;

  bool has_steps_ = false;
  std::uint64_t clipped_ = 0;
  CompensatedSum squared_steps_;
};

}  // namespace cboard::tensor
