// The goals of a tuning: how much a metric may drop, and how small and fast the model must be.
//
//   CBOARD_ASSIGN_OR_RETURN(const MaxDrop drop, MaxDrop::Parse("1%"));
//   drop.Limit(0.776, Better::kHigher);  // 0.76824
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/compression/metrics.h"

namespace cboard::tune {

using compression::Better;

// "1%" is relative to the baseline, "1pp" is absolute: one hundredth of a metric between 0 and 1,
// or one unit of a metric in percent, that is with a baseline above 1. A plain number is absolute,
// too, in the unit of the metric.
struct MaxDrop {
  enum class Kind { kRelative, kPoints, kAbsolute };

  double value = 1;
  Kind kind = Kind::kRelative;

  // Fails with kInvalidArgument for a negative number, and for text that is none of the three.
  static Result<MaxDrop> Parse(std::string_view text);

  // The worst value that still meets the goal.
  double Limit(double baseline, Better better) const;
  std::string Text() const;  // "1%", "1pp", "0.5"
};

struct Goals {
  MaxDrop max_drop;
  std::optional<std::uint64_t> max_size_bytes;
  std::optional<double> min_speedup;
};

// "4MB", "3.5 MiB", "500000", and "25%" of `baseline_bytes`.
Result<std::uint64_t> ParseSize(std::string_view text, std::uint64_t baseline_bytes);

// "90", "90s", "10m", "1.5h", in seconds.
Result<double> ParseDuration(std::string_view text);

// Whether `value` is at least as good as `limit`.
bool IsAsGood(double value, double limit, Better better);

}  // namespace cboard::tune
