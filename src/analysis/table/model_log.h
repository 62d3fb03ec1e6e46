// Logged values of a model before they become table rows: values by variant, with their sources.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "cboard/analysis/comparison_table.h"

namespace cboard::analysis {

struct VariantLog {
  std::string name = {};
  TagFormat named_by = TagFormat::kStage;
  std::map<std::string, Cell, std::less<>> metrics = {};
  std::map<std::string, LoggedRatio, std::less<>> ratios = {};

  void AddMetric(const std::string& metric, Cell cell);
  void AddRatio(const std::string& ratio, LoggedRatio logged);
};

struct ModelLog {
  std::string name = {};
  TagFormat named_by = TagFormat::kStage;
  std::map<std::string, VariantLog> variants = {};  // By their key in tags.
  std::string stored_baseline = {};                 // The name of the baseline in stored ratios.
  bool from_tags = true;                            // Only tags show that this is a model.
  bool from_groups = true;                          // Only groups of add_scalars show it.
  bool from_trials = true;                          // Only the names of tuning runs show it.
};

using ModelPlace = std::pair<std::string, std::string>;  // Experiment and key of the model.
using Models = std::map<ModelPlace, ModelLog>;

// Replaces the name if the candidate comes from a more trusted tag format.
void Rename(std::string& name, TagFormat& named_by, const std::string& candidate,
            TagFormat dialect);

// Joins variants that were logged into separate sibling runs to one model: a model with a single
// variant moves to the enclosing experiment, unless that variant already exists there.
void JoinSiblings(Models& models);

// Joins models of the same name whose values do not contradict each other into the experiment that
// contains them all: for example a benchmark in one directory and a file comparison in another. If
// the values of any two models contradict each other, no models of this name are joined, because it
// is unknown which of them belong together. Models that are named only by their directory are not
// joined.
void JoinExperiments(Models& models);

}  // namespace cboard::analysis
