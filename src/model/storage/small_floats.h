// Floating-point numbers of eight and four bits as float32; each has one.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace cboard::model {

// Sign, `kExponentBits`, mantissa, without the special values that differ from type to type.
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

// The "uz" types have no negative zero: its pattern is their NaN.
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

}  // namespace cboard::model
