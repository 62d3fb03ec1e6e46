// What two files as a whole suggest, such as that somebody meant others, and what was left out.
#pragma once

#include <string>
#include <vector>

#include "cboard/compare/model_comparison.h"

namespace cboard::compare {

// See ModelComparison::remarks. Of a comparison that is otherwise complete.
std::vector<std::string> NotesOn(const ModelComparison& comparison);

}  // namespace cboard::compare
