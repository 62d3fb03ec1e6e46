// The vocabulary of compression: which metrics there are, where they are logged, and what the
// ratios between a baseline and a variant mean.
//
//   const MetricDescription latency = DescribeMetric("latency_mean_ms");
//   latency.flat_group + "/" + latency.flat_name;  // performance/latency_ms
//   latency.better;                                // Better::kLower
//
// docs/formats/compression-tags.md has the whole list.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cboard::compression {

// Measured metrics of one variant, by the keys of benchmark JSON: accuracy, latency_mean_ms,
// model_size_mb, …
using Metrics = std::map<std::string, double, std::less<>>;

// The two names that most comparisons use. Any other name may be the baseline or a variant.
inline constexpr std::string_view kDefaultBaseline = "fp32";
inline constexpr std::string_view kDefaultVariant = "int8";

enum class Better { kUnknown, kHigher, kLower };

// "higher", "lower", or "" when nobody knows.
std::string_view NameOf(Better better);

struct MetricDescription {
  std::string key;           // latency_mean_ms
  std::string flat_group;    // performance
  std::string flat_name;     // latency_ms
  std::string guide_group;   // latency; empty when the metric is in none of the guide's groups.
  std::string unit;          // ms; empty for a pure number.
  std::string display_name;  // Latency (ms)
  Better better = Better::kUnknown;
};

bool IsKnownMetric(std::string_view key);

// An unknown key is logged as metrics/<key>; unit and direction are read off its name where that
// is safe ("_ms", "perplexity"), and left open otherwise.
MetricDescription DescribeMetric(std::string_view key);

// `metrics` in the order in which they are logged: known ones as the vocabulary lists them, then
// the others by name.
std::vector<std::pair<MetricDescription, double>> InLogOrder(const Metrics& metrics);

// Something that was left out, and why: {"speedup", "latency_mean_ms of int8 is 0"}.
struct Omission {
  std::string what;
  std::string reason;

  friend bool operator==(const Omission&, const Omission&) = default;
};

struct RatioValue {
  std::string_view name;          // size_ratio
  std::string_view metric;        // model_size_mb, from which it was computed.
  std::string_view unit;          // x, %, MB, …
  std::string_view display_name;  // Size ratio
  Better better = Better::kUnknown;
  double value = 0;
};

struct Ratios {
  std::vector<RatioValue> values;
  std::vector<Omission> omitted;
};

// Every ratio that the two allow. A metric that neither has is passed over in silence; one that
// only one side has, or whose values give no ratio (a size, latency, rate or power of zero or less,
// NaN, infinity), is named in `omitted`.
Ratios ComputeRatios(const Metrics& baseline, const Metrics& variant,
                     std::string_view baseline_name = kDefaultBaseline,
                     std::string_view variant_name = kDefaultVariant);

}  // namespace cboard::compression

namespace cboard {
using compression::Metrics;
}  // namespace cboard
