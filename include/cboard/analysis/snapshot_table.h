// Builds the comparison table of a snapshot, and the names by which its models are shown.
//
//   const ComparisonTable table = TableOf(*snapshot);
//   const std::vector<std::string> names = UniqueNames(table);  // One per table.models.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/comparison_table.h"

namespace cboard::analysis {

// Builds the comparison table from scalars, names of tuning runs, and the sizes in stage logs. If
// `Resources` of a stage cannot be read, its cells are empty.
ComparisonTable TableOf(const reader::Snapshot& snapshot);

// Returns a unique name per model: its own name, with its experiment added if needed: "alexnet
// (again)".
std::vector<std::string> UniqueNames(const ComparisonTable& table);

// The experiment in which a model is ranked. A directory that holds only this model is removed:
// "zoo" for "zoo/alexnet"; "." is the log directory itself. Metrics of different experiments may
// come from different data and machines. The returned view is valid as long as the model.
std::string_view ExperimentToRankIn(const TableModel& model);

// Returns all variants from which A and B can be chosen. The variant that most models have comes
// first.
std::vector<std::string> VariantsOf(const ComparisonTable& table);

// Returns the baseline that most models have; empty if there is none.
std::string DefaultBaseline(const ComparisonTable& table);

}  // namespace cboard::analysis
