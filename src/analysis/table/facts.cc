#include <atomic>
#include <cstddef>
#include <iterator>
#include <utility>

#include "analysis/run_facts.h"
#include "analysis/run_path.h"
#include "cboard/analysis/comparison_table.h"
#include "cboard/analysis/tuning.h"

namespace cboard::analysis {
namespace {

// Of all runs together, tens of megabytes: what is beyond is worked out each time.
constexpr std::size_t kMaxKeptFacts = 50'000;
std::atomic<std::size_t> kept_facts = 0;

}  // namespace

KeptFacts::KeptFacts(std::vector<Fact> kept) : facts_(std::move(kept)) {
  kept_facts += facts_.size();
}

KeptFacts::KeptFacts(KeptFacts&& other) noexcept : facts_(std::exchange(other.facts_, {})) {}

KeptFacts::~KeptFacts() { kept_facts -= facts_.size(); }

std::vector<Fact> FactsOf(const Run& run) {
  std::vector<Fact> facts;
  const std::string directory = DirectoryOf(run).filename().string();
  const std::optional<TrialPlace>& trial = TrialOf(run);
  if (trial && trial->run == WithoutDot(run.name) && !trial->name.accuracies.empty()) {
    facts.push_back({.meaning = *MeaningOfTrial(run.name, directory, "accuracy"),
                     .value = trial->name.accuracies.front(),
                     .source = {.run = run.name, .wall_time_seconds = NewestWallTime(run)}});
  }
  for (const Tag& tag : run.tags) {
    if (tag.kind() != TagKind::kScalar || tag.scalars.empty()) continue;
    auto meaning = MeaningOf({.run = run.name,
                              .directory = directory,
                              .tag = tag.name(),
                              .plugin_name = tag.info->plugin_name,
                              .plugin_content = tag.info->plugin_content});
    if (!meaning) continue;
    const ScalarPoint last = tag.scalars.back();
    facts.push_back({.meaning = *std::move(meaning),
                     .value = last.value,
                     .source = {.run = run.name,
                                .tag = tag.name(),
                                .step = last.step,
                                .wall_time_seconds = last.wall_time_seconds}});
  }
  // A tuning experiment at the top of a log directory is called like that directory.
  for (Fact& fact : facts) {
    if (fact.meaning.dialect != Dialect::kTuning || fact.meaning.experiment != ".") continue;
    fact.meaning.model = ModelOfExperiment(".", DirectoryOfExperiment(".", run));
  }
  return facts;
}

std::vector<Fact> CollectFacts(const Snapshot& snapshot) {
  std::vector<Fact> facts;
  for (const auto& run : snapshot.runs) {
    if (const auto* const kept = run->notes.Find<KeptFacts>()) {
      facts.insert(facts.end(), kept->facts().begin(), kept->facts().end());
      continue;
    }
    std::vector<Fact> more = FactsOf(*run);
    if (kept_facts + more.size() <= kMaxKeptFacts) run->notes.Keep(KeptFacts(more));
    facts.insert(facts.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  }
  return facts;
}

}  // namespace cboard::analysis
