// Channels that are there, in another order.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "compression/model_comparison/weight_comparison.h"

namespace cboard::compare {
namespace {

// Rows are looked up by where they lie along fixed random directions. Several of these, and a few
// neighbours each, so that rounding does not hide a row.
constexpr std::size_t kDirections = 3;
constexpr std::ptrdiff_t kNeighbours = 6;
// The error of a channel that is where it belongs, or was found elsewhere, by its energy: -10 dB.
constexpr double kSame = 0.1;

double Along(std::span<const float> row, std::size_t direction) {
  std::uint32_t random = 99991u * static_cast<std::uint32_t>(direction + 1);
  double sum = 0;
  for (const float value : row) {
    random = random * 1664525u + 1013904223u;
    sum += (random >> 31) != 0 ? value : -value;
  }
  return sum;
}

double ErrorBetween(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
  return sum;
}

double EnergyOf(std::span<const float> row) {
  double sum = 0;
  for (const float value : row) sum += double{value} * value;
  return sum;
}

}  // namespace

std::size_t CountPermutedChannels(const WeightRows& before, const WeightRows& after) {
  const auto row = [](const WeightRows& rows, std::size_t c) {
    return std::span<const float>(rows.values).subspan(c * rows.row, rows.row);
  };
  std::array<std::vector<std::pair<double, std::size_t>>, kDirections> places;
  for (std::size_t d = 0; d < kDirections; ++d) {
    for (std::size_t c = 0; c < before.channels; ++c) {
      places[d].emplace_back(Along(row(before, c), d), c);
    }
    std::ranges::sort(places[d]);
  }
  std::size_t permuted = 0;
  for (std::size_t c = 0; c < after.channels; ++c) {
    const auto ours = row(after, c);
    const double energy = EnergyOf(ours);
    if (energy == 0 || ErrorBetween(row(before, c), ours) <= kSame * energy) continue;
    bool found = false;
    for (std::size_t d = 0; d < kDirections && !found; ++d) {
      const auto place = std::ranges::lower_bound(places[d], std::pair(Along(ours, d), 0ul));
      const std::ptrdiff_t middle = place - places[d].begin();
      const std::ptrdiff_t end = std::min(std::ssize(places[d]), middle + kNeighbours);
      for (std::ptrdiff_t k = std::max<std::ptrdiff_t>(0, middle - kNeighbours); k < end && !found;
           ++k) {
        const std::size_t other = places[d][static_cast<std::size_t>(k)].second;
        found = other != c && ErrorBetween(row(before, other), ours) <= kSame * energy;
      }
    }
    if (found) ++permuted;
  }
  return permuted;
}

}  // namespace cboard::compare
