// A comparison of two models as text for people and as JSON for programs.
#pragma once

#include <cstddef>
#include <string>

#include "cboard/compression/model_comparison.h"

namespace cboard::cli {

// A verdict, the `top` worst layers with cause and fixes, and how to keep the red ones in float32.
std::string CompareText(const compare::ModelComparison& comparison, std::size_t top = 10);

// {"baseline":…,"variant":…,"samples":…,"layers":[…],"baseline_only":[…],"variant_only":[…],
// "keep_float":{…}}. All layers, worst first. Numbers that are infinite or missing are null.
std::string CompareJson(const compare::ModelComparison& comparison);

}  // namespace cboard::cli
