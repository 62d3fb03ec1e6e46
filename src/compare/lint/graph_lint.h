// Declares the lint rules of quantized graphs (model_lint.h), one function per group of rules.
#pragma once

#include <vector>

#include "cboard/compare/model_lint.h"
#include "cboard/model/model_graph.h"

namespace cboard::compare {

// Checks the rules kFloatIsland and kUnfusedPair: nodes of a quantized graph that compute in
// floating point.
void LintIslands(const model::ModelGraph& model, std::vector<LintFinding>& findings);

// The following functions check the rules about scales and about integer convolutions.
void LintScales(const model::ModelGraph& model, std::vector<LintFinding>& findings);
void LintIntegerConvolutions(const model::ModelGraph& model, std::vector<LintFinding>& findings);

}  // namespace cboard::compare
