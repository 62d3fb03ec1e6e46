// Decides which sets of changes to try next.
#include <algorithm>
#include <cmath>

#include "cboard/base/strings.h"
#include "tune/tuner.h"

namespace cboard::tune {
namespace {

// Maximum number of evaluations to find a smaller model after the goal is met.
constexpr std::size_t kMaxRefinements = 2;

}  // namespace

std::string CountText(const PlanChanges& changes) {
  std::string text;
  const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " +
            std::string(count == 1 ? one : many);
  };
  add(changes.float_nodes.size(), "operator in float", "operators in float");
  add(changes.wide_tensors.size(), "tensor in 16 bits", "tensors in 16 bits");
  add(changes.narrow_nodes.size(), "weight in 4 bits", "weights in 4 bits");
  return text.empty() ? "everything in 8 bits" : text;
}

Result<std::optional<bool>> Tuner::TryChanges(const PlanChanges& changes, const std::string& note) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (report_.evaluations >= options_.max_evaluations) break;
    CBOARD_ASSIGN_OR_RETURN(const TrialReport* const trial,
                            RunTrial(changes, attempt == 0 ? note : note + ", second attempt"));
    if (!trial->result.has_failed()) {
      return std::optional<bool>(IsAsGood(*trial->result.accuracy, report_.limit, better_));
    }
  }
  return std::optional<bool>();
}

bool Tuner::IsTried(const PlanChanges& changes) const {
  return std::ranges::find(changes_, changes) != changes_.end();
}

bool Tuner::CanTryMore() {
  if (report_.evaluations >= options_.max_evaluations) return false;
  if (!IsOutOfTime()) return true;
  stopped_ = "the time is over";
  return false;
}

std::optional<double> Tuner::AddedMs(const PlanChanges& changes) {
  std::set<std::string> nodes = changes.float_nodes;
  for (const ErrorSource& source : sources_) {
    if (source.is_weight || !changes.wide_tensors.contains(source.key)) continue;
    nodes.insert(source.nodes.begin(), source.nodes.end());
  }
  double us = 0;
  for (const std::string& node : nodes) {
    const auto added = times_.AddedUs(choice_.plan.nodes.at(node).node);
    if (!added) return std::nullopt;
    us += *added;
  }
  return us / 1000;
}

double Tuner::PriceOf(const PlanChanges& changes) {
  double all_values = 0;
  for (const ErrorSource& source : sources_) {
    if (source.is_weight) all_values += static_cast<double>(source.weight_values);
  }
  const auto count = static_cast<double>(changes.float_nodes.size() + changes.wide_tensors.size());
  const auto bytes = static_cast<double>(AddedBytes(choice_.plan, changes));
  if (options_.objective == Objective::kSize) {
    // Each change also costs time, so it has a price even if it does not increase the file size.
    return bytes + (0.06 * all_values + 1) * count;
  }
  // The price is in microseconds. If a time is unknown, it is estimated from the share of the
  // weights.
  constexpr double kMinUs = 0.5;
  const auto added = AddedMs(changes);
  const double share = bytes / std::max(all_values, 1.0);
  return added ? std::max(*added * 1000, kMinUs * count) : 1000 * share + kMinUs * count;
}

std::uint64_t Tuner::BytesWith(const PlanChanges& changes) const {
  constexpr std::uint64_t kMaxWritten = 64'000'000;  // Writing larger models takes too long.
  if (report_.baseline.size_bytes <= kMaxWritten) {
    if (const auto bytes = quantizer_->Write(meter_->PlanWith(changes))) return bytes->size();
  }
  std::int64_t bytes = static_cast<std::int64_t>(report_.baseline.size_bytes) / 4;
  if (!report_.trials.empty()) {
    bytes = static_cast<std::int64_t>(report_.trials[0].result.size_bytes) -
            AddedBytes(choice_.plan, changes_[0]);
  }
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, bytes + AddedBytes(choice_.plan, changes)));
}

Result<void> Tuner::Search() {
  const auto& max_size = options_.goals.max_size_bytes;
  if (max_size && BytesWith({}) > *max_size) return SearchWithinSize();
  CBOARD_ASSIGN_OR_RETURN(
      const auto is_accurate,
      TryChanges({}, sources_.empty() ? "nothing is quantized" : CountText({})));
  if (!is_accurate) {
    stopped_ = "the evaluation of the first quantized model failed twice";
    return WriteUnmeasuredOutput();
  }
  if (sources_.empty() || (*is_accurate && options_.stops_at_goal)) return {};
  if (report_.evaluations >= options_.max_evaluations) return {};
  CBOARD_RETURN_IF_ERROR(Rank(false));
  if (!*is_accurate) CBOARD_RETURN_IF_ERROR(SearchGoal());
  const bool is_met = std::ranges::any_of(report_.trials, &TrialReport::is_met);
  if (!stopped_.empty() || (is_met && options_.stops_at_goal)) return {};
  return SearchCurve();
}

Result<void> Tuner::Rank(bool has_narrow_weights) {
  CBOARD_RETURN_IF_ERROR(CheckStop("ranking operators"));
  ShowProgress("ranking", "ranking operators");
  TradeOff::Inputs inputs{.sources = sources_,
                          .objective = options_.objective,
                          .has_16_bits = choice_.plan.target != quantize::Target::kTensorRt,
                          .price = [this](const PlanChanges& changes) { return PriceOf(changes); }};
  CBOARD_ASSIGN_OR_RETURN(RankedSources ranked, RankSources(*meter_, sources_));
  inputs.items = std::move(ranked.items);
  inputs.halves = std::move(ranked.halves);
  if (has_narrow_weights) {
    CBOARD_ASSIGN_OR_RETURN(inputs.narrow, RankNarrowWeights(*meter_, sources_));
  }
  order_ = std::make_unique<TradeOff>(*meter_, std::move(inputs));
  const auto is_allowed =
      [this, eight_bits = static_cast<std::int64_t>(BytesWith({}))](const PlanChanges& changes) {
        return IsAllowed(eight_bits + AddedBytes(choice_.plan, changes), changes);
      };
  order_->Limit(is_allowed);
  if (has_narrow_weights || report_.trials.back().is_met) return {};
  return order_->AddNeighbors(is_allowed);
}

bool Tuner::IsAllowed(std::int64_t bytes, const PlanChanges& changes) {
  const Goals& goals = options_.goals;
  // A model in which all weights are float is not allowed, because it is not compressed.
  const std::uint64_t max_bytes =
      std::min(goals.max_size_bytes.value_or(report_.baseline.size_bytes * 95 / 100),
               report_.baseline.size_bytes);
  if (bytes > static_cast<std::int64_t>(max_bytes)) return false;
  if (!goals.min_speedup || report_.trials.empty() || !report_.trials[0].result.speedup)
    return true;
  const TrialResult& first = report_.trials[0].result;
  const double max_ms = *first.latency_ms * *first.speedup / *goals.min_speedup;
  const auto added = AddedMs(changes);
  return !added || *first.latency_ms + *added <= max_ms;
}

Result<void> Tuner::SearchGoal() {
  const TrialReport first = report_.trials.back();
  if (order_->size() < 2) {
    stopped_ = options_.goals.min_speedup
                   ? "every change makes the file larger or slower than the goals allow"
                   : "every change makes the file larger than the goal allows";
    return {};
  }
  const std::size_t last = order_->size() - 1;
  std::size_t low = 0;              // Last set that misses the accuracy.
  std::optional<std::size_t> high;  // First set that meets it.
  double low_noise = std::pow(10.0, -first.end_sqnr_db / 10), high_noise = 0;
  double low_drop = std::abs(*first.result.accuracy - *report_.baseline.accuracy);
  const double max_drop = std::abs(report_.limit - *report_.baseline.accuracy);
  std::size_t refinements = 0;
  while (CanTryMore()) {
    std::size_t index = last;
    double max_noise = 0;
    if (high) {
      if (*high - low < 2 || refinements == kMaxRefinements) break;
      ++refinements;
      max_noise = std::sqrt(low_noise * std::max(high_noise, 1e-12));
      CBOARD_ASSIGN_OR_RETURN(index, order_->FindWithin(max_noise, low + 1, *high - 1));
      CBOARD_ASSIGN_OR_RETURN(const double found_noise, order_->Noise(index));
      if (found_noise > max_noise) break;  // No cheaper set has a sufficiently low noise.
    } else if (low == last) {
      break;  // Sets that the knapsack did not propose are tried later.
    } else if (report_.evaluations + 1 < options_.max_evaluations) {
      // The last evaluation uses all changes, which is the most accurate model of this search.
      max_noise = NoiseForDrop(low_noise, low_drop, max_drop);
      CBOARD_ASSIGN_OR_RETURN(index, order_->FindWithin(max_noise, low + 1, last));
    }
    PlanChanges changes = order_->changes(index);
    CBOARD_ASSIGN_OR_RETURN(const double noise, meter_->Noise(changes));
    if (noise <= max_noise) {
      CBOARD_ASSIGN_OR_RETURN(changes, order_->Prune(changes, max_noise));
    }
    if (IsTried(changes)) changes = order_->changes(index);
    CBOARD_ASSIGN_OR_RETURN(const auto is_accurate, TryChanges(changes, CountText(changes)));
    if (!is_accurate) {
      stopped_ = "an evaluation failed twice";
      break;
    }
    const TrialReport& trial = report_.trials.back();
    const double tried_noise = std::pow(10.0, -trial.end_sqnr_db / 10);
    if (*is_accurate) {
      high = index;
      high_noise = tried_noise;
      continue;
    }
    low = index;
    low_noise = tried_noise;
    low_drop = std::abs(*trial.result.accuracy - *report_.baseline.accuracy);
  }
  return {};
}

Result<void> Tuner::SearchWithinSize() {
  CBOARD_RETURN_IF_ERROR(Rank(true));
  const std::string goal = HumanBytes(static_cast<double>(*options_.goals.max_size_bytes));
  PlanChanges changes;
  if (order_->size() == 0) {
    // All matrix products in 4 bits: the smallest possible model.
    for (const ErrorSource& source : sources_) {
      if (CanBeNarrow(choice_.plan, source)) changes.narrow_nodes.insert(source.key);
    }
    stopped_ = "no model is smaller than the goal of " + goal +
               ", also with all matrix products in 4 bits";
  } else {
    changes = order_->changes(order_->size() - 1);
  }
  CBOARD_ASSIGN_OR_RETURN(const auto is_accurate, TryChanges(changes, CountText(changes)));
  if (!is_accurate) {
    stopped_ = "the evaluation of the first quantized model failed twice";
    return WriteUnmeasuredOutput();
  }
  if (!stopped_.empty() || (*is_accurate && options_.stops_at_goal)) return {};
  // Tries 8 bits, to tell the user whether a larger file would meet the accuracy.
  if (!*is_accurate && CanTryMore()) {
    CBOARD_ASSIGN_OR_RETURN(const auto is_enough, TryChanges({}, CountText({})));
    stopped_ = is_enough && *is_enough
                   ? "8-bit weights meet the accuracy, with " +
                         HumanBytes(static_cast<double>(report_.trials.back().result.size_bytes))
                   : "8-bit weights miss the accuracy, too";
    return {};
  }
  // Searches for smaller models that meet the accuracy, by bisection.
  std::size_t low = 0, high = order_->size() - 1;
  while (CanTryMore() && high > low) {
    const std::size_t middle = low + (high - low) / 2;
    if (IsTried(order_->changes(middle))) break;
    CBOARD_ASSIGN_OR_RETURN(
        const auto is_met, TryChanges(order_->changes(middle), CountText(order_->changes(middle))));
    if (!is_met) break;
    if (*is_met) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return {};
}

}  // namespace cboard::tune
