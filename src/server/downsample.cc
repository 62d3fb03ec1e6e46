#include "server/downsample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "cboard/base/check.h"

namespace cboard {

std::vector<std::size_t> Downsample(std::span<const ScalarPoint> points, std::size_t max_points) {
  CBOARD_CHECK(max_points >= kMinDownsampledPoints);
  std::vector<std::size_t> kept;
  if (points.size() <= max_points) {
    kept.resize(points.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    return kept;
  }
  const auto is_nan = [&](std::size_t i) { return std::isnan(points[i].value); };
  const bool has_nan =
      std::ranges::any_of(points, [](const ScalarPoint& point) { return std::isnan(point.value); });
  const std::size_t per_stretch = has_nan ? 3 : 2;
  const std::size_t stretches = (max_points - 2) / per_stretch;

  kept.reserve(max_points);
  const auto keep = [&](std::size_t i) {
    if (kept.empty() || kept.back() < i) kept.push_back(i);
  };
  keep(0);
  for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
    const std::size_t begin = points.size() * stretch / stretches;
    const std::size_t end = points.size() * (stretch + 1) / stretches;
    constexpr auto kNone = static_cast<std::size_t>(-1);
    std::array<std::size_t, 3> chosen = {kNone, kNone, kNone};  // Least, greatest, NaN.
    auto& [least, greatest, nan] = chosen;
    for (std::size_t i = begin; i < end; ++i) {
      if (is_nan(i)) {
        nan = std::min(nan, i);
        continue;
      }
      if (least == kNone || points[i].value < points[least].value) least = i;
      if (greatest == kNone || points[i].value > points[greatest].value) greatest = i;
    }
    std::ranges::sort(chosen);
    for (const std::size_t i : chosen) {
      if (i != kNone) keep(i);
    }
  }
  keep(points.size() - 1);
  return kept;
}

}  // namespace cboard
