// Fixes for a root cause: each is tried in the compressed model and measured at its outputs.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "compare/blame/blame_search.h"
#include "compare/blame/part_causes.h"

namespace cboard::compare {

// One cause, and all parts that it damages.
struct RootCause {
  PartCause why;
  std::vector<std::size_t> parts;  // The costliest first.
  EndState alone;                  // With only the costliest applied.
  // The cause applies to all parts of this kind; `parts` are the costliest.
  bool is_everywhere = false;
};

struct TriedFix {
  std::string action;
  std::string price;
  std::string setting;
  int price_rank = 0;  // Lower is cheaper.
  std::vector<std::pair<std::size_t, Setting>> changes;
  EndState after;
  std::vector<std::string> float_nodes;  // Nodes of the baseline's file that stay in float.
};

// Candidates for a cause, not measured yet, the cheapest first; the last one is float32.
std::vector<TriedFix> FixesFor(const BlameCase& found, const SwitchBoard& board,
                               const RootCause& cause);

// Calibrates all ranges of activations with these samples; the steps of bias codes follow from the
// ranges of inputs.
TriedFix Recalibration(const BlameCase& found, const SwitchBoard& board);

// Measures `fixes` on top of `base` and moves the recommended one to the front: the cheapest that
// makes the outputs sound or is close to the best. Removes fixes that do not help.
void MeasureFixes(BlameRuns& runs, const Settings& base, const EndState& before,
                  std::vector<TriedFix>& fixes);

}  // namespace cboard::compare
