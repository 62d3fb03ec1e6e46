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

// Variants that were logged into runs of their own, side by side, are one model: what has a single
// variant moves to the experiment above, as long as no variant is there twice.
void JoinSiblings(Models& models);

// Experiments that speak of the same model and contradict each other in nothing are one model, in
// the experiment above them all: a benchmark in one directory, what a comparison of the files found
// in another. Where any two differ in a value, all of them stay apart, since nobody could tell
// which belong together. Models that only a directory names stay where they are.
void JoinExperiments(Models& models);

}  // namespace cboard::analysis
