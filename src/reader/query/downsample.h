// Fewer points for the pixels there are, without hiding a spike.
//
//   for (const std::size_t i : SampleExtremes(steps, losses, losses, 1000)) {
//     Draw(steps[i], losses[i]);
//   }
//
// A stretch of the x axis, about as wide as a few pixels, is drawn the same from four of its points
// as from a million: its first, its last, its least and its greatest. Values that cannot be drawn
// (NaN, infinities) are kept as well, once per kind and stretch, so that a chart can mark them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cboard::reader {

// A result holds at most this many finite points per stretch.
inline constexpr std::size_t kPointsPerStretch = 4;

// The indices of the points to show, ascending: all of them when there are at most `max_points`.
// Otherwise the range of `xs` is cut into max_points / 4 stretches of equal width, at least one,
// and of each its first and last point, the point with the least of `lows`, the one with the
// greatest of `highs`, and the first NaN, +Inf and -Inf are kept: at most `max_points` (4, if that
// is more), not counting NaN and infinities. For a plain curve `lows` and `highs` are the same.
// Where `xs` does not ascend, stretches have equal numbers of points instead. The three must have
// equal length.
std::vector<std::size_t> SampleExtremes(std::span<const double> xs, std::span<const double> lows,
                                        std::span<const double> highs, std::size_t max_points);

}  // namespace cboard::reader
