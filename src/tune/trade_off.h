// The trade-off between price and error: sets of changes, from the cheapest to the most accurate.
//
// A multiple-choice knapsack over single gains proposes the sets. Noise at the end of the network
// is then measured for the sets that are tried, never taken as the sum of single gains.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "tune/end_meter.h"
#include "tune/error_sources.h"

namespace cboard::tune {

// The price of the changes, in the unit of the objective.
using PriceOf = std::function<double(const PlanChanges&)>;

class TradeOff {
 public:
  struct Inputs {
    const std::vector<ErrorSource>& sources;
    std::vector<RankedItem> items;   // Restored: less noise.
    std::vector<RankedItem> narrow;  // Weights in 4 bits: gains below 0.
    Objective objective = Objective::kSize;
    bool has_16_bits = true;
    PriceOf price;
  };

  // Borrows `meter` and the sources.
  TradeOff(EndMeter& meter, Inputs inputs);

  // Removes all sets for which `is_allowed` returns false.
  void Limit(const std::function<bool(const PlanChanges&)>& is_allowed);

  std::size_t size() const { return sets_.size(); }
  const PlanChanges& changes(std::size_t i) const { return sets_[i]; }
  std::int64_t AddedBytes(std::size_t i) const { return tune::AddedBytes(meter_.plan(), sets_[i]); }
  Result<double> Noise(std::size_t i) { return meter_.Noise(sets_[i]); }

  // The first set in [low, high] whose noise is at most `max_noise`, found by bisection; `high` if
  // there is none. Noise is measured for about log2(high - low) sets.
  Result<std::size_t> FindWithin(double max_noise, std::size_t low, std::size_t high);

  // Leaves out changes that others make unnecessary: halves, quarters, … of the changes are left
  // out while noise stays at most `max_noise`. At most `max_measurements` sets are measured.
  Result<PlanChanges> Prune(const PlanChanges& changes, double max_noise,
                            std::size_t max_measurements = 10);

 private:
  PlanChanges ChangesOf(const std::vector<std::size_t>& chosen_items,
                        const std::vector<std::size_t>& chosen_narrow) const;

  EndMeter& meter_;
  Inputs inputs_;
  std::vector<PlanChanges> sets_;
};

// The noise at which a metric that dropped by `drop` at `noise` drops by `max_drop` only. Decisions
// change in proportion to the amplitude of errors, so noise power goes with the square.
double NoiseForDrop(double noise, double drop, double max_drop);

}  // namespace cboard::tune
