// Computes min and max of many values at the speed of memory.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace cboard::reader {

struct ValueRange {
  double least = std::numeric_limits<double>::infinity();      // The min of the finite values.
  double greatest = -std::numeric_limits<double>::infinity();  // The max of the finite values.
  bool all_finite = true;
};

// Reads the values once, without branches. NaN and infinities are left out and make `all_finite`
// false. Without any finite value, the range is empty: least > greatest.
ValueRange RangeOf(std::span<const double> values);

// The first position of a value, which must exist.
std::size_t PositionOf(double value, std::span<const double> values);

}  // namespace cboard::reader
