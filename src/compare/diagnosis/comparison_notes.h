// Notes on the whole comparison of two files, for example that they are probably the wrong files,
// or that layers were not compared.
#pragma once

#include <string>
#include <vector>

#include "cboard/compare/model_comparison.h"

namespace cboard::compare {

// Returns the notes for ModelComparison::remarks. `comparison` must be complete otherwise.
std::vector<std::string> NotesOn(const ModelComparison& comparison);

}  // namespace cboard::compare
