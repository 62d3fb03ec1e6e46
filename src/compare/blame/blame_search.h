// Finds the parts (weights with bias, other constants, quantizers of activations) of a compressed
// model that damage its outputs: runs the model with different parts in float and measures the
// output error.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compare/blame/end_runner.h"
#include "compare/blame/switch_board.h"

namespace cboard::compare {

// A group of parts that damages the outputs even if all other parts are in float.
struct GuiltyGroup {
  std::size_t group = 0;
  std::vector<std::size_t> parts;  // The parts that matter, largest error first.
  EndState alone;                  // Result with only these parts compressed.
  // Decrease of the output error when the group and all groups before it are restored.
  double gain = 0;
};

struct BlameFindings {
  EndState as_it_is, all_float;
  EndState weights_float, outputs_float;
  std::vector<GuiltyGroup> guilty;  // Largest error first.
  // Result with all guilty groups in float and all other parts compressed.
  EndState without_guilty;
  // True if restoring the guilty groups removes less than half of the error, or if the search used
  // all of its runs and every range of groups still has a part of the error: many parts share it.
  bool is_spread = false;
  // If the search ended before a single group was found: the range of groups that contains the one
  // with the largest error.
  std::size_t first_group = 0, end_group = 0;
  bool is_guess = false;  // The only group in `guilty` was chosen from these, and not measured.
  EndState of_groups;     // Result with only these groups compressed.
};

// Runs the model with given settings on some of the samples, within a time limit.
class BlameRuns {
 public:
  // Time limits in seconds, counted as in EndRunner::seconds. Required runs (SetNeeded) may
  // continue until `last`, all other runs until `end`.
  struct Budget {
    double end = 0, last = 0;
  };

  // Borrows runner and board. Calls `progress` with the seconds of all runs so far; if it returns
  // false, no more runs are made.
  BlameRuns(EndRunner& runner, const SwitchBoard& board, Budget budget,
            std::function<bool(double seconds)> progress);

  const SwitchBoard& board() const { return board_; }
  std::size_t samples() const { return samples_; }
  std::size_t runs() const { return runs_; }

  // Reduces the samples to a half, a quarter, … until `runs` runs take at most `share` of the time.
  // The choice is based on CPU time where possible, so a busy machine rarely changes it.
  Result<void> ChooseSamples(std::size_t runs, double share);
  void UseSamples(std::size_t samples) { samples_ = samples; }

  // Sets whether the next runs are required: without their results, no cause can be named.
  void SetNeeded(bool is_needed) { is_needed_ = is_needed; }

  // Returns the result of EndRunner::RangesOnZeros; empty if the baseline cannot run on zeros.
  std::unordered_map<std::string, CodeRange> RangesOnZeros(const std::vector<std::string>& tensors);

  // Returns nullopt if the time limit is reached, or if the model does not run with `settings`.
  std::optional<EndState> Measure(const Settings& settings);

 private:
  EndRunner& runner_;
  const SwitchBoard& board_;
  Budget budget_;
  std::function<bool(double)> progress_;
  std::size_t samples_, runs_ = 0;
  bool is_needed_ = false, is_stopped_ = false;
};

// Finds the guilty groups. `groups` are the result of GroupParts. `ends` has the results of the
// unchanged compressed model and of the model with all parts in float.
BlameFindings SearchGuilty(BlameRuns& runs, const std::vector<SwitchedPart>& parts,
                           const std::vector<std::vector<std::size_t>>& groups,
                           const BlameFindings& ends);

}  // namespace cboard::compare
