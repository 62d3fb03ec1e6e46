// The comparison table of everything in a snapshot, and the names it is shown by.
//
//   const ComparisonTable table = TableOf(*snapshot);
//   const std::vector<std::string> names = UniqueNames(table);  // One per table.models.
#pragma once

#include <string>
#include <vector>

#include "cboard/analysis/comparison_table.h"

namespace cboard::analysis {

// From scalars, names of tuning runs, and the bytes that stage logs know of. `Resources` that
// cannot be read leave their cells empty.
ComparisonTable TableOf(const Snapshot& snapshot);

// A name per model that no other model has: its own, or with its experiment beside it,
// "alexnet (again)".
std::vector<std::string> UniqueNames(const ComparisonTable& table);

// All variants, those of the most models first: these are what A and B are chosen from.
std::vector<std::string> VariantsOf(const ComparisonTable& table);

// The baseline of the most models; empty without any.
std::string UsualBaseline(const ComparisonTable& table);

}  // namespace cboard::analysis
