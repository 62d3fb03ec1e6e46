// A comparison as JSON, for scripts and for `compare --json`.
#pragma once

#include <string>

#include "cboard/compare/model_comparison.h"

namespace cboard::compare {

// {"baseline":…,"variant":…,"samples":…,"layers":[…],"bytes":[…],"lint":[…],"verified":[…],
// "keep_float":{…}, …}
// and a newline. All layers, worst first. Numbers that are infinite or missing are null.
std::string ToJson(const ModelComparison& comparison);

// The member "verdict" of ToJson's object, as a text of its own.
std::string ToJson(const EndVerdict& verdict);

}  // namespace cboard::compare
