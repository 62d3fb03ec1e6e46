// Selects points of each interval of a series: the first, the last, the min, the max, and one point
// per kind of non-finite value (see cboard/reader/downsample.h).
//
//   ExtremeSampler sampler([&](std::size_t index) { kept.push_back(index); });
//   sampler.Add(0, values.first(100), values.first(100));
//   sampler.EndStretch();
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "reader/query/value_range.h"

namespace cboard::reader {

// Selects points. It knows points only by their index in the series; the caller stores the values.
class ExtremeSampler {
 public:
  // Adds the points [first_index, first_index + lows.size()) to the current interval. If `lows` and
  // `highs` are the same span, the values are read only once.
  void Add(std::size_t first_index, std::span<const double> lows, std::span<const double> highs);

  // Ends the interval and returns the selected indices, in ascending order without duplicates. The
  // span is valid until the next call of Add().
  std::span<const std::size_t> EndStretch();

 private:
  void RecordNonFinite(std::size_t first_index, std::span<const double> values);

  std::optional<std::size_t> first_, last_, least_, greatest_, nan_, positive_, negative_;
  double min_value_ = 0;
  double max_value_ = 0;
  std::array<std::size_t, 7> kept_{};
};

}  // namespace cboard::reader
