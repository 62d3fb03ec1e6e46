// Finds all parts (weights or activations) of a model that have the same cause of damage as a part
// that was found.
#pragma once

#include "compare/blame/blame_search.h"
#include "compare/blame/part_causes.h"

namespace cboard::compare {

// Adds parts with the same cause to the first guilty group that has this cause, and measures the
// outputs again with all these parts in float. Example: a mask widens the range in every attention
// layer, but the search finds only some of these layers, and restoring them leaves most of the
// error. Parts with masks are always added. Parts with other causes are added only if many parts
// share the error and restoring them removes half of it.
void CompleteFamilies(const BlameCase& found, BlameRuns& runs, BlameFindings& findings);

}  // namespace cboard::compare
