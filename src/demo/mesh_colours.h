// Colors of mesh vertices, as red, green and blue.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace cboard::demo {

using MeshColour = std::array<std::uint8_t, 3>;

// Returns a color from dark violet (0) to yellow (1). The colors are those of matplotlib's viridis,
// approximated by five linear pieces.
inline MeshColour HeatColour(double share) {
  constexpr std::array<MeshColour, 6> kColours = {
      {{68, 1, 84}, {65, 68, 135}, {42, 120, 142}, {34, 168, 132}, {122, 209, 81}, {253, 231, 37}}};
  const double at = std::clamp(share, 0.0, 1.0) * (kColours.size() - 1);
  const auto piece = std::min(static_cast<std::size_t>(at), kColours.size() - 2);
  const double rest = at - static_cast<double>(piece);
  MeshColour colour;
  for (std::size_t i = 0; i < colour.size(); ++i) {
    colour[i] = static_cast<std::uint8_t>(
        std::lround(kColours[piece][i] * (1 - rest) + kColours[piece + 1][i] * rest));
  }
  return colour;
}

// Returns the color of a digit. The ten colors differ clearly, on white and on black.
inline MeshColour DigitColour(std::size_t digit) {
  constexpr std::array<MeshColour, 10> kColours = {{{31, 119, 180},
                                                    {230, 120, 20},
                                                    {44, 160, 44},
                                                    {214, 39, 40},
                                                    {148, 103, 189},
                                                    {140, 86, 75},
                                                    {227, 119, 194},
                                                    {127, 127, 127},
                                                    {168, 168, 34},
                                                    {23, 190, 207}}};
  return kColours[digit % kColours.size()];
}

}  // namespace cboard::demo
