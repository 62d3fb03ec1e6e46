// Logs an accuracy-driven tuning: the float model first, then every attempt at quantizing it, each
// with its graph and with histograms of its weights and outputs.
//
//   cboard::TuningLogger logger({.directory = "runs/eval"});
//   logger.StartTrial();                              // runs/eval/baseline
//   logger.AddParameter("conv1", "weight", weights);  // conv1/weight/fp32
//   logger.AddOutput("conv1", activations);           // conv1/Output/fp32, batch by batch
//   logger.FinishTrial(0.776);                        // runs/eval/baseline_acc_0.776
//   logger.StartTrial({{"scheme", "symmetric"}});     // runs/eval/tune_1
//   …
//
//   compression-board --logdir_spec
//       baseline:runs/eval/baseline_acc_0.776/,tune_1:runs/eval/tune_1_acc_0.095/
//
// A directory gets its accuracy when that is known, by renaming: viewers that follow the log keep
// what they have read. docs/tuning.md walks through a log, and tuning_names.h has its names.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compression/metrics.h"
#include "cboard/compression/tuning_names.h"
#include "cboard/tensor/tensor_view.h"
#include "cboard/writer/summaries.h"
#include "cboard/writer/writer_options.h"

namespace cboard::compression {

// How to handle trials of an earlier tuning in the same directory.
enum class ExistingTrials {
  kMoveAside,  // runs/eval becomes runs/eval_earlier, runs/eval_earlier_2, …
  kContinue,   // Numbers go on after theirs.
  kRefuse,
};

struct TuningOptions {
  // Off, every call succeeds and does nothing: what `tensorboard: false` in a configuration means.
  bool enabled = true;
  std::filesystem::path directory = "runs/eval";
  TrialNaming naming = TrialNaming::kTensorFlow;
  ExistingTrials earlier = ExistingTrials::kMoveAside;
  WriterOptions writer = {};
};

// How a trial was made: a row of the HParams page, and what the Tuning page compares.
using TrialSettings = std::vector<std::pair<std::string, writer::HParam>>;

struct TrialReport {
  int number = 0;                   // 0: the baseline.
  std::filesystem::path directory;  // Where it is now.
  std::vector<std::string> tags;    // Tags of histograms and scalars, in the order of the log.
  std::vector<Omission> omitted;  // Values that are not, or only partly, in the log, with reasons.
};

// Not thread-safe. Trials follow each other; the first is the baseline. Adding without a trial, or
// starting a second one, fails with kFailedPrecondition. The destructor abandons a trial that was
// not finished, except in a forked child: the trial is its parent's.
class TuningLogger {
 public:
  // Touches nothing before the first trial starts.
  explicit TuningLogger(TuningOptions options = {});
  ~TuningLogger();
  TuningLogger(const TuningLogger&) = delete;
  TuningLogger& operator=(const TuningLogger&) = delete;

  // Settings are logged at once, so that a viewer sees what is being tried. Fails with kUnavailable
  // while another logger uses the directory, with kInvalidArgument for settings that TensorBoard
  // cannot show (a name given twice, NaN), and with the file system's reason when nothing can be
  // written; then no trial has started.
  Result<void> StartTrial(const TrialSettings& settings = {}, FusedOps fused = {});

  // A serialized GraphDef (proto/graph.h builds one).
  Result<void> AddGraph(std::string_view graph_def);

  // Adds a batch of an operation's output. One histogram of all batches is written when the trial
  // ends; memory stays at 12 KiB per operation. Quantized tensors are counted by the real values.
  // `precision` is int8 for quantized tensors and fp32 for others unless given. Members of a fused
  // group other than the last are passed over.
  Result<void> AddOutput(std::string_view op, const TensorView& batch,
                         std::string_view precision = {});

  // Logs a parameter at once: weight, bias, scale, zero_point. Parameters of conv1.0 and conv1.1
  // belong to the fused conv1; where both have one of the same name, the second keeps its own.
  Result<void> AddParameter(std::string_view op, std::string_view parameter,
                            const TensorView& values, std::string_view precision = {});

  // Graph, weights and biases of a TensorFlow GraphDef, by the names of its Const nodes. A graph
  // with a Requantize operation is an int8 one, whatever else is in it. Fails with
  // kInvalidArgument for other files. The graph is logged without the values of its constants.
  Result<void> AddTensorFlowGraph(const std::filesystem::path& graph_def_file);

  // The output of a node of that graph: the first batch, in 1000 equal bins, under
  // <node>_fp32.output or <node>_int8.output. Codes of a Requantize operation become real values by
  // the range that the graph gives them.
  Result<void> AddNodeOutput(std::string_view node, const TensorView& first_batch);

  // Writes what is left, closes the files and gives the directory its name; with several metrics,
  // the accuracy is the first. Without any, the directory stays baseline or tune_<n>. After an
  // error the trial is over, too: what reached the disk stays under that name.
  Result<TrialReport> FinishTrial(std::span<const double> accuracies);
  Result<TrialReport> FinishTrial(double accuracy) {
    return FinishTrial(std::span<const double>(&accuracy, 1));
  }

  // Ends a trial whose evaluation failed: the reason becomes the text tuning/failure, and the
  // directory <trial>_failed. The next trial has the same number. Returns the directory.
  Result<std::filesystem::path> AbandonTrial(std::string_view reason);

  bool in_trial() const { return trial_ != nullptr; }
  bool enabled() const { return options_.enabled; }
  // Number of the current trial, or of the next one.
  int trial_number() const;

 private:
  class Trial;
  Result<Trial*> Current();

  TuningOptions options_;
  std::unique_ptr<class TrialFolder> folder_;
  std::unique_ptr<Trial> trial_;
};

}  // namespace cboard::compression

namespace cboard {
using compression::TuningLogger;
}  // namespace cboard
