// Keeps from each stretch of points the first, the last, the min and the max, and one of each kind
// that cannot be drawn; see cboard/reader/downsample.h.
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

// Points are known by their index in the series; their contents are kept by the caller.
class ExtremeSampler {
 public:
  // Adds points [first_index, first_index + lows.size()) to the present stretch. `lows` and `highs`
  // may be the same span, which is then looked at once.
  void Add(std::size_t first_index, std::span<const double> lows, std::span<const double> highs);

  // The indices kept of the stretch so far, ascending and without repetition; they stand in memory
  // that the next call of Add changes. Begins the next stretch.
  std::span<const std::size_t> EndStretch();

 private:
  void RecordNonFinite(std::size_t first_index, std::span<const double> values);

  std::optional<std::size_t> first_, last_, least_, greatest_, nan_, positive_, negative_;
  double min_value_ = 0;
  double max_value_ = 0;
  std::array<std::size_t, 7> kept_{};
};

}  // namespace cboard::reader
