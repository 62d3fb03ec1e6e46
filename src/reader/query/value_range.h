// Min and max of many values at the speed of memory.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace cboard::reader {

struct ValueRange {
  double least = std::numeric_limits<double>::infinity();      // Over finite values.
  double greatest = -std::numeric_limits<double>::infinity();  // Likewise.
  bool all_finite = true;
};

// One pass without branches. NaN and infinities are left out, and make `all_finite` false; without
// any finite value the range is empty: least > greatest.
ValueRange RangeOf(std::span<const double> values);

// The first position of a value that is there.
std::size_t PositionOf(double value, std::span<const double> values);

}  // namespace cboard::reader
