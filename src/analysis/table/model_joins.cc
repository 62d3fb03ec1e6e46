#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/runs/run_path.h"
#include "analysis/table/model_log.h"

namespace cboard::analysis {
namespace {

// If a cell has two values, uses the value from the more trusted tag format. If both formats are
// equal, uses the value that was logged later, or the first value if the times are equal.
bool Replaces(const Cell& candidate, const Cell& present) {
  if (candidate.dialect != present.dialect) return candidate.dialect < present.dialect;
  // The accuracy in the name of a trial is the tuning tool's own result, so it is trusted.
  if (candidate.source.tag.empty() != present.source.tag.empty()) {
    return candidate.source.tag.empty();
  }
  return candidate.source.wall_time_seconds > present.source.wall_time_seconds;
}

// Tolerance for model sizes. Programs round sizes differently: rounded megabytes, exact megabytes,
// or units of 1024² bytes.
constexpr std::string_view kSizeOfFile = "model_size_mb";
constexpr double kSizeRounding = 0.05;

// Returns true if two values of a metric may be the same measurement. Most values were stored as
// floats, so small differences are ignored.
bool Agree(std::string_view metric, double x, double y) {
  if (static_cast<float>(x) == static_cast<float>(y)) return true;
  if (std::isnan(x) && std::isnan(y)) return true;
  return metric == kSizeOfFile && std::abs(x - y) <= kSizeRounding * std::max(x, y);
}

// Ratios of rounded sizes are also rounded.
std::string_view MetricOfRatio(std::string_view ratio) {
  return ratio.starts_with("size_") ? kSizeOfFile : std::string_view();
}

bool Agree(const VariantLog& one, const VariantLog& other) {
  for (const auto& [metric, cell] : one.metrics) {
    const auto found = other.metrics.find(metric);
    if (found != other.metrics.end() && !Agree(metric, cell.value, found->second.value)) {
      return false;
    }
  }
  for (const auto& [name, ratio] : one.ratios) {
    const auto found = other.ratios.find(name);
    if (found != other.ratios.end() &&
        !Agree(MetricOfRatio(name), ratio.cell.value, found->second.cell.value)) {
      return false;
    }
  }
  return true;
}

// Returns true if all values that both logs contain are equal.
bool Agree(const ModelLog& one, const ModelLog& other) {
  if (!one.stored_baseline.empty() && !other.stored_baseline.empty() &&
      one.stored_baseline != other.stored_baseline) {
    return false;
  }
  return std::ranges::all_of(one.variants, [&](const auto& variant) {
    const auto found = other.variants.find(variant.first);
    return found == other.variants.end() || Agree(variant.second, found->second);
  });
}

void Absorb(ModelLog log, ModelLog& joined) {
  Rename(joined.name, joined.named_by, log.name, log.named_by);
  joined.from_tags = joined.from_tags && log.from_tags;
  joined.from_groups = joined.from_groups && log.from_groups;
  joined.from_trials = joined.from_trials && log.from_trials;
  if (joined.stored_baseline.empty()) joined.stored_baseline = log.stored_baseline;
  joined.variants.merge(log.variants);
  for (auto& [key, variant] : log.variants) {  // Only variants that exist already remain here.
    VariantLog& present = joined.variants.at(key);
    Rename(present.name, present.named_by, variant.name, variant.named_by);
    for (auto& [metric, cell] : variant.metrics) present.AddMetric(metric, std::move(cell));
    for (auto& [name, ratio] : variant.ratios) present.AddRatio(name, std::move(ratio));
  }
}

// Returns the innermost experiment that contains `a` and `b`, or equals one of them; "." is the log
// directory.
std::string CommonExperiment(std::string_view one, std::string_view other) {
  while (one != "." && other != one && !(other.starts_with(one) && other[one.size()] == '/')) {
    one = ParentOf(one);
  }
  return std::string(one);
}

}  // namespace

void Rename(std::string& name, TagFormat& named_by, const std::string& candidate,
            TagFormat dialect) {
  if (!name.empty() && named_by <= dialect) return;
  name = candidate;
  named_by = dialect;
}

void VariantLog::AddMetric(const std::string& metric, Cell cell) {
  const auto [present, added] = metrics.try_emplace(metric, cell);
  if (!added && Replaces(cell, present->second)) present->second = std::move(cell);
}

void VariantLog::AddRatio(const std::string& ratio, LoggedRatio logged) {
  const auto [present, added] = ratios.try_emplace(ratio, logged);
  if (!added && Replaces(logged.cell, present->second.cell)) present->second = std::move(logged);
}

void JoinSiblings(Models& models) {
  std::map<ModelPlace, std::vector<Models::iterator>> siblings;
  for (auto model = models.begin(); model != models.end(); ++model) {
    const auto& [experiment, key] = model->first;
    if (experiment == "." || model->second.variants.size() != 1) continue;
    siblings[{std::string(ParentOf(experiment)), key}].push_back(model);
  }
  for (auto& [place, members] : siblings) {
    if (members.size() < 2) continue;
    std::map<std::string, std::size_t> counts;
    for (const auto member : members) ++counts[member->second.variants.begin()->first];
    const auto parent = models.find(place);
    const bool disjoint =
        counts.size() == members.size() &&
        (parent == models.end() || std::ranges::none_of(counts, [&](const auto& count) {
           return parent->second.variants.contains(count.first);
         }));
    if (!disjoint) continue;
    ModelLog& joined = models[place];
    for (const auto member : members) {
      Absorb(std::move(member->second), joined);
      models.erase(member);
    }
  }
}

void JoinExperiments(Models& models) {
  std::map<std::string, std::vector<Models::iterator>> by_name;
  for (auto model = models.begin(); model != models.end(); ++model) {
    if (model->second.named_by >= TagFormat::kTuning) continue;
    by_name[model->first.second].push_back(model);
  }
  for (auto& [key, members] : by_name) {
    if (members.size() < 2) continue;
    ModelLog joined;
    std::string experiment = members.front()->first.first;
    // Compares a model with each earlier model. This is enough: a model that agrees with each of
    // them also agrees with their union.
    const bool agreed = std::ranges::all_of(members, [&](const Models::iterator member) {
      if (!Agree(member->second, joined)) return false;
      Absorb(member->second, joined);
      experiment = CommonExperiment(experiment, member->first.first);
      return true;
    });
    if (!agreed) continue;
    for (const auto member : members) models.erase(member);
    models.insert_or_assign({std::move(experiment), key}, std::move(joined));
  }
}

}  // namespace cboard::analysis
