// Facts about a run. They are kept from snapshot to snapshot, because an unchanged run is the same
// object in each snapshot.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "cboard/analysis/comparison_table.h"
#include "cboard/analysis/tuning.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

// The cached facts of a run. Their size is counted, because the total for all runs is limited.
class CachedFacts {
 public:
  explicit CachedFacts(std::vector<Fact> kept);
  CachedFacts(CachedFacts&& other) noexcept;
  CachedFacts& operator=(CachedFacts&&) = delete;
  ~CachedFacts();

  const std::vector<Fact>& facts() const { return facts_; }

 private:
  std::vector<Fact> facts_;
};

// Returns the trial in the run's name; nullopt if there is none.
const std::optional<TrialLocation>& TrialOf(const reader::Run& run);

}  // namespace cboard::analysis
