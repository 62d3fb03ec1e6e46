// Accuracy-driven compression: quantizes a model, evaluates it, finds the parts that cost accuracy,
// keeps them in float or in 16 bits, and repeats this until the goals are met.
//
//   TuneOptions options{.model = "net.onnx", .output = "net_int8.onnx"};
//   options.quantize.data = "calib.npz";
//   CBOARD_ASSIGN_OR_RETURN(const TuneReport report, TuneModel(options));
//   report.is_met;            // Whether net_int8.onnx meets all goals.
//   report.reason;            // Why it does, or why not, and what to do next.
//
// The best model so far is on disk after every trial. docs/tune.md explains the search.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/json_writer.h"
#include "cboard/base/result.h"
#include "cboard/quantize/quantize_options.h"
#include "cboard/tune/executor.h"
#include "cboard/tune/goals.h"

namespace cboard::tune {

// The quantity that is minimized while the goals are met.
enum class Objective {
  kSize,     // File size: damaged tensors become 16 bits, weights stay 8 bits.
  kLatency,  // Time: damaged operators become float, which is faster than 16 bits.
  kEnergy,   // Energy per inference, on machines with counters; changes as for kLatency.
};
Result<Objective> ObjectiveOf(std::string_view name);
std::string_view NameOf(Objective objective);

struct TuneOptions {
  std::filesystem::path model;
  std::filesystem::path output;
  std::filesystem::path state;   // Empty: <output>.tune.
  std::filesystem::path logdir;  // Empty: no event files.
  Goals goals;
  Objective objective = Objective::kSize;
  quantize::QuantizeOptions quantize;  // Samples, keep_float, target.
  Evaluation evaluation;
  // Maximum number of quantized models that are evaluated; the baseline is evaluated in addition.
  std::size_t max_evaluations = 5;
  double max_seconds = 0;  // 0: no limit.
  bool is_resumed = false;
  bool stops_at_goal = false;  // Skips the evaluations that only add points to the trade-off curve.
  // Adds a diagnosis to each reverted layer: cause, dB, bytes, milliseconds.
  bool explains = true;

  // A function that is called with the current step. Returning false stops; the best model so far
  // stays on disk.
  std::function<bool(std::string_view step)> progress;
  // A function that is called with a line of text for the user: one after each trial, and one when
  // the remaining time has been estimated.
  std::function<void(std::string_view line)> on_line;
};

// A change to a node or tensor of the first plan. Lists of changes have the most useful change
// first.
struct Reverted {
  std::string name;     // Name of a node or tensor.
  std::string op_type;  // Operator of the node; empty for tensors.
  std::string change;   // "float", "16 bits", "4 bits"
  // Increase of output SQNR on held-out samples if only this change is made; negative for a change
  // to 4 bits.
  std::optional<double> gain_db;
  std::int64_t bytes = 0;         // Change of the file size; negative for 4 bits.
  std::optional<double> cost_ms;  // Change of the time per inference, if measured.
  std::string cause;              // "outliers", …; empty if no cause was found.
  std::string explanation;
};

struct TrialReport {
  int number = 0;
  TrialResult result;
  double end_sqnr_db = 0;  // On held-out samples.
  std::vector<std::string> float_nodes;
  std::vector<std::string> wide_tensors;  // Tensors with 16 bits.
  std::vector<std::string> narrow_nodes;  // Nodes with 4-bit weights.
  std::string note;                       // Why this trial was made.
  std::vector<Reverted> reverted;         // Only with a log directory, and for the best trial.
  std::filesystem::path model;
  std::filesystem::path log;  // Directory of its run; empty without --logdir.
  bool is_met = false;
  bool is_pareto = false;  // No other trial is both smaller and more accurate.
};

struct TuneReport {
  std::filesystem::path model, output, state;
  std::string metric;
  TrialResult baseline;
  double limit = 0;  // The worst metric value that meets max_drop.
  std::vector<TrialReport> trials;
  std::optional<std::size_t> best;  // Index in `trials`; its model is the output.
  bool is_met = false;
  bool is_output_written =
      false;  // False when the tuning was stopped before the first trial ended.
  bool is_output_measured = false;
  std::string reason;              // One sentence: why the goals are met or missed.
  std::string next_step;           // After a missed goal: the recommended next step, and its cost.
  std::vector<Reverted> reverted;  // Changes of the best trial.
  std::string contract;            // A contract in YAML for `check` with gates for this result.
  std::size_t evaluations = 0;     // Number of quantized models in all sessions of this tuning.
  std::size_t measurements = 0;    // Number of measurements without labels, on held-out samples.
  std::vector<std::string> notes;
};

// Runs or resumes a tuning. Fails with kFailedPrecondition if the state directory contains an
// unfinished tuning and `is_resumed` is false, or a tuning with other settings and `is_resumed` is
// true; and like ModelQuantizer. A missed goal is not an error.
Result<TuneReport> TuneModel(const TuneOptions& options);

// Returns the directory of a tuning's state: TuneOptions::state, or its default.
std::filesystem::path StatePath(const TuneOptions& options);

std::string ToJson(const TuneReport& report);
void WriteReverted(JsonWriter& json, const Reverted& line);

}  // namespace cboard::tune
