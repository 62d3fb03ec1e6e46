// What two files as a whole suggest: that somebody meant others.
#pragma once

#include <string>
#include <vector>

#include "cboard/compression/model_comparison.h"

namespace cboard::compare {

// See ModelComparison::remarks. Of a comparison that is otherwise complete.
std::vector<std::string> RemarksOn(const ModelComparison& comparison);

}  // namespace cboard::compare
