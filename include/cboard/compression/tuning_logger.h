// Logs an accuracy-driven tuning: the float model first, then every quantization trial, each with
// its graph and with histograms of its weights and outputs.
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
// A directory is renamed when its accuracy is known; viewers that follow the log keep the data that
// they have read. docs/tuning.md explains a log, and tuning_names.h contains its names.
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

// Selects what happens to the trials of an earlier tuning in the same directory.
enum class ExistingTrials {
  kMoveAside,  // runs/eval becomes runs/eval_earlier, runs/eval_earlier_2, …
  kContinue,   // Numbers go on after theirs.
  kRefuse,
};

struct TuningOptions {
  // If false, every call succeeds and does nothing. The line `tensorboard: false` in a
  // configuration requests this.
  bool enabled = true;
  std::filesystem::path directory = "runs/eval";
  TrialNaming naming = TrialNaming::kTensorFlow;
  ExistingTrials earlier = ExistingTrials::kMoveAside;
  WriterOptions writer = {};
};

// The settings of a trial: they become a row of the HParams page, and the Tuning page compares
// them.
using TrialSettings = std::vector<std::pair<std::string, writer::HParam>>;

struct TrialReport {
  int number = 0;                   // 0 for the baseline.
  std::filesystem::path directory;  // The trial's current directory.
  std::vector<std::string> tags;    // Tags of histograms and scalars, in the order of the log.
  // Values that are missing or incomplete in the log, with the reason.
  std::vector<Omission> omitted;
};

// Logs the trials of a tuning. Not thread-safe. Only one trial is open at a time; the first is the
// baseline. Adding data without a trial, or starting a second trial, fails with
// kFailedPrecondition. The destructor abandons an unfinished trial, except in a forked child
// process: the trial belongs to the parent.
class TuningLogger {
 public:
  // Creates a logger. It changes no files before the first trial starts.
  explicit TuningLogger(TuningOptions options = {});
  ~TuningLogger();
  TuningLogger(const TuningLogger&) = delete;
  TuningLogger& operator=(const TuningLogger&) = delete;

  // Starts a trial and logs its settings at once, so that a viewer shows them during the trial.
  // Fails with kUnavailable while another logger uses the directory, with kInvalidArgument for
  // settings that TensorBoard cannot show (duplicate names, NaN), and with the file system's error
  // if nothing can be written. After a failure no trial is open.
  Result<void> StartTrial(const TrialSettings& settings = {}, FusedOps fused = {});

  // Adds a serialized GraphDef (proto/graph.h builds one).
  Result<void> AddGraph(std::string_view graph_def);

  // Adds a batch of an operator's output. One histogram of all batches is written when the trial
  // ends; it takes 12 KiB of memory per operator. Quantized tensors are dequantized. If `precision`
  // is not given, it is int8 for quantized tensors and fp32 for others. Outputs of operators in a
  // fused group are ignored, except for the last operator.
  Result<void> AddOutput(std::string_view op, const TensorView& batch,
                         std::string_view precision = {});

  // Logs a parameter at once: weight, bias, scale, zero_point. Parameters of conv1.0 and conv1.1
  // belong to the fused group conv1. If conv1.0 and conv1.1 have a parameter of the same name, the
  // parameter of conv1.1 is logged under conv1.1.
  Result<void> AddParameter(std::string_view op, std::string_view parameter,
                            const TensorView& values, std::string_view precision = {});

  // Adds the graph, weights and biases of a TensorFlow GraphDef, by the names of its Const nodes. A
  // graph with a Requantize operator counts as int8. Fails with kInvalidArgument for other files.
  // The graph is logged without the values of its constants.
  Result<void> AddTensorFlowGraph(const std::filesystem::path& graph_def_file);

  // Adds the output of a node of the TensorFlow graph that was added before. Only the first batch
  // is used. The tag is <node>_fp32.output or <node>_int8.output, and the histogram has 1000 equal
  // bins. Codes of a Requantize operator are dequantized with the range in the graph.
  Result<void> AddNodeOutput(std::string_view node, const TensorView& first_batch);

  // Ends the trial: writes the pending data, closes the files and renames the directory. If there
  // are several metrics, the first is the accuracy. Without metrics, the directory stays baseline
  // or tune_<n>. The trial also ends after an error; data that is already on the disk stays under
  // the name without metrics.
  Result<TrialReport> FinishTrial(std::span<const double> accuracies);
  Result<TrialReport> FinishTrial(double accuracy) {
    return FinishTrial(std::span<const double>(&accuracy, 1));
  }

  // Ends a trial whose evaluation failed: logs the reason as the text tuning/failure and renames
  // the directory to <trial>_failed. The next trial gets the same number. Returns the directory.
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
