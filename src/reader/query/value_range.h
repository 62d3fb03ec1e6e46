// Computes the min and max of many values, limited only by the speed of memory.
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

// Returns the min and max of the finite values. Reads the values once, without branches. NaN and
// infinities are ignored and make `all_finite` false. If there is no finite value, the range is
// empty: least > greatest.
ValueRange RangeOf(std::span<const double> values);

// Returns the first position of a value, which must be in `values`.
std::size_t PositionOf(double value, std::span<const double> values);

}  // namespace cboard::reader
