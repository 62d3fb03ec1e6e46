// Writes the sentence of a verdict: its level, the output that decides it, and the metric that was
// used.
#pragma once

#include <string>

#include "cboard/compare/end_verdict.h"

namespace cboard::compare {

// Sets `sentence` and `measure` of a verdict that has its outputs and level. `source` tells where
// the samples are from.
void AddSentence(const std::string& source, EndVerdict& verdict);

}  // namespace cboard::compare
