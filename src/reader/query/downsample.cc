#include "reader/query/downsample.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cboard/base/check.h"
#include "reader/query/extreme_sampler.h"

namespace cboard::reader {
namespace {

bool Ascends(std::span<const double> xs) {
  for (std::size_t i = 1; i < xs.size(); ++i) {
    if (!(xs[i - 1] <= xs[i])) return false;  // Also true for NaN.
  }
  return true;
}

}  // namespace

std::vector<std::size_t> SampleExtremes(std::span<const double> xs, std::span<const double> lows,
                                        std::span<const double> highs, std::size_t max_points) {
  CBOARD_CHECK(xs.size() == lows.size() && xs.size() == highs.size());
  std::vector<std::size_t> kept;
  if (xs.size() <= max_points) {
    kept.resize(xs.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    return kept;
  }
  const std::size_t stretches = std::max<std::size_t>(1, max_points / kPointsPerStretch);
  const double width = xs.back() - xs.front();
  const bool by_x = Ascends(xs) && std::isfinite(width) && width > 0;
  ExtremeSampler sampler;
  std::size_t begin = 0;
  for (std::size_t stretch = 1; stretch <= stretches; ++stretch) {
    std::size_t end = xs.size() * stretch / stretches;
    if (by_x && stretch < stretches) {
      const double edge =
          xs.front() + width * (static_cast<double>(stretch) / static_cast<double>(stretches));
      const auto rest = xs.subspan(begin);
      end = begin + static_cast<std::size_t>(std::ranges::lower_bound(rest, edge) - rest.begin());
    }
    sampler.Add(begin, lows.subspan(begin, end - begin), highs.subspan(begin, end - begin));
    const std::span<const std::size_t> indices = sampler.EndStretch();
    kept.insert(kept.end(), indices.begin(), indices.end());
    begin = end;
  }
  return kept;
}

}  // namespace cboard::reader
