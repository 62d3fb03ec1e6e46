// The comparison table of everything in a snapshot, and the names it is shown by.
//
//   const ComparisonTable table = TableOf(*snapshot);
//   const std::vector<std::string> names = UniqueNames(table);  // One per table.models.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/comparison_table.h"

namespace cboard::analysis {

// From scalars, names of tuning runs, and the bytes that stage logs know of. `Resources` that
// cannot be read leave their cells empty.
ComparisonTable TableOf(const reader::Snapshot& snapshot);

// A name per model that no other model has: its own, or with its experiment beside it,
// "alexnet (again)".
std::vector<std::string> UniqueNames(const ComparisonTable& table);

// The experiment that a model is ranked in: its own without the directory that only this model has,
// "zoo" of "zoo/alexnet"; "." for the log directory itself. Figures of different experiments may be
// of different data and machines. A view of the model's own text.
std::string_view ExperimentToRankIn(const TableModel& model);

// All variants, those of the most models first: these are what A and B are chosen from.
std::vector<std::string> VariantsOf(const ComparisonTable& table);

// The baseline of the most models; empty without any.
std::string DefaultBaseline(const ComparisonTable& table);

}  // namespace cboard::analysis
