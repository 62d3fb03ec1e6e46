// Reduces a series to about as many points as a chart can show, without hiding a spike.
//
//   for (const std::size_t i : SampleExtremes(steps, losses, losses, 1000)) {
//     Draw(steps[i], losses[i]);
//   }
//
// Divides the x axis into intervals that are a few pixels wide. The line in an interval looks the
// same if only four of its points are drawn: the first, the last, the min and the max. Non-finite
// values (NaN, infinities) are kept once per kind and interval, so that a chart can mark them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cboard::reader {

// Maximum number of finite points in the result per interval of the x axis.
inline constexpr std::size_t kPointsPerStretch = 4;

// Returns the indices of the points to show, in ascending order. If there are at most `max_points`
// points, returns all indices. Otherwise divides the range of `xs` into max_points / 4 intervals of
// equal width, at least one. From each interval, these points are kept: the first and the last, the
// point with the min of `lows`, the point with the max of `highs`, and the first NaN, +Inf and
// -Inf. The result has at most `max_points` (at least 4) finite points. For a simple curve, pass
// the same values as `lows` and `highs`. If `xs` does not ascend, the intervals have equal numbers
// of points instead of equal widths. The three spans must have equal lengths.
std::vector<std::size_t> SampleExtremes(std::span<const double> xs, std::span<const double> lows,
                                        std::span<const double> highs, std::size_t max_points);

}  // namespace cboard::reader
