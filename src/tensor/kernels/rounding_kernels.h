// The fastest way to compare a block of float32 values with their 8-bit codes, if the only error is
// rounding. The code is compiled for every generation of x86-64 and ARM processors; the program
// selects one at run time.
//
// The difference between a value and the nearest multiple of the scale is so small that float32
// represents it exactly, so errors are exact in float32. A vector holds twice as many floats as
// doubles. Sums over codes are exact too. With x = baseline value, y = value of its code and
// e = error, the sums over the baseline values follow from these exact sums:
//
//   x = y + e     Σx = Σy + Σe     Σx² = Σy² + 2 Σye + Σe²
//
// Only Σye is rounded, over sixteen float32 at a time, and it is small compared with Σx².
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/kernels/compare_kernels.h"
#include "tensor/kernels/moment_kernels.h"

namespace cboard::tensor {

// Maximum of Σe² / Σy² for which errors are treated as rounding errors; it is an SQNR of 30 dB. The
// rounding of float32 sums then changes a cosine by less than 1e-9. The relative error of Σx² is
// typically 1e-10, and at most 3e-8, if all errors are equal.
inline constexpr double kRoundingNoise = 0x1p-10;

struct RoundedBlock {
  // True if the errors are only rounding errors. If false, all other members are undefined. It is
  // false if the errors are too large or not finite, if float32 cannot represent the scale or zero
  // point, or if the processor has no fused multiply-add.
  bool is_close = false;
  BlockErrors errors;
  CodeMoments codes;
};

// Compares exactly kPairBlock pairs. A code represents (code - zero_point) * scale.
RoundedBlock RoundingOf(std::span<const float, kPairBlock> reference,
                        std::span<const std::int8_t, kPairBlock> codes, double scale,
                        std::int32_t zero_point);
RoundedBlock RoundingOf(std::span<const float, kPairBlock> reference,
                        std::span<const std::uint8_t, kPairBlock> codes, double scale,
                        std::int32_t zero_point);

}  // namespace cboard::tensor
