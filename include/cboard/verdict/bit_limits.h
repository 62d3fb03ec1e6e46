// Limits in dB are defined for eight bits. With fewer bits, the best possible SQNR is lower, so
// limits are scaled to the share of it that was reached.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace cboard::verdict {

// The SQNR that the best uniform quantizer of so many bits keeps of normally distributed values (J.
// Max, 1960): 19.4 dB for four bits. More than eight count as eight.
constexpr double BestSqnrDb(int bits) {
  constexpr std::array kBest = {4.40, 9.25, 14.27, 19.38, 24.57, 29.83, 35.17, 40.57};
  return kBest[static_cast<std::size_t>(std::clamp(bits, 1, 8) - 1)];
}

// A limit for eight bits, for `bits`: 20 dB are 9.6 dB of four bits. It falls with each bit, and is
// never below zero, where nothing of the signal is left.
constexpr double LimitDb(double limit_of_8_bits, int bits) {
  return limit_of_8_bits * (BestSqnrDb(bits) / BestSqnrDb(8));
}

// The other way round: what an SQNR of `bits` is as good as.
constexpr double AsOf8BitsDb(double sqnr_db, int bits) {
  return sqnr_db * (BestSqnrDb(8) / BestSqnrDb(bits));
}

// A limit of the share that is clipped, likewise. The fewer codes there are, the more values it
// pays to cut off: the best quantizer of four bits does it to 0.7 % of normally distributed ones,
// and one with a scale for each 16 of them may well do it to each largest, by less than a step: 6
// %.
inline double LimitOfClipped(double limit_of_8_bits, int bits) {
  return limit_of_8_bits * std::exp2(1.5 * (8 - std::clamp(bits, 1, 8)));
}

}  // namespace cboard::verdict
