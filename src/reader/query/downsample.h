// Reduces a series to about as many points as a chart has pixels, without hiding a spike.
//
//   for (const std::size_t i : SampleExtremes(steps, losses, losses, 1000)) {
//     Draw(steps[i], losses[i]);
//   }
//
// Divides the x axis into stretches of a few pixels. A stretch looks the same if only four of its
// points are drawn: the first, the last, the min and the max. Non-finite values (NaN, infinities)
// are kept once per kind and stretch, so that a chart can mark them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cboard::reader {

// A result holds at most this many finite points per stretch.
inline constexpr std::size_t kPointsPerStretch = 4;

// The indices of the points to show, in ascending order; all of them if there are at most
// `max_points`. Otherwise, the range of `xs` is divided into max_points / 4 stretches of equal
// width, at least one. For each stretch, these points are kept: the first and the last, the one
// with the min of `lows`, the one with the max of `highs`, and the first NaN, +Inf and -Inf. The
// result has at most `max_points` (at least 4) finite points. For a plain curve, `lows` and `highs`
// are the same. If `xs` is not ascending, stretches have equal numbers of points instead. The three
// spans must have equal lengths.
std::vector<std::size_t> SampleExtremes(std::span<const double> xs, std::span<const double> lows,
                                        std::span<const double> highs, std::size_t max_points);

}  // namespace cboard::reader
