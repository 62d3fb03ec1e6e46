// Finds the bins of many values in a grid at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cboard::tensor {

// Numbers the places of values among `bins` bins: 0 and 1 are below the first bin, 2 is the first
// bin, and bins + 2 is above the last bin or NaN.
struct GridPlaces {
  static constexpr std::size_t kBelow = 2;
  static constexpr std::size_t kOutside = kBelow + 1;

  double width = 1;
  double inverse_width = 1;
  double below = -1;  // The bin before the first.
  double end = 0;     // The bin after the last.
};

// Finds the bins of values.size() values. Quotients are rounded down to whole bins. A comparison
// with the exact edge then corrects them, because a quotient may be too small for a double and lose
// its sign.
void FindPlaces(std::span<const float> values, const GridPlaces& grid, std::uint32_t* places);
void FindPlaces(std::span<const double> values, const GridPlaces& grid, std::uint32_t* places);

}  // namespace cboard::tensor
