// The trade-off between price and error: sets of changes, from the cheapest to the most accurate.
//
// A multiple-choice knapsack proposes the sets from the gains of single changes. The output noise
// of a set is then measured, because it is not exactly the sum of single gains.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "tune/end_meter.h"
#include "tune/error_sources.h"

namespace cboard::tune {

// Returns the price of changes in the unit of the objective (bytes or time).
using PriceOf = std::function<double(const PlanChanges&)>;

class TradeOff {
 public:
  struct Inputs {
    const std::vector<ErrorSource>& sources;
    std::vector<RankedItem> items;   // Restored: less noise.
    std::vector<RankedItem> halves;  // Several neighbors restored together.
    std::vector<RankedItem> narrow;  // Weights in 4 bits: gains below 0.
    Objective objective = Objective::kSize;
    bool has_16_bits = true;
    PriceOf price;
  };

  // Computes the sets of changes. Borrows `meter` and the sources.
  TradeOff(EndMeter& meter, Inputs inputs);

  // Removes all sets for which `is_allowed` returns false.
  void Limit(const std::function<bool(const PlanChanges&)>& is_allowed);

  // Appends sets that change neighbouring sources together, for models in which no single source
  // helps: the halves of the ranking, all tensors in 16 bits, and both. The sets are measured.
  // Those that `is_allowed` accepts and that have less noise than the sets before them are kept, in
  // the order of their price.
  Result<void> AddNeighbors(const std::function<bool(const PlanChanges&)>& is_allowed);

  std::size_t size() const { return sets_.size(); }
  const std::vector<RankedItem>& items() const { return inputs_.items; }
  const PlanChanges& changes(std::size_t i) const { return sets_[i]; }
  std::int64_t AddedBytes(std::size_t i) const { return tune::AddedBytes(meter_.plan(), sets_[i]); }
  Result<double> Noise(std::size_t i) { return meter_.Noise(sets_[i]); }

  // Returns the first set in [low, high] whose noise is at most `max_noise`, or `high` if there is
  // none. Measures about log2(high - low) sets (bisection).
  Result<std::size_t> FindWithin(double max_noise, std::size_t low, std::size_t high);

  // Returns `changes` without those that are unnecessary: leaves out halves, quarters, … of the
  // changes if the noise stays at most `max_noise`. Measures at most `max_measurements` sets.
  Result<PlanChanges> Prune(const PlanChanges& changes, double max_noise,
                            std::size_t max_measurements = 10);

 private:
  PlanChanges AllChanges() const;
  // Returns the change of all tensors to 16 bits; empty if the target or the objective cannot use
  // it.
  PlanChanges AllWide() const;
  PlanChanges ChangesOf(const std::vector<std::size_t>& chosen_items,
                        const std::vector<std::size_t>& chosen_narrow) const;

  EndMeter& meter_;
  Inputs inputs_;
  std::vector<PlanChanges> sets_;
};

// Returns the noise at which a metric is expected to drop by only `max_drop`, if it dropped by
// `drop` at `noise`. The number of changed decisions is proportional to the amplitude of errors, so
// noise power is proportional to its square.
double NoiseForDrop(double noise, double drop, double max_drop);

}  // namespace cboard::tune
