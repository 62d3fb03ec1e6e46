// AURORA, "Adaptive Utility Ranking of Resource-Aware Architectures": one number for what a
// compressed model gives and what it takes, compared with its baseline. 1 is break-even, more is
// better.
//
//   ln A = sum_i w_i ln r_i  -  k max(0, d - t)
//
// r are the ratios of quality, throughput, latency, energy and memory, each turned so that more is
// better; d is the relative loss of quality, k the penalty factor, t the loss that is forgiven.
//
//   Result<AuroraScore> aurora = ComputeAurora(fp32_metrics, int8_metrics);
//
// A score compares variants measured on the same hardware, batch size and data, and never replaces
// looking at the trade-off itself: file size, for one, is in none of the factors.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compression/metrics.h"

namespace cboard::compression {

// Where a factor comes from, and how much it counts.
struct AuroraTerm {
  std::string metric;
  double weight = 0;
  Better better = Better::kLower;
};

struct AuroraOptions {
  // A loss, a word error rate or a perplexity serves as quality with Better::kLower.
  AuroraTerm quality = {"accuracy", 0.40, Better::kHigher};
  AuroraTerm throughput = {"throughput", 0.20, Better::kHigher};
  AuroraTerm latency = {"latency_mean_ms", 0.15, Better::kLower};
  AuroraTerm energy = {"energy_consumption_mw", 0.15, Better::kLower};
  AuroraTerm memory = {"memory_usage_mb", 0.10, Better::kLower};

  double penalty_factor = 10;
  double penalty_threshold = 0;

  // Score of random guessing. Only quality above it counts, since near chance a relative loss
  // misleads.
  double chance_level = 0;

  // Machine and settings of the measurement; stored with the score, so that rankings can refuse to
  // mix.
  std::string measured_on;
};

// The part that one metric has in the score.
struct AuroraFactor {
  std::string_view name;  // quality, throughput, latency, energy, memory
  double ratio = 1;       // More is better; between 1/64 and 64.
  double weight = 0;      // Its share of all weights; the factors' add up to the coverage.
  double factor = 1;      // ratio ^ (weight / coverage)
  bool clamped = false;
};

struct AuroraScore {
  double score = 1;           // The product of all factors and the penalty factor.
  double mean = 1;            // The plain mean of the ratios, model size among them: aurora_mean.
  double coverage = 1;        // The share of the weights whose metrics are there.
  double penalty_factor = 1;  // exp(-k max(0, d - t))
  std::vector<AuroraFactor> factors;
};

// Ratios beyond this, either way, say that something was measured wrongly.
inline constexpr double kMaxAuroraRatio = 64;

// With less, a score would be about one metric.
inline constexpr double kMinAuroraCoverage = 0.5;

inline constexpr std::array<std::string_view, 6> kAuroraFactorNames = {
    "quality", "throughput", "latency", "energy", "memory", "penalty"};

// A metric that either side lacks is left out and the other weights are scaled up; throughput is
// never derived from latency. Fails with kInvalidArgument, saying why in words, when quality is
// missing, when coverage is below kMinAuroraCoverage, when a value is zero, negative or not finite,
// and when weights, factor or threshold make no sense.
Result<AuroraScore> ComputeAurora(const Metrics& baseline, const Metrics& variant,
                                  const AuroraOptions& options = {});

}  // namespace cboard::compression
