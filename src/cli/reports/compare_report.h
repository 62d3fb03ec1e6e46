// A comparison of two models as text for people.
#pragma once

#include <cstddef>
#include <string>

#include "cboard/compare/model_comparison.h"

namespace cboard::cli {

struct CompareTextOptions {
  std::size_t top = 10;  // Layers to show.
  bool all = false;      // Heads, explanations of all damaged layers, lint, saturation, bytes.
};

// The verdict; the root causes, each with its fixes as measured and the settings to apply the first
// one; the worst layers. Where no root cause is known, layers with their causes and fixes.
std::string CompareText(const compare::ModelComparison& comparison,
                        const CompareTextOptions& options = {});

}  // namespace cboard::cli
