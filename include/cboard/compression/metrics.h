// The vocabulary of compression: the known metrics, their tags, and the ratios between a baseline
// and a variant.
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

// Measured metrics of one variant, with the keys of benchmark JSON: accuracy, latency_mean_ms,
// model_size_mb, …
using Metrics = std::map<std::string, double, std::less<>>;

// The default names of a baseline and a variant. Any other names are allowed.
inline constexpr std::string_view kDefaultBaseline = "fp32";
inline constexpr std::string_view kDefaultVariant = "int8";

enum class Better { kUnknown, kHigher, kLower };

// The name of the better direction: "higher", "lower", or "" if unknown.
std::string_view NameOf(Better better);

struct MetricDescription {
  std::string key;           // latency_mean_ms
  std::string flat_group;    // performance
  std::string flat_name;     // latency_ms
  std::string guide_group;   // latency; empty if the metric is in no group of add_scalars.
  std::string unit;          // ms; empty for a number without a unit.
  std::string display_name;  // Latency (ms)
  Better better = Better::kUnknown;
};

bool IsKnownMetric(std::string_view key);

// Describes a metric. An unknown key is logged as metrics/<key>; its unit and direction are derived
// from its name if that is safe ("_ms", "perplexity"), and are unknown otherwise.
MetricDescription DescribeMetric(std::string_view key);

// Returns `metrics` in logging order: known metrics in the order of the vocabulary, then unknown
// metrics by name.
std::vector<std::pair<MetricDescription, double>> InLogOrder(const Metrics& metrics);

// An omitted value and the reason: {"speedup", "latency_mean_ms of int8 is 0"}.
struct Omission {
  std::string what;
  std::string reason;

  friend bool operator==(const Omission&, const Omission&) = default;
};

struct RatioValue {
  std::string_view name;          // size_ratio
  std::string_view metric;        // model_size_mb, from which the ratio was computed.
  std::string_view unit;          // x, %, MB, …
  std::string_view display_name;  // Size ratio
  Better better = Better::kUnknown;
  double value = 0;
};

struct Ratios {
  std::vector<RatioValue> values;
  std::vector<Omission> omitted;
};

// Computes all ratios that the metrics allow. A metric that neither baseline nor variant has is
// ignored. A metric that only one of them has, or whose values give no ratio (a size, latency, rate
// or power of zero or less, NaN, infinity), is named in `omitted`.
Ratios ComputeRatios(const Metrics& baseline, const Metrics& variant,
                     std::string_view baseline_name = kDefaultBaseline,
                     std::string_view variant_name = kDefaultVariant);

}  // namespace cboard::compression

namespace cboard {
using compression::Metrics;
}  // namespace cboard
