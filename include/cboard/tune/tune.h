// Accuracy-driven compression: quantizes a model, evaluates it, finds what hurts, keeps that in
// float or in 16 bits, and tries again until the goals are met.
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
  kSize,     // Bytes of the file: tensors that hurt become 16 bits, weights stay 8 bits.
  kLatency,  // Time: operators that hurt become float, which runs faster than 16 bits.
  kEnergy,  // Energy of an inference, on machines with counters; the changes are those of kLatency.
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
  std::size_t max_evaluations = 5;  // Quantized models; the baseline is one more.
  double max_seconds = 0;           // 0: no limit.
  bool is_resumed = false;
  bool stops_at_goal = false;  // Leaves out the evaluations that only draw the trade-off curve.
  bool explains = true;        // Diagnoses reverted layers: cause, dB, bytes, milliseconds.

  // Reports the current step. Returns false to stop: the best model so far stays on disk.
  std::function<bool(std::string_view step)> progress;
  // Called after each trial, and after the estimate of the remaining time.
  std::function<void(std::string_view line)> on_line;
};

// A change of the first plan, the most useful first.
struct Reverted {
  std::string name;     // A node or a tensor.
  std::string op_type;  // Operator of the node; empty for tensors.
  std::string change;   // "float", "16 bits", "4 bits"
  // Gain of output SQNR on held-out samples, with this change alone; below 0 for 4 bits.
  std::optional<double> gain_db;
  std::int64_t bytes = 0;         // Added to the file; below 0 for 4 bits.
  std::optional<double> cost_ms;  // Added to an inference, if it was measured.
  std::string cause;              // "outliers", …; empty if no cause was found.
  std::string explanation;
};

struct TrialReport {
  int number = 0;
  TrialResult result;
  double end_sqnr_db = 0;  // On held-out samples.
  std::vector<std::string> float_nodes;
  std::vector<std::string> wide_tensors;  // 16 bits.
  std::vector<std::string> narrow_nodes;  // Weights of 4 bits.
  std::string note;                       // Why this trial was made.
  std::vector<Reverted> reverted;         // With a log directory, and for the best trial.
  std::filesystem::path model;
  std::filesystem::path log;  // Its run; empty without --logdir.
  bool is_met = false;
  bool is_pareto = false;  // No other trial is both smaller and more accurate.
};

struct TuneReport {
  std::filesystem::path model, output, state;
  std::string metric;
  TrialResult baseline;
  double limit = 0;  // The worst metric that meets max_drop.
  std::vector<TrialReport> trials;
  std::optional<std::size_t> best;  // Index in `trials`; its model is the output.
  bool is_met = false;
  bool is_output_measured = false;
  std::string reason;              // One sentence: why the goals are met or missed.
  std::string next_step;           // After a missed goal: what to do, and its price.
  std::vector<Reverted> reverted;  // Changes of the best trial.
  std::string contract;            // Gates for `check` that keep the result; YAML.
  std::size_t evaluations = 0;     // Quantized models, in all sessions of this tuning.
  std::size_t measurements = 0;    // Label-free, on held-out samples.
  std::vector<std::string> notes;
};

// Fails with kFailedPrecondition when the state directory has an unfinished tuning and `is_resumed`
// is false, or a tuning of other settings and it is true; and as ModelQuantizer does. A missed goal
// is no error.
Result<TuneReport> TuneModel(const TuneOptions& options);

// The directory of a tuning's state: TuneOptions::state, or its default.
std::filesystem::path StatePath(const TuneOptions& options);

std::string ToJson(const TuneReport& report);
void WriteReverted(JsonWriter& json, const Reverted& line);

}  // namespace cboard::tune
