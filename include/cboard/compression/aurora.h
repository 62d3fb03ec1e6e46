// AURORA, "Adaptive Utility Ranking of Resource-Aware Architectures": one number for the benefit
// and the cost of a compressed model, relative to its baseline. 1 is break-even, higher is better.
//
//   ln A = sum_i w_i ln r_i  -  k max(0, d - t)
//
// r_i are the ratios of quality, throughput, latency, energy and memory, each oriented so that
// higher is better; d is the relative loss of quality, k the penalty factor, t the tolerated loss.
//
//   Result<AuroraScore> aurora = ComputeAurora(fp32_metrics, int8_metrics);
//
// A score compares variants measured on the same hardware, batch size and data. It does not replace
// a look at the trade-off itself: for example, no factor contains the file size.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compression/metrics.h"

namespace cboard::compression {

// A factor of the score: its metric and its weight.
struct AuroraTerm {
  std::string metric;
  double weight = 0;
  Better better = Better::kLower;
};

struct AuroraOptions {
  // Direction of the quality metric: a loss, a word error rate or a perplexity has Better::kLower.
  AuroraTerm quality = {"accuracy", 0.40, Better::kHigher};
  AuroraTerm throughput = {"throughput", 0.20, Better::kHigher};
  AuroraTerm latency = {"latency_mean_ms", 0.15, Better::kLower};
  AuroraTerm energy = {"energy_consumption_mw", 0.15, Better::kLower};
  AuroraTerm memory = {"memory_usage_mb", 0.10, Better::kLower};

  double penalty_factor = 10;
  double penalty_threshold = 0;

  // The score of random guessing. Only the quality above this score counts, because relative losses
  // near chance level are misleading.
  double chance_level = 0;

  // Machine and settings of the measurement. It is stored with the score, so that rankings can
  // refuse to mix different machines.
  std::string measured_on;
};

// The contribution of one metric to the score.
struct AuroraFactor {
  std::string_view name;  // quality, throughput, latency, energy, memory
  double ratio = 1;       // Higher is better; limited to 1/64 … 64.
  double weight = 0;      // Share of all weights; the sum over the factors is the coverage.
  double factor = 1;      // ratio ^ (weight / coverage)
  bool clamped = false;
};

struct AuroraScore {
  double score = 1;           // The product of all factors and the penalty factor.
  double mean = 1;            // aurora_mean: the plain mean of the ratios, including model size.
  double coverage = 1;        // The share of the weights whose metrics exist.
  double penalty_factor = 1;  // exp(-k max(0, d - t))
  std::vector<AuroraFactor> factors;
};

// Maximum ratio of a factor. A ratio above it, or below its inverse, indicates a wrong measurement.
inline constexpr double kMaxAuroraRatio = 64;

// Minimum coverage of the weights. With less coverage, the score would depend on a single metric.
inline constexpr double kMinAuroraCoverage = 0.5;

inline constexpr std::array<std::string_view, 6> kAuroraFactorNames = {
    "quality", "throughput", "latency", "energy", "memory", "penalty"};

// Computes the AURORA score of a variant. A metric that the baseline or the variant lacks is
// omitted, and the weights of the other metrics are scaled up; throughput is never derived from
// latency. Fails with kInvalidArgument and a reason if quality is missing, if coverage is below
// kMinAuroraCoverage, if a value is zero, negative or not finite, or if weights, penalty factor or
// threshold are invalid.
Result<AuroraScore> ComputeAurora(const Metrics& baseline, const Metrics& variant,
                                  const AuroraOptions& options = {});

}  // namespace cboard::compression
