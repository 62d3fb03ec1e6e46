// Converts limits in dB, which are defined for 8 bits, to other bit widths. With fewer bits the
// best possible SQNR is lower, so a limit is lowered in proportion to the best possible SQNR.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace cboard::verdict {

// The SQNR of the best uniform quantizer with this number of bits for normally distributed values
// (J. Max, 1960): 19.4 dB for 4 bits. More than 8 bits count as 8.
constexpr double BestSqnrDb(int bits) {
  constexpr std::array kBest = {4.40, 9.25, 14.27, 19.38, 24.57, 29.83, 35.17, 40.57};
  return kBest[static_cast<std::size_t>(std::clamp(bits, 1, 8) - 1)];
}

// Converts a limit for 8 bits to `bits`: 20 dB become 9.6 dB for 4 bits. The limit is lower for
// fewer bits, and never below 0 dB, where the signal is lost.
constexpr double LimitDb(double limit_of_8_bits, int bits) {
  return limit_of_8_bits * (BestSqnrDb(bits) / BestSqnrDb(8));
}

// Converts an SQNR at `bits` to the equivalent SQNR at 8 bits.
constexpr double AsOf8BitsDb(double sqnr_db, int bits) {
  return sqnr_db * (BestSqnrDb(8) / BestSqnrDb(bits));
}

// Converts a limit of the clip rate from 8 bits to `bits`. With fewer codes, more clipping is
// useful: the best 4-bit quantizer clips 0.7 % of normally distributed values. A quantizer with a
// scale per 16 values may clip the largest value of each 16 by less than a step; these are 6 % of
// the values.
inline double LimitOfClipped(double limit_of_8_bits, int bits) {
  return limit_of_8_bits * std::exp2(1.5 * (8 - std::clamp(bits, 1, 8)));
}

}  // namespace cboard::verdict
