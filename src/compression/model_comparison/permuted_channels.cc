// Channels that are there, in another order.
#include <algorithm>
#include <span>
#include <vector>

#include "compression/model_comparison/plane_signs.h"
#include "compression/model_comparison/weight_comparison.h"

namespace cboard::compare {
namespace {

// The error of a channel that is where it belongs, or was found elsewhere, by its energy: -10 dB.
constexpr double kSame = 0.1;

double EnergyOf(std::span<const float> row) {
  double sum = 0;
  for (const float value : row) sum += double{value} * value;
  return sum;
}

// Whether the error between two rows is no more than this. Others are known soon.
bool AreWithin(double most, std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t kPart = 64;
  double sum = 0;
  for (std::size_t begin = 0; begin < a.size() && sum <= most; begin += kPart) {
    for (std::size_t i = begin; i < std::min(begin + kPart, a.size()); ++i) {
      const double error = double{a[i]} - b[i];
      sum += error * error;
    }
  }
  return sum <= most;
}

// Of some elements of a row; all would take longer than comparing.
PlaneSigns SignsOf(std::span<const float> row) {
  constexpr std::size_t kMost = 64;
  std::vector<float> some;
  const std::size_t step = (row.size() + kMost - 1) / kMost;
  for (std::size_t i = 0; i < row.size(); i += step) some.push_back(row[i]);
  return PlaneSigns(some, 1);
}

}  // namespace

std::size_t CountPermutedChannels(const WeightRows& before, const WeightRows& after) {
  const auto row = [](const WeightRows& rows, std::size_t c) {
    return std::span<const float>(rows.values).subspan(c * rows.row, rows.row);
  };
  std::vector<PlaneSigns> signs;
  signs.reserve(before.channels);
  for (std::size_t c = 0; c < before.channels; ++c) signs.push_back(SignsOf(row(before, c)));
  const SignIndex index(signs);
  std::size_t permuted = 0;
  for (std::size_t c = 0; c < after.channels; ++c) {
    const auto ours = row(after, c);
    const double energy = EnergyOf(ours);
    if (energy == 0 || AreWithin(kSame * energy, row(before, c), ours)) continue;
    const std::vector<std::size_t> near = index.Near(SignsOf(ours));
    const bool is_elsewhere = std::ranges::any_of(near, [&](std::size_t other) {
      return other != c && AreWithin(kSame * energy, row(before, other), ours);
    });
    if (is_elsewhere) ++permuted;
  }
  return permuted;
}

}  // namespace cboard::compare
