// Common code of the rules of model_lint.h.
#pragma once

#include <vector>

#include "cboard/compare/model_lint.h"
#include "cboard/model/model_graph.h"

namespace cboard::compare {

// The rules kFloatIsland and kUnfusedPair: nodes that compute in floating point.
void LintIslands(const model::ModelGraph& model, std::vector<LintFinding>& findings);

// The other rules, about scales.
void LintScales(const model::ModelGraph& model, std::vector<LintFinding>& findings);
void LintIntegerConvolutions(const model::ModelGraph& model, std::vector<LintFinding>& findings);

}  // namespace cboard::compare
