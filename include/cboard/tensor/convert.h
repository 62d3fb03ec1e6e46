// The real values of a tensor, whatever it is stored as.
//
//   CBOARD_ASSIGN_OR_RETURN(const std::vector<float> pixels, ToFloats(image));
//
// Quantized tensors are dequantized: real = (code - zero_point) * scale. For whole tensors that
// are needed element by element; statistics.h and histogram.h read tensors without a copy.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::tensor {

// The float32 with the same value as the IEEE binary16 pattern `bits`; every one has one. NaNs
// keep their sign and payload. Without branches, so that compilers make vectors of it.
inline float HalfToFloat(std::uint16_t bits) {
  constexpr std::int32_t kRebias = (127 - 15) << 23;
  const std::int32_t magnitude = (bits & 0x7FFF) << 13;
  // Infinity and NaN keep an exponent of ones: rebiased twice, it is 31 + 2 * 112 = 255.
  const std::int32_t normal = magnitude + kRebias + (magnitude >= (0x1F << 23) ? kRebias : 0);
  // Below the exponent's range, the mantissa counts multiples of 2^-24: put behind the leading one
  // of 2^-14 and freed from it again, it becomes a normal float32.
  constexpr auto kLeadingOne = std::bit_cast<std::int32_t>(0x1p-14f);
  const float subnormal = std::bit_cast<float>(magnitude + kLeadingOne) - 0x1p-14f;
  const std::int32_t is_normal = -static_cast<std::int32_t>(magnitude >= (1 << 23));
  const std::int32_t value =
      (normal & is_normal) | (std::bit_cast<std::int32_t>(subnormal) & ~is_normal);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) | sign);
}

// Converts as many float16 as `out` has room for; they need not be aligned.
void HalvesToFloats(const void* halves, std::span<float> out);

// bfloat16 is the upper half of a float32.
inline float BfloatToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// Row-major, one entry per element. Exact, except that 64-bit integers beyond ±2^53 and products
// of a quantization round to the nearest double. Fails only when `tensor` is not valid.
Result<std::vector<double>> ToDoubles(const TensorView& tensor);

// ToDoubles rounded to the nearest float; doubles beyond the range of float become infinite.
Result<std::vector<float>> ToFloats(const TensorView& tensor);

}  // namespace cboard::tensor
