// Writes a comparison as JSON, for scripts and for `compare --json`.
#pragma once

#include <string>

#include "cboard/compare/model_comparison.h"

namespace cboard::compare {

// Returns {"baseline":…,"variant":…,"samples":…,"layers":[…],"bytes":[…],"lint":[…],"verified":[…],
// "keep_float":{}, …} and a newline. Contains all layers, worst first. Infinite and missing numbers
// are null.
std::string ToJson(const ModelComparison& comparison);

// Returns the member "verdict" of a comparison's JSON as a separate text.
std::string ToJson(const EndVerdict& verdict);

}  // namespace cboard::compare
