// Short names for NaN and infinity in tests.
#pragma once

#include <limits>

namespace cboard::testing {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace cboard::testing
