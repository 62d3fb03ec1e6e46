// The quickest comparison: a block of float32 and the 8-bit codes that it was rounded to, as long
// as rounding is all that happened to it. Compiled for every x86-64 and ARM generation; the right
// one is chosen at run time.
//
// A value and the nearest multiple of the scale differ by so little that their difference is a
// float32 without rounding: no bit of it is below the last one of the scale. So errors are exact in
// float32, of which a vector holds twice as many as of doubles; what the codes sum up to is exact
// as well, and all that is wanted of the references follows from the two:
//
//   x = y + e     Σx = Σy + Σe     Σx² = Σy² + 2 Σye + Σe²
//
// Only Σye is rounded, sixteen float32 at a time, and it is small beside Σx².
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/kernels/compare_kernels.h"
#include "tensor/kernels/moment_kernels.h"

namespace cboard::tensor {

// Errors count as rounding when Σe² is at most this share of Σy²: 30 dB. The rounding of float32
// sums then moves a cosine by less than 1e-9, whatever the values are: Σx² is right to 3e-8 at
// worst, where all errors are alike, and to 1e-10 where they are not.
inline constexpr double kRoundingNoise = 0x1p-10;

struct RoundedBlock {
  // If not, nothing else here means anything: the errors are too large, not finite, of a scale or a
  // zero point that float32 cannot follow, or the processor cannot multiply and subtract in one
  // step.
  bool is_close = false;
  BlockErrors errors;
  CodeMoments codes;
};

// Processes exactly kPairBlock pairs; a code represents (code - zero_point) * scale.
RoundedBlock RoundingOf(std::span<const float, kPairBlock> reference,
                        std::span<const std::int8_t, kPairBlock> codes, double scale,
                        std::int32_t zero_point);
RoundedBlock RoundingOf(std::span<const float, kPairBlock> reference,
                        std::span<const std::uint8_t, kPairBlock> codes, double scale,
                        std::int32_t zero_point);

}  // namespace cboard::tensor
