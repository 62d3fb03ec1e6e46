// Logged values of a model before they become rows: values by variant, with their sources.
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
  std::string stored_baseline = {};                 // As ratios name it.
  bool from_tags = true;                            // Nothing but tags says that this is a model.
  bool from_groups = true;                          // Nothing but groups of add_scalars does.
  bool from_trials = true;                          // Nothing but the names of tuning runs does.
};

using ModelPlace = std::pair<std::string, std::string>;  // Experiment, key of the model.
using Models = std::map<ModelPlace, ModelLog>;

// Keeps the spelling of the most trusted tag format.
void Rename(std::string& name, TagFormat& named_by, const std::string& candidate,
            TagFormat dialect);

// Joins variants that were logged into runs of their own, side by side, to one model: a model with
// a single variant moves to the experiment above, unless the variant is already there.
void JoinSiblings(Models& models);

// Joins models of the same name whose values do not contradict each other, in the experiment that
// contains them all: for example a benchmark in one directory and a file comparison in another. If
// any two differ in a value, all stay separate, because it is unknown which belong together. Models
// named only by a directory are not joined.
void JoinExperiments(Models& models);

}  // namespace cboard::analysis
