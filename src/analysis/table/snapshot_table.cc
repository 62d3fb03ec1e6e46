#include "cboard/analysis/snapshot_table.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "analysis/runs/run_path.h"
#include "cboard/analysis/stages.h"

namespace cboard::analysis {

ComparisonTable TableOf(const reader::Snapshot& snapshot) {
  std::vector<Fact> facts = CollectFacts(snapshot);
  std::vector<Error> errors;
  std::vector<Fact> stages = CollectStageFacts(snapshot, errors);
  facts.insert(facts.end(), std::make_move_iterator(stages.begin()),
               std::make_move_iterator(stages.end()));
  return BuildComparisonTable(std::move(facts));
}

std::vector<std::string> UniqueNames(const ComparisonTable& table) {
  std::map<std::string_view, std::size_t> uses;
  for (const TableModel& model : table.models) ++uses[model.model];
  std::vector<std::string> names;
  std::map<std::string, std::size_t> shown;
  for (const TableModel& model : table.models) {
    names.push_back(uses[model.model] == 1 ? model.model
                                           : WithPlace(model.model, model.experiment));
    ++shown[names.back()];
  }
  // If two names are still equal, adds the whole experiment. For example, WithPlace() returns
  // "alexnet (again)" for the experiments "again" and "again/alexnet".
  for (std::size_t i = 0; i < names.size(); ++i) {
    const TableModel& model = table.models[i];
    if (shown[names[i]] > 1) names[i] = model.model + " (" + model.experiment + ")";
  }
  return names;
}

std::string_view ExperimentToRankIn(const TableModel& model) {
  return PlaceAround(model.model, model.experiment);
}

std::vector<std::string> VariantsOf(const ComparisonTable& table) {
  std::map<std::string, std::size_t> uses;
  for (const TableRow& row : table.rows) ++uses[row.variant];
  std::vector<std::string> variants;
  for (const auto& [variant, count] : uses) variants.push_back(variant);
  std::ranges::stable_sort(
      variants, [&](const std::string& a, const std::string& b) { return uses[a] > uses[b]; });
  return variants;
}

std::string DefaultBaseline(const ComparisonTable& table) {
  std::map<std::string_view, std::size_t> uses;
  for (const TableModel& model : table.models) ++uses[model.baseline];
  std::string_view best;
  for (const auto& [baseline, count] : uses) {
    if (best.empty() || count > uses[best]) best = baseline;
  }
  return std::string(best);
}

}  // namespace cboard::analysis
