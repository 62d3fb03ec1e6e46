#include <array>
#include <cmath>

#include "cboard/base/strings.h"
#include "cboard/compression/metrics.h"

namespace cboard::compression {
namespace {

// The metrics whose values must be above 0. A size, time, rate or power of 0 or less was never
// measured, so a ratio of it is meaningless. In contrast, an accuracy of 0 is a result.
enum class Positive { kNeither, kBaseline, kBoth };

struct Formula {
  RatioValue result;  // Its value is not used.
  Positive positive;
  double (*compute)(double baseline, double variant);
};

// The formulas of the user guide, in the order in which they are logged.
constexpr auto kFormulas = std::to_array<Formula>({
    {{"size_ratio", "model_size_mb", "x", "Size ratio", Better::kHigher, 0},
     Positive::kBoth,
     [](double baseline, double variant) { return baseline / variant; }},
    {{"size_reduction_pct", "model_size_mb", "%", "Size reduction (%)", Better::kHigher, 0},
     Positive::kBoth,
     [](double baseline, double variant) { return (baseline - variant) / baseline * 100; }},
    {{"speedup", "latency_mean_ms", "x", "Speedup", Better::kHigher, 0},
     Positive::kBoth,
     [](double baseline, double variant) { return baseline / variant; }},
    {{"throughput_ratio", "throughput", "x", "Throughput ratio", Better::kHigher, 0},
     Positive::kBoth,
     [](double baseline, double variant) { return variant / baseline; }},
    {{"memory_reduction_mb", "memory_usage_mb", "MB", "Memory reduction (MB)", Better::kHigher, 0},
     Positive::kNeither,
     [](double baseline, double variant) { return baseline - variant; }},
    {{"accuracy_drop", "accuracy", "", "Accuracy drop", Better::kLower, 0},
     Positive::kNeither,
     [](double baseline, double variant) { return baseline - variant; }},
    {{"accuracy_retention_pct", "accuracy", "%", "Accuracy retention (%)", Better::kHigher, 0},
     Positive::kBaseline,
     [](double baseline, double variant) { return variant / baseline * 100; }},
    {{"energy_reduction_mw", "energy_consumption_mw", "mW", "Power reduction (mW)", Better::kHigher,
      0},
     Positive::kNeither,
     [](double baseline, double variant) { return baseline - variant; }},
    {{"energy_ratio", "energy_consumption_mw", "x", "Power ratio", Better::kHigher, 0},
     Positive::kBoth,
     [](double baseline, double variant) { return baseline / variant; }},
});

std::string OfVariant(std::string_view metric, std::string_view name) {
  return std::string(metric) + " of " + Quoted(name);
}

// Returns the reason why a formula cannot use `value`; empty if it can.
std::string Objection(double value, bool positive, std::string_view metric, std::string_view name) {
  if (!std::isfinite(value) || (positive && value <= 0)) {
    return OfVariant(metric, name) + " is " + ShortestDecimal(value);
  }
  return {};
}

}  // namespace

Ratios ComputeRatios(const Metrics& baseline, const Metrics& variant,
                     std::string_view baseline_name, std::string_view variant_name) {
  Ratios ratios;
  for (const Formula& formula : kFormulas) {
    const std::string_view metric = formula.result.metric;
    const auto from = baseline.find(metric);
    const auto to = variant.find(metric);
    const bool has_from = from != baseline.end();
    const bool has_to = to != variant.end();
    if (!has_from && !has_to) continue;

    std::string reason;
    if (!has_from || !has_to) {
      reason = OfVariant(metric, has_from ? variant_name : baseline_name) + " is missing";
    } else {
      reason =
          Objection(from->second, formula.positive != Positive::kNeither, metric, baseline_name);
      if (reason.empty()) {
        reason = Objection(to->second, formula.positive == Positive::kBoth, metric, variant_name);
      }
    }
    if (reason.empty()) {
      RatioValue result = formula.result;
      result.value = formula.compute(from->second, to->second);
      // The result may overflow even if both operands are finite, as in 1e300 / 1e-300.
      if (std::isfinite(result.value)) {
        ratios.values.push_back(result);
        continue;
      }
      reason = OfVariant(metric, variant_name) + " and of " + Quoted(baseline_name) +
               " are too far apart for a finite result";
    }
    ratios.omitted.push_back({std::string(formula.result.name), std::move(reason)});
  }
  return ratios;
}

}  // namespace cboard::compression
