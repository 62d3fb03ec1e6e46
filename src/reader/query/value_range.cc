#include "reader/query/value_range.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "cboard/base/check.h"

namespace cboard::reader {
namespace {

// Uses vectors of a size that every processor has, four of each kind at a time. The loop is then
// limited by the speed of memory and not by the latency of comparisons.
constexpr std::size_t kLanes = 2;
constexpr std::size_t kVectors = 4;
using Doubles = double __attribute__((vector_size(kLanes * sizeof(double))));
using Masks = std::int64_t __attribute__((vector_size(kLanes * sizeof(double))));

ValueRange RangeOneByOne(std::span<const double> values) {
  ValueRange range;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      range.all_finite = false;
      continue;
    }
    range.least = std::min(range.least, value);
    range.greatest = std::max(range.greatest, value);
  }
  return range;
}

}  // namespace

ValueRange RangeOf(std::span<const double> values) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Doubles least[kVectors], greatest[kVectors];
  Masks odd[kVectors] = {};
  for (std::size_t k = 0; k < kVectors; ++k) {
    least[k] = Doubles{kInfinity, kInfinity};
    greatest[k] = -least[k];
  }
  std::size_t i = 0;
  for (; i + kLanes * kVectors <= values.size(); i += kLanes * kVectors) {
    for (std::size_t k = 0; k < kVectors; ++k) {
      Doubles value;
      std::memcpy(&value, values.data() + i + k * kLanes, sizeof(value));
      const Doubles zero = value - value;  // NaN if the value is NaN or infinite.
      odd[k] |= zero != zero;
      least[k] = value < least[k] ? value : least[k];
      greatest[k] = value > greatest[k] ? value : greatest[k];
    }
  }
  const Masks any = odd[0] | odd[1] | odd[2] | odd[3];
  // If the result contains an infinity, which is rare, searches again without infinities.
  if ((any[0] | any[1]) != 0) return RangeOneByOne(values);

  ValueRange range = RangeOneByOne(values.subspan(i));
  for (std::size_t k = 0; k < kVectors; ++k) {
    range.least = std::min({range.least, least[k][0], least[k][1]});
    range.greatest = std::max({range.greatest, greatest[k][0], greatest[k][1]});
  }
  return range;
}

std::size_t PositionOf(double value, std::span<const double> values) {
  // Skips vectors that do not contain the value, and then compares single values.
  const Doubles wanted = {value, value};
  std::size_t i = 0;
  for (; i + kLanes * kVectors <= values.size(); i += kLanes * kVectors) {
    Masks equal = {};
    for (std::size_t k = 0; k < kVectors; ++k) {
      Doubles candidates;
      std::memcpy(&candidates, values.data() + i + k * kLanes, sizeof(candidates));
      equal |= candidates == wanted;
    }
    if ((equal[0] | equal[1]) != 0) break;
  }
  const auto rest = values.subspan(i);
  const auto found = std::ranges::find(rest, value);
  CBOARD_CHECK(found != rest.end());
  return i + static_cast<std::size_t>(found - rest.begin());
}

}  // namespace cboard::reader
