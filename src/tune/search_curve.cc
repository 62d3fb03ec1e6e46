// Uses the evaluations that are left after the goal is met for more points of the trade-off curve.
#include <algorithm>
#include <cmath>
#include <set>

#include "tune/tuner.h"

namespace cboard::tune {
namespace {

// Maximum number of operators that are measured alone in float; those with the largest gain are
// taken.
constexpr std::size_t kMaxSingleOperators = 64;
// A set of changes is tried only if its noise is below this share of the noise of all trials that
// are not larger.
constexpr double kMaxNoiseShare = 0.8;

}  // namespace

// Returns the sets that the knapsack proposed, all tensors in 16 bits, and each operator alone in
// float. The knapsack adds up single gains, so it misses that a float operator removes the errors
// of both its tensors and its weight.
Result<std::vector<Tuner::Candidate>> Tuner::FindCandidates() {
  std::vector<PlanChanges> sets;
  for (std::size_t i = 0; i < order_->size(); ++i) sets.push_back(order_->changes(i));
  if (options_.objective == Objective::kSize &&
      choice_.plan.target != quantize::Target::kTensorRt) {
    PlanChanges wide;
    for (const ErrorSource& source : sources_) {
      if (!source.is_weight) wide.wide_tensors.insert(source.key);
    }
    sets.push_back(std::move(wide));
  }
  std::vector<std::pair<double, std::string>> operators;
  for (const RankedItem& item : order_->items()) {
    for (const std::size_t i : item.sources) {
      for (const std::string& node : sources_[i].nodes) {
        operators.emplace_back(-item.gain / static_cast<double>(item.sources.size()), node);
      }
    }
  }
  std::ranges::sort(operators);
  std::set<std::string> singles;
  for (const auto& [gain, node] : operators) {
    if (singles.size() == kMaxSingleOperators) break;
    if (singles.insert(node).second) sets.push_back({.float_nodes = {node}});
  }
  std::vector<Candidate> candidates;
  for (PlanChanges& changes : sets) {
    if (IsOutOfTime()) break;
    if (IsTried(changes)) continue;
    const std::uint64_t bytes = BytesWith(changes);
    if (!IsAllowed(static_cast<std::int64_t>(bytes), changes)) continue;
    CBOARD_ASSIGN_OR_RETURN(const double noise, meter_->Noise(changes));
    candidates.push_back({.changes = std::move(changes), .bytes = bytes, .noise = noise});
  }
  return candidates;
}

// Returns by which factor the candidate has less noise than all trials that are not larger; 0 if
// one of these trials is already as accurate as the baseline.
double Tuner::GainOf(const Candidate& candidate) const {
  const TrialReport* smallest = nullptr;
  double noise = 1e300;
  for (const TrialReport& trial : report_.trials) {
    if (trial.result.has_failed()) continue;
    if (!smallest || trial.result.size_bytes < smallest->result.size_bytes) smallest = &trial;
    if (trial.result.size_bytes > candidate.bytes) continue;
    if (IsAsGood(*trial.result.accuracy, *report_.baseline.accuracy, better_)) return 0;
    noise = std::min(noise, std::pow(10.0, -trial.end_sqnr_db / 10));
  }
  if (noise == 1e300 && smallest) noise = std::pow(10.0, -smallest->end_sqnr_db / 10);
  return candidate.noise < kMaxNoiseShare * noise ? noise / std::max(candidate.noise, 1e-20) : 0;
}

Result<void> Tuner::SearchCurve() {
  if (!CanTryMore()) return {};
  CBOARD_ASSIGN_OR_RETURN(const std::vector<Candidate> candidates, FindCandidates());
  while (CanTryMore()) {
    // Selects the largest gain and, for equal gains, the smallest file.
    const Candidate* best = nullptr;
    double best_gain = 0;
    for (const Candidate& candidate : candidates) {
      if (IsTried(candidate.changes)) continue;
      const double gain = GainOf(candidate);
      if (gain > best_gain ||
          (best && gain == best_gain && gain > 0 && candidate.bytes < best->bytes)) {
        best = &candidate;
        best_gain = gain;
      }
    }
    if (!best) {
      unused_ =
          std::ranges::any_of(report_.trials,
                              [&](const TrialReport& trial) {
                                return trial.result.accuracy &&
                                       IsAsGood(*trial.result.accuracy, *report_.baseline.accuracy,
                                                better_);
                              })
              ? "a trial is as accurate as the baseline, and no other set of changes has less "
                "error in a smaller file"
              : "no other set of changes within the limits has clearly less error on held-out "
                "samples";
      return {};
    }
    CBOARD_ASSIGN_OR_RETURN(const auto done,
                            TryChanges(best->changes, "curve: " + CountText(best->changes)));
    if (!done) {
      stopped_ = "an evaluation failed twice";
      return {};
    }
  }
  return {};
}

}  // namespace cboard::tune
