#include "cboard/compression/aurora.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cboard/base/strings.h"

namespace cboard::compression {
namespace {

struct Ratio {
  double value = 1;  // Above 1 is better.
  bool clamped = false;
};

// Returns the ratio of a metric; nullopt if either variant lacks the metric.
Result<std::optional<Ratio>> RatioOf(const AuroraTerm& term, double offset, const Metrics& baseline,
                                     const Metrics& variant) {
  const auto from = baseline.find(term.metric);
  const auto to = variant.find(term.metric);
  if (from == baseline.end() || to == variant.end()) return std::nullopt;
  for (const auto& [side, value] : {std::pair("baseline", from->second - offset),
                                    std::pair("compressed model", to->second - offset)}) {
    if (std::isfinite(value) && value > 0) continue;
    const std::string above = offset == 0 ? "" : " above the chance level";
    return Fail(ErrorCode::kInvalidArgument,
                "no AURORA score: " + term.metric + above + " of the " + side + " is " +
                    ShortestDecimal(value) + ", but a ratio needs a finite value above 0");
  }
  const double to_from = (to->second - offset) / (from->second - offset);
  const double ratio = term.better == Better::kLower ? 1 / to_from : to_from;
  const double clamped = std::clamp(ratio, 1 / kMaxAuroraRatio, kMaxAuroraRatio);
  return Ratio{clamped, clamped != ratio};
}

Result<void> Validate(const AuroraOptions& options) {
  for (const AuroraTerm* term : {&options.quality, &options.throughput, &options.latency,
                                 &options.energy, &options.memory}) {
    if (!std::isfinite(term->weight) || term->weight < 0) {
      return Fail(ErrorCode::kInvalidArgument, "the AURORA weight of " + term->metric + " is " +
                                                   ShortestDecimal(term->weight) +
                                                   "; expected 0 or more");
    }
  }
  if (!(options.quality.weight > 0)) {
    return Fail(ErrorCode::kInvalidArgument,
                "the AURORA weight of quality is 0, but a score without quality is not meaningful; "
                "give a weight above 0");
  }
  if (!std::isfinite(options.penalty_factor) || options.penalty_factor < 0 ||
      !std::isfinite(options.penalty_threshold) || options.penalty_threshold < 0 ||
      !std::isfinite(options.chance_level)) {
    return Fail(ErrorCode::kInvalidArgument,
                "the AURORA penalty factor and threshold must be finite and 0 or more");
  }
  return {};
}

}  // namespace

Result<AuroraScore> ComputeAurora(const Metrics& baseline, const Metrics& variant,
                                  const AuroraOptions& options) {
  CBOARD_RETURN_IF_ERROR(Validate(options));
  const std::array<const AuroraTerm*, 5> terms = {
      &options.quality, &options.throughput, &options.latency, &options.energy, &options.memory};
  AuroraScore result;
  double weights = 0;
  double present = 0;
  double ratio_sum = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const AuroraTerm& term = *terms[i];
    weights += term.weight;
    const double offset = i == 0 ? options.chance_level : 0;
    CBOARD_ASSIGN_OR_RETURN(const std::optional<Ratio> ratio,
                            RatioOf(term, offset, baseline, variant));
    if (!ratio) {
      if (i != 0) continue;
      return Fail(
          ErrorCode::kInvalidArgument,
          "no AURORA score: the baseline and the variant must both have the quality metric " +
              term.metric);
    }
    present += term.weight;
    ratio_sum += ratio->value;
    result.factors.push_back({kAuroraFactorNames[i], ratio->value, term.weight, 1, ratio->clamped});
  }

  result.coverage = present / weights;
  // Allows for rounding errors: weights of .40 + .10 in a sum of 1.0000000000000002 are accepted as
  // one half.
  if (result.coverage < kMinAuroraCoverage - 1e-9) {
    return Fail(ErrorCode::kInvalidArgument,
                "no AURORA score: the metrics of both variants cover " +
                    std::to_string(std::lround(result.coverage * 100)) +
                    " % of the weights, but at least 50 % are needed; add throughput, "
                    "latency_mean_ms, energy_consumption_mw or memory_usage_mb");
  }

  double log_score = 0;
  for (AuroraFactor& factor : result.factors) {
    const double log_factor = factor.weight / present * std::log(factor.ratio);
    factor.factor = std::exp(log_factor);
    log_score += log_factor;
    factor.weight /= weights;
  }
  const double loss = 1 - result.factors.front().ratio;
  const double penalty = options.penalty_factor * std::max(0.0, loss - options.penalty_threshold);
  result.penalty_factor = std::exp(-penalty);
  result.score = std::exp(log_score - penalty);

  std::size_t ratio_count = result.factors.size();
  const AuroraTerm size = {"model_size_mb", 0, Better::kLower};
  // Model size has no weight in the score, so a size that cannot be used does not prevent the
  // score.
  if (const auto ratio = RatioOf(size, 0, baseline, variant); ratio && *ratio) {
    ratio_sum += (*ratio)->value;
    ++ratio_count;
  }
  result.mean = ratio_sum / static_cast<double>(ratio_count);
  return result;
}

}  // namespace cboard::compression
