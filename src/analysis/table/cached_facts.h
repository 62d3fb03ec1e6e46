// Facts about a run that are stored from snapshot to snapshot: an unchanged run is the same object.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "cboard/analysis/comparison_table.h"
#include "cboard/analysis/tuning.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

// The facts of a run, as a note of it; counted, since all runs together keep only so many.
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

// Where the run names a trial, if it does.
const std::optional<TrialLocation>& TrialOf(const reader::Run& run);

}  // namespace cboard::analysis
