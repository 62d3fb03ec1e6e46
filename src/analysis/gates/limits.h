// Compares logged values with limits.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace cboard::analysis {

// Returns the tolerance for rounding. Values are logged as floats and limits are decimals: an
// accuracy of 0.9 is logged slightly below 0.9, and 0.9 - 0.89 is slightly above 0.01. A difference
// that floats cannot represent does not fail a gate.
inline double FloatSlack(double limit, double scale) {
  constexpr double kShareOfFloat = 1.2e-7;
  const double slack = kShareOfFloat * std::max(std::abs(limit), std::abs(scale));
  return std::isfinite(slack) ? slack : 0;
}

// Return true if `value` is beyond the limit. `value` may be a difference: `scale` is then the
// magnitude of the number that was subtracted, otherwise 0. NaN is beyond any limit.
inline bool IsAbove(double value, double limit, double scale = 0) {
  return !(value <= limit + FloatSlack(limit, scale));
}
inline bool IsBelow(double value, double limit, double scale = 0) {
  return !(value >= limit - FloatSlack(limit, scale));
}

// Returns the severity of exceeding `limit` by an excess of `by`: the excess relative to the limit,
// so that gates with different units are comparable. A limit of 0 counts as 1. NaN is the worst.
inline double InLimits(double by, double limit) {
  if (std::isnan(by)) return std::numeric_limits<double>::infinity();
  return limit == 0 ? by : by / std::abs(limit);
}

}  // namespace cboard::analysis
