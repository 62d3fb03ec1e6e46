// Converts floating-point numbers of 16, 8 and 4 bits to float32. The conversions are exact.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace cboard {

// Converts the IEEE binary16 pattern `bits` to float32. Every binary16 value has an equal float32
// value. NaNs keep their sign and payload. The code has no branches, so that compilers can
// vectorize it.
inline float HalfToFloat(std::uint16_t bits) {
  constexpr std::int32_t kRebias = (127 - 15) << 23;
  const std::int32_t magnitude = (bits & 0x7FFF) << 13;
  // The exponent of infinity and NaN must stay all ones. For these values, the difference of the
  // biases is therefore added twice: 31 + 2 * 112 = 255.
  const std::int32_t normal = magnitude + kRebias + (magnitude >= (0x1F << 23) ? kRebias : 0);
  // A subnormal binary16 value is its mantissa times 2^-24. The mantissa is put into the low bits
  // of the float32 2^-14; the subtraction of 2^-14 then leaves this value as a normal float32.
  constexpr auto kLeadingOne = std::bit_cast<std::int32_t>(0x1p-14f);
  const float subnormal = std::bit_cast<float>(magnitude + kLeadingOne) - 0x1p-14f;
  const std::int32_t is_normal = -static_cast<std::int32_t>(magnitude >= (1 << 23));
  const std::int32_t value =
      (normal & is_normal) | (std::bit_cast<std::int32_t>(subnormal) & ~is_normal);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) | sign);
}

// Converts bfloat16 to float32. A bfloat16 is the upper half of a float32.
inline float BfloatToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// Converts a float with one sign bit, `kExponentBits` and `kMantissaBits`. Does not handle infinity
// and NaN, because their bit patterns differ between types.
template <int kExponentBits, int kMantissaBits, int kBias>
inline float MiniFloat(unsigned bits) {
  const unsigned mantissa = bits & ((1u << kMantissaBits) - 1);
  const unsigned exponent = bits >> kMantissaBits & ((1u << kExponentBits) - 1);
  const auto fraction = static_cast<float>(mantissa);
  const float magnitude = exponent == 0
                              ? std::ldexp(fraction, 1 - kBias - kMantissaBits)
                              : std::ldexp(fraction + static_cast<float>(1u << kMantissaBits),
                                           static_cast<int>(exponent) - kBias - kMantissaBits);
  return (bits >> (kExponentBits + kMantissaBits) & 1u) != 0 ? -magnitude : magnitude;
}

inline float Float8E4m3fnToFloat(std::uint8_t bits) {
  if ((bits & 0x7F) == 0x7F) return std::numeric_limits<float>::quiet_NaN();
  return MiniFloat<4, 3, 7>(bits);
}

// The 8-bit floats with "uz" in the name have no negative zero. The bit pattern of -0 means NaN.
inline float Float8E4m3fnuzToFloat(std::uint8_t bits) {
  if (bits == 0x80) return std::numeric_limits<float>::quiet_NaN();
  return MiniFloat<4, 3, 8>(bits);
}

inline float Float8E5m2ToFloat(std::uint8_t bits) {
  if ((bits & 0x7F) == 0x7C) {
    const float infinity = std::numeric_limits<float>::infinity();
    return (bits & 0x80) != 0 ? -infinity : infinity;
  }
  if ((bits & 0x7F) > 0x7C) return std::numeric_limits<float>::quiet_NaN();
  return MiniFloat<5, 2, 15>(bits);
}

inline float Float8E5m2fnuzToFloat(std::uint8_t bits) {
  if (bits == 0x80) return std::numeric_limits<float>::quiet_NaN();
  return MiniFloat<5, 2, 16>(bits);
}

inline float Float8E8m0ToFloat(std::uint8_t bits) {
  if (bits == 0xFF) return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.f, static_cast<int>(bits) - 127);
}

inline float Float4E2m1ToFloat(unsigned bits) { return MiniFloat<2, 1, 1>(bits); }

}  // namespace cboard
