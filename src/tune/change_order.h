// The order in which changes are tried, and how many of them a goal needs.
//
// Changes are nested: the first k of the order, for k = 0, 1, 2, …; noise at the end of the network
// is measured for the sets that are tried, never taken as the sum of single gains.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "tune/end_meter.h"
#include "tune/error_sources.h"

namespace cboard::tune {

class ChangeOrder {
 public:
  // Sorts `items` by gain for each added byte. Borrows `meter` and `sources`.
  ChangeOrder(EndMeter& meter, const std::vector<ErrorSource>& sources,
              std::vector<RankedItem> items, Objective objective, bool has_16_bits);

  std::size_t size() const { return items_.size(); }
  const RankedItem& item(std::size_t i) const { return items_[i]; }

  // The changes of the first `count` items.
  PlanChanges First(std::size_t count) const;
  std::int64_t AddedBytes(std::size_t count) const;
  Result<double> Noise(std::size_t count) { return meter_.Noise(First(count)); }

  // The largest count whose changes add at most `max_bytes`.
  std::size_t CountWithin(std::int64_t max_bytes) const;

  // The smallest count in (low, high] whose noise is at most `max_noise`; `high` if there is none.
  // Noise is measured for about log2(high - low) counts.
  Result<std::size_t> CountFor(double max_noise, std::size_t low, std::size_t high);

 private:
  EndMeter& meter_;
  const std::vector<ErrorSource>& sources_;
  std::vector<RankedItem> items_;
  Objective objective_;
  bool has_16_bits_;
};

// The noise at which a metric that dropped by `drop` at `noise` drops by `max_drop` only. Decisions
// change in proportion to the amplitude of errors, so noise power goes with the square.
double NoiseForDrop(double noise, double drop, double max_drop);

}  // namespace cboard::tune
