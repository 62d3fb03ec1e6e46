#include <atomic>
#include <cstddef>
#include <iterator>
#include <utility>

#include "analysis/runs/run_path.h"
#include "analysis/table/cached_facts.h"
#include "cboard/analysis/comparison_table.h"
#include "cboard/analysis/tuning.h"

namespace cboard::analysis {
namespace {

// Maximum number of cached facts for all runs together; they take some tens of megabytes. Facts
// beyond this number are computed for each snapshot.
constexpr std::size_t kMaxKeptFacts = 50'000;
std::atomic<std::size_t> kept_facts = 0;

}  // namespace

CachedFacts::CachedFacts(std::vector<Fact> kept) : facts_(std::move(kept)) {
  kept_facts += facts_.size();
}

CachedFacts::CachedFacts(CachedFacts&& other) noexcept : facts_(std::exchange(other.facts_, {})) {}

CachedFacts::~CachedFacts() { kept_facts -= facts_.size(); }

std::vector<Fact> FactsOf(const reader::Run& run) {
  std::vector<Fact> facts;
  const std::string directory = DirectoryOf(run).filename().string();
  const std::optional<TrialLocation>& trial = TrialOf(run);
  if (trial && trial->run == WithoutDot(run.name) && !trial->name.accuracies.empty()) {
    facts.push_back({.meaning = *ParseTrialTag(run.name, directory, "accuracy"),
                     .value = trial->name.accuracies.front(),
                     .source = {.run = run.name, .wall_time_seconds = NewestWallTime(run)}});
  }
  for (const reader::Tag& tag : run.tags) {
    if (tag.kind() != reader::TagKind::kScalar || tag.scalars.empty()) continue;
    auto meaning = ParseTag({.run = run.name,
                             .directory = directory,
                             .tag = tag.name(),
                             .plugin_name = tag.info->plugin_name,
                             .plugin_content = tag.info->plugin_content});
    if (!meaning) continue;
    const reader::ScalarPoint last = tag.scalars.back();
    facts.push_back({.meaning = *std::move(meaning),
                     .value = last.value,
                     .source = {.run = run.name,
                                .tag = tag.name(),
                                .step = last.step,
                                .wall_time_seconds = last.wall_time_seconds}});
  }
  // Gives a tuning at the top of a log directory the name of that directory.
  for (Fact& fact : facts) {
    if (fact.meaning.dialect != TagFormat::kTuning || fact.meaning.experiment != ".") continue;
    fact.meaning.model = ModelOfExperiment(".", DirectoryOfExperiment(".", run));
  }
  return facts;
}

std::vector<Fact> CollectFacts(const reader::Snapshot& snapshot) {
  std::vector<Fact> facts;
  for (const auto& run : snapshot.runs) {
    if (const auto* const kept = run->notes.Find<CachedFacts>()) {
      facts.insert(facts.end(), kept->facts().begin(), kept->facts().end());
      continue;
    }
    std::vector<Fact> more = FactsOf(*run);
    if (kept_facts + more.size() <= kMaxKeptFacts) run->notes.Keep(CachedFacts(more));
    facts.insert(facts.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  }
  return facts;
}

}  // namespace cboard::analysis
