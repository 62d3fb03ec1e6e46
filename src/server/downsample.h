// Fewer points for the pixels there are, without hiding a spike.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cboard/reader/logdir_scan.h"

namespace cboard {

inline constexpr std::size_t kMinDownsampledPoints = 8;

// The indices of the points to show, ascending: all when there are at most `max_points`, which is
// at least kMinDownsampledPoints. Otherwise the first, the last, and of every stretch of equal
// length its least and greatest value, and its first NaN if it has one. So a spike stays, however
// short it is.
std::vector<std::size_t> Downsample(std::span<const ScalarPoint> points, std::size_t max_points);

}  // namespace cboard
