// Ways to mend a root cause: each is tried in the compressed model and measured at its end.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "compare/blame/blame_search.h"
#include "compare/blame/part_causes.h"

namespace cboard::compare {

// One cause, and all parts that are guilty because of it.
struct RootCause {
  PartCause why;
  std::vector<std::size_t> parts;  // The costliest first.
  EndState alone;                  // With only the costliest applied.
  // The cause is about all parts of this kind, and `parts` are those that cost most.
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

// All ranges of activations as these samples need them; codes of biases, whose steps depend on the
// ranges of inputs, are then fine enough.
TriedFix Recalibration(const BlameCase& found, const SwitchBoard& board);

// Measures `fixes` on top of `base`, and puts the one to try first in front: the cheapest that
// makes the end sound or comes close to the best one. Those that do not help go.
void MeasureFixes(BlameRuns& runs, const Settings& base, const EndState& before,
                  std::vector<TriedFix>& fixes);

}  // namespace cboard::compare
