// Fixes for a root cause. Each fix is tried in the compressed model, and the error of the model's
// outputs is measured.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "compare/blame/blame_search.h"
#include "compare/blame/part_causes.h"

namespace cboard::compare {

// One cause, and all parts (weights or activations) that it damages.
struct RootCause {
  PartCause why;
  std::vector<std::size_t> parts;  // Largest error first.
  EndState alone;                  // Result with only the first part compressed.
  // True if the cause applies to all weights, or to all activations, of the file; `parts` then has
  // only those with the largest error.
  bool is_everywhere = false;
};

struct TriedFix {
  std::string action;
  std::string price;
  std::string setting;
  int price_rank = 0;  // Lower is cheaper at run time.
  std::vector<std::pair<std::size_t, Setting>> changes;
  bool is_tried = true;                  // False if time was up.
  EndState after;                        // Without a trial, what was before.
  std::vector<std::string> float_nodes;  // Nodes of the baseline that stay in float.
};

// Returns the possible fixes for a cause, not measured yet. The cheapest is first, float32 is last.
std::vector<TriedFix> FixesFor(const BlameCase& found, const SwitchBoard& board,
                               const RootCause& cause);

// Returns a fix that calibrates the ranges of all activations with the samples of this comparison.
// The scales of biases are computed from the input ranges.
TriedFix Recalibration(const BlameCase& found, const SwitchBoard& board);

// Measures each of `fixes` in addition to `base`, removes fixes that do not help, and moves the
// recommended fix to the front. This is the cheapest fix that makes the outputs sound, or whose
// error is close to the lowest error. If the time limit was reached before the first measurement,
// one unmeasured fix stays.
void MeasureFixes(BlameRuns& runs, const Settings& base, const EndState& before,
                  std::vector<TriedFix>& fixes);

}  // namespace cboard::compare
