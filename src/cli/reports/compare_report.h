// A comparison of two models as text for people.
#pragma once

#include <cstddef>
#include <string>

#include "cboard/compare/model_comparison.h"

namespace cboard::cli {

// A verdict, the `top` worst layers with cause and fixes, and how to keep the red ones in float32.
std::string CompareText(const compare::ModelComparison& comparison, std::size_t top = 10);

}  // namespace cboard::cli
