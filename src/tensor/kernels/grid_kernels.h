// Finds the bins of many values in a grid of bins at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cboard::tensor {

// The place of a value is a number: 0 and 1 are below the first bin, 2 is the first bin, and bins +
// 2 means above the last bin or NaN. `bins` is the number of bins.
struct GridPlaces {
  static constexpr std::size_t kBelow = 2;
  static constexpr std::size_t kOutside = kBelow + 1;

  double width = 1;
  double inverse_width = 1;
  double below = -1;  // The bin before the first.
  double end = 0;     // The bin after the last.
};

// Finds the places of all values. Divides each value by the bin width and rounds down. A comparison
// with the exact edge then corrects the result, because a quotient that is too small for a double
// becomes 0 and loses its sign.
void FindPlaces(std::span<const float> values, const GridPlaces& grid, std::uint32_t* places);
void FindPlaces(std::span<const double> values, const GridPlaces& grid, std::uint32_t* places);

}  // namespace cboard::tensor
