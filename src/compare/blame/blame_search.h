// Finds the parts of a compressed model that damage its outputs: measured, by undoing and applying
// parts.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "compare/blame/end_runner.h"
#include "compare/blame/switch_board.h"

namespace cboard::compare {

// A group of parts that breaks the outputs if only this group is applied.
struct GuiltyGroup {
  std::size_t group = 0;
  std::vector<std::size_t> parts;  // Those of the group that matter, the costliest first.
  EndState alone;                  // With everything else in float.
  double gain = 0;  // Decrease of the cost when it is undone together with the parts before it.
};

struct BlameFindings {
  EndState as_it_is, all_float;
  EndState weights_float, outputs_float;
  std::vector<GuiltyGroup> guilty;  // The costliest first.
  EndState without_guilty;          // All of them in float, the rest as it is.
  // Undoing the groups does not remove half of the error: many parts share it.
  bool is_spread = false;
  // The time limit was reached before a single group was found: the costliest one is among these.
  std::size_t first_group = 0, end_group = 0;
  EndState of_groups;  // With only these applied.
};

// Measures settings on a share of the samples, and watches the CPU time of the runs.
class BlameRuns {
 public:
  // Until when runs are made, in CPU seconds of the runner since it was opened. Runs without which
  // nothing could be named may take until `last`.
  struct Budget {
    double end = 0, last = 0;
  };

  // Borrows runner and board. `progress` hears how many seconds are used; false stops.
  BlameRuns(EndRunner& runner, const SwitchBoard& board, Budget budget,
            std::function<bool(double seconds)> progress);

  const SwitchBoard& board() const { return board_; }
  std::size_t samples() const { return samples_; }
  std::size_t runs() const { return runs_; }

  // With fewer samples, each run takes less: all, a half, a quarter, … until `runs` end in `share`
  // of the time. A slow or busy machine rarely changes the number.
  Result<void> ChooseSamples(std::size_t runs, double share);
  void UseSamples(std::size_t samples) { samples_ = samples; }

  // Whether the next runs are those without which nothing could be named.
  void SetNeeded(bool is_needed) { is_needed_ = is_needed; }

  // Nothing when time is up or the model does not run so.
  std::optional<EndState> Measure(const Settings& settings);

 private:
  EndRunner& runner_;
  const SwitchBoard& board_;
  Budget budget_;
  std::function<bool(double)> progress_;
  std::size_t samples_, runs_ = 0;
  bool is_needed_ = false, is_stopped_ = false;
};

// `groups` are those of GroupParts, `ends` the model as it is and with all parts in float.
BlameFindings SearchGuilty(BlameRuns& runs, const std::vector<SwitchedPart>& parts,
                           const std::vector<std::vector<std::size_t>>& groups,
                           const BlameFindings& ends);

}  // namespace cboard::compare
