// The goals of a tuning: the maximum drop of a metric, the maximum size and the minimum speedup.
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

// The maximum drop of a metric. "1%" is relative to the baseline. "1pp" is absolute: 0.01 for a
// metric between 0 and 1, or 1 for a metric in percent (baseline above 1). A plain number is
// absolute, in the unit of the metric.
struct MaxDrop {
  enum class Kind { kRelative, kPoints, kAbsolute };

  double value = 1;
  Kind kind = Kind::kRelative;

  // Parses "1%", "1pp" or a plain number. Fails with kInvalidArgument for a negative number and for
  // other text.
  static Result<MaxDrop> Parse(std::string_view text);

  // Returns the worst value of a metric that still meets the goal.
  double Limit(double baseline, Better better) const;
  std::string Text() const;  // "1%", "1pp", "0.5"
};

struct Goals {
  MaxDrop max_drop;
  std::optional<std::uint64_t> max_size_bytes;
  std::optional<double> min_speedup;
};

// Parses a size: "4MB", "3.5 MiB", "500000", or "25%" of `baseline_bytes`.
Result<std::uint64_t> ParseSize(std::string_view text, std::uint64_t baseline_bytes);

// Parses a duration to seconds: "90", "90s", "10m", "1.5h".
Result<double> ParseDuration(std::string_view text);

// True if `value` is at least as good as `limit`.
bool IsAsGood(double value, double limit, Better better);

}  // namespace cboard::tune
