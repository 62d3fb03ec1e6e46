#include "cboard/tune/goals.h"

#include <charconv>
#include <cmath>

#include "cboard/base/strings.h"

namespace cboard::tune {
namespace {

struct NumberWithUnit {
  double number = 0;
  std::string_view unit;
};

std::optional<NumberWithUnit> SplitUnit(std::string_view text) {
  NumberWithUnit split;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), split.number);
  if (parsed.ec != std::errc() || !std::isfinite(split.number) || split.number < 0) return {};
  split.unit = text.substr(static_cast<std::size_t>(parsed.ptr - text.data()));
  while (!split.unit.empty() && split.unit.front() == ' ') split.unit.remove_prefix(1);
  return split;
}

}  // namespace

Result<MaxDrop> MaxDrop::Parse(std::string_view text) {
  if (const auto split = SplitUnit(text)) {
    if (split->unit == "%") return MaxDrop{split->number, Kind::kRelative};
    if (split->unit == "pp") return MaxDrop{split->number, Kind::kPoints};
    if (split->unit.empty()) return MaxDrop{split->number, Kind::kAbsolute};
  }
  return Fail(ErrorCode::kInvalidArgument,
              "--max-drop is " + Quoted(text) +
                  "; expected 1% (relative to the baseline), 1pp (percentage points) or a number "
                  "in the unit of the metric");
}

double MaxDrop::Limit(double baseline, Better better) const {
  double drop = value;
  if (kind == Kind::kRelative) drop = std::abs(baseline) * value / 100;
  if (kind == Kind::kPoints && std::abs(baseline) <= 1) drop = value / 100;
  return better == Better::kLower ? baseline + drop : baseline - drop;
}

std::string MaxDrop::Text() const {
  constexpr std::string_view kUnits[] = {"%", "pp", ""};
  return ShortestDecimal(value) + std::string(kUnits[static_cast<std::size_t>(kind)]);
}

bool IsAsGood(double value, double limit, Better better) {
  // Allows for rounding, because limits are computed from decimal numbers: 0.99 must reach a limit
  // of 1 - 1 %.
  const double tolerance = 1e-9 * std::max(1.0, std::abs(limit));
  return better == Better::kLower ? value <= limit + tolerance : value >= limit - tolerance;
}

Result<std::uint64_t> ParseSize(std::string_view text, std::uint64_t baseline_bytes) {
  constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1},
                                                            {"B", 1},
                                                            {"kB", 1e3},
                                                            {"KB", 1e3},
                                                            {"MB", 1e6},
                                                            {"GB", 1e9},
                                                            {"KiB", 1024},
                                                            {"MiB", 1024.0 * 1024},
                                                            {"GiB", 1024.0 * 1024 * 1024},
                                                            {"%", -1}};
  if (const auto split = SplitUnit(text)) {
    for (const auto& [unit, factor] : kUnits) {
      if (split->unit != unit) continue;
      const double bytes = factor < 0 ? split->number / 100 * static_cast<double>(baseline_bytes)
                                      : split->number * factor;
      if (bytes >= 1 && bytes < 9e18) return static_cast<std::uint64_t>(bytes);
    }
  }
  return Fail(ErrorCode::kInvalidArgument,
              "--max-size is " + Quoted(text) + "; expected 4MB, 3.5MiB, 500000 or 25%");
}

Result<double> ParseDuration(std::string_view text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
  if (const auto split = SplitUnit(text)) {
    for (const auto& [unit, factor] : kUnits) {
      if (split->unit == unit) return split->number * factor;
    }
  }
  return Fail(ErrorCode::kInvalidArgument,
              "the duration is " + Quoted(text) + "; expected 90s, 10m or 1.5h");
}

}  // namespace cboard::tune
