// Notes on the comparison of two files, for example that they are probably the wrong files, and on
// omitted parts.
#pragma once

#include <string>
#include <vector>

#include "cboard/compare/model_comparison.h"

namespace cboard::compare {

// Notes for ModelComparison::remarks. `comparison` must be complete otherwise.
std::vector<std::string> NotesOn(const ModelComparison& comparison);

}  // namespace cboard::compare
