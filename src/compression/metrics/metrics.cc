#include "cboard/compression/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "cboard/base/strings.h"

namespace cboard::compression {
namespace {

struct KnownMetric {
  std::string_view key, flat_group, flat_name, guide_group, unit, display_name;
  Better better;
};

constexpr Better kHigher = Better::kHigher;
constexpr Better kLower = Better::kLower;

// The known metrics, in the order in which they are logged.
constexpr auto kKnownMetrics = std::to_array<KnownMetric>({
    {"accuracy", "metrics", "accuracy", "accuracy", "", "Accuracy", kHigher},
    {"accuracy_top5", "metrics", "accuracy_top5", "", "", "Top-5 accuracy", kHigher},
    {"f1_score", "metrics", "f1_score", "", "", "F1 score", kHigher},
    {"latency_mean_ms", "performance", "latency_ms", "latency", "ms", "Latency (ms)", kLower},
    {"model_size_mb", "performance", "model_size_mb", "model_size", "MB", "Model size (MB)",
     kLower},
    {"memory_usage_mb", "performance", "memory_usage_mb", "", "MB", "Memory (MB)", kLower},
    {"loss", "metrics", "loss", "", "", "Loss", kLower},
    // The metric is described as a power, because it is measured in milliwatts, although its name
    // says energy.
    {"energy_consumption_mw", "performance", "energy_mw", "", "mW", "Power (mW)", kLower},
    {"throughput", "performance", "throughput", "", "samples/s", "Throughput (samples/s)", kHigher},
    {"sensitivity", "metrics", "sensitivity", "", "", "Sensitivity", kHigher},
    {"specificity", "metrics", "specificity", "", "", "Specificity", kHigher},
    {"precision", "metrics", "precision", "", "", "Precision", kHigher},
    {"recall", "metrics", "recall", "", "", "Recall", kHigher},
    {"auc", "metrics", "auc", "", "", "AUC", kHigher},
    {"perplexity", "metrics", "perplexity", "", "", "Perplexity", kLower},
    {"wer", "metrics", "wer", "", "", "Word error rate", kLower},
    {"latency_std_ms", "performance", "latency_std_ms", "", "ms", "Latency deviation (ms)", kLower},
    {"latency_min_ms", "performance", "latency_min_ms", "", "ms", "Latency, least (ms)", kLower},
    {"latency_median_ms", "performance", "latency_median_ms", "", "ms", "Latency, median (ms)",
     kLower},
    {"latency_p50_ms", "performance", "latency_p50_ms", "", "ms", "Latency, p50 (ms)", kLower},
    {"latency_p90_ms", "performance", "latency_p90_ms", "", "ms", "Latency, p90 (ms)", kLower},
    {"latency_p95_ms", "performance", "latency_p95_ms", "", "ms", "Latency, p95 (ms)", kLower},
    {"latency_p99_ms", "performance", "latency_p99_ms", "", "ms", "Latency, p99 (ms)", kLower},
    {"latency_max_ms", "performance", "latency_max_ms", "", "ms", "Latency, most (ms)", kLower},
    {"gpu_memory_usage_mb", "performance", "gpu_memory_mb", "", "MB", "GPU memory (MB)", kLower},
});

const KnownMetric* FindKnown(std::string_view key) {
  const auto found = std::ranges::find(kKnownMetrics, key, &KnownMetric::key);
  return found == kKnownMetrics.end() ? nullptr : &*found;
}

struct Suffix {
  std::string_view suffix, unit;
};
constexpr auto kUnitSuffixes = std::to_array<Suffix>({{"_ms", "ms"},
                                                      {"_us", "us"},
                                                      {"_seconds", "s"},
                                                      {"_mb", "MB"},
                                                      {"_gb", "GB"},
                                                      {"_bytes", "B"},
                                                      {"_mw", "mW"},
                                                      {"_mj", "mJ"},
                                                      {"_pct", "%"}});

// Words that decide the direction of a metric, at any place in its key.
constexpr auto kLowerWords =
    std::to_array<std::string_view>({"loss", "perplexity", "ppl", "error", "wer", "cer", "mse",
                                     "rmse", "mae", "latency", "energy", "memory"});
constexpr auto kHigherWords =
    std::to_array<std::string_view>({"accuracy", "acc", "f1", "throughput", "psnr", "sqnr"});

Better GuessDirection(std::string_view key) {
  // "accuracy_drop" and "latency_ratio" describe changes, so their last word decides, not the first
  // one.
  for (const std::string_view word : Split(key, '_')) {
    if (word == "drop" || word == "ratio" || word == "reduction" || word == "speedup") {
      return Better::kUnknown;
    }
  }
  for (const std::string_view word : Split(key, '_')) {
    if (std::ranges::find(kLowerWords, word) != kLowerWords.end()) return Better::kLower;
    if (std::ranges::find(kHigherWords, word) != kHigherWords.end()) return Better::kHigher;
  }
  return Better::kUnknown;
}

}  // namespace

std::string_view NameOf(Better better) {
  switch (better) {
    case Better::kHigher:
      return "higher";
    case Better::kLower:
      return "lower";
    case Better::kUnknown:
      break;
  }
  return "";
}

bool IsKnownMetric(std::string_view key) { return FindKnown(key) != nullptr; }

MetricDescription DescribeMetric(std::string_view key) {
  if (const KnownMetric* known = FindKnown(key)) {
    return {std::string(known->key),
            std::string(known->flat_group),
            std::string(known->flat_name),
            std::string(known->guide_group),
            std::string(known->unit),
            std::string(known->display_name),
            known->better};
  }
  MetricDescription unknown{.key = std::string(key),
                            .flat_group = "metrics",
                            .flat_name = std::string(key),
                            .guide_group = {},
                            .unit = {},
                            .display_name = std::string(key),
                            .better = GuessDirection(key)};
  for (const Suffix& suffix : kUnitSuffixes) {
    if (key.ends_with(suffix.suffix)) unknown.unit = suffix.unit;
  }
  return unknown;
}

std::vector<std::pair<MetricDescription, double>> InLogOrder(const Metrics& metrics) {
  std::vector<std::pair<MetricDescription, double>> ordered;
  ordered.reserve(metrics.size());
  for (const KnownMetric& known : kKnownMetrics) {
    if (const auto found = metrics.find(known.key); found != metrics.end()) {
      ordered.emplace_back(DescribeMetric(known.key), found->second);
    }
  }
  for (const auto& [key, value] : metrics) {
    if (!IsKnownMetric(key)) ordered.emplace_back(DescribeMetric(key), value);
  }
  return ordered;
}

}  // namespace cboard::compression
