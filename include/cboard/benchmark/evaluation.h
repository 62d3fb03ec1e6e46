// Computes the accuracy of a variant: with built-in metrics and labels, or with a command of the
// user.
//
//   EvaluationOptions options{.labels = "val.npz", .labels_array = "y", .metrics = {"top1"}};
//   CBOARD_ASSIGN_OR_RETURN(const Metrics scores, Evaluate(variant, run_options, options,
//   nullptr));
//   scores.at("accuracy");
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/benchmark/variant.h"
#include "cboard/compression/metrics.h"

namespace cboard::benchmark {

// Scores of a variant that the caller has measured, or the error of that measurement.
struct GivenScores {
  Metrics scores;
  std::string error;
};

struct EvaluationOptions {
  // The labels: an .npz or .npy file, or a text file with a line per sample for wer and cer.
  std::filesystem::path labels;
  // Name of the array in an .npz; may be empty if it has only one.
  std::string labels_array;
  std::vector<std::string> metrics;  // Names from MetricNames().
  // The vocabulary for wer and cer: a file with one token per line. The first token is the blank of
  // CTC.
  std::filesystem::path vocabulary;
  std::size_t max_samples = 100'000;

  // A shell command that replaces the built-in metrics; {model} is replaced by the path.
  // docs/benchmark.md describes its output.
  std::string command;
  double timeout_seconds = 3600;

  // Scores that the caller has measured, by variant name or by model file path.
  std::map<std::string, GivenScores, std::less<>> given;

  bool empty() const { return metrics.empty() && command.empty() && given.empty(); }
};

// The names of the built-in metrics: "top1", "top5", "f1_macro", …
const std::vector<std::string>& MetricNames();

// The parsed argument "val.npz:y": the file, and the name of the array after the last colon, if
// there is one.
struct LabelsArgument {
  std::filesystem::path file;
  std::string array;
};
LabelsArgument ParseLabelsArgument(std::string_view text);

// Fails if the options contradict each other or name a file that does not exist. Call it before the
// measurement, which may take minutes before the first score.
Result<void> CheckEvaluation(const EvaluationOptions& options, const RunOptions& run);

// Reads the labels and compares their number with that of the samples. Call it before the
// measurement, too. Does nothing without labels.
Result<void> CheckLabels(const runtime::Session& model, const std::filesystem::path& model_path,
                         const RunOptions& run, const EvaluationOptions& options);

// The scores of a model, and the metrics that could not be computed.
struct Evaluation {
  Metrics scores;
  std::vector<compression::Omission> failed;  // By key of the benchmark JSON.
};

// Computes scores of a model, with the keys of benchmark JSON: top1 is "accuracy", f1_macro is
// "f1_score". `baseline` is the model for agreement, mse and cosine if there are no labels; it may
// be null. A metric fails if the labels do not match the outputs, if the outputs of a sample have
// NaN or infinity, or if the score is not finite; the other metrics are computed nevertheless.
Result<Evaluation> EvaluateEach(const runtime::Session& model, const runtime::Session* baseline,
                                const std::filesystem::path& model_path, const RunOptions& run,
                                const EvaluationOptions& options,
                                const std::function<bool(double done)>& progress);

// Does the same, but fails if one of the metrics fails.
Result<Metrics> Evaluate(const runtime::Session& model, const runtime::Session* baseline,
                         const std::filesystem::path& model_path, const RunOptions& run,
                         const EvaluationOptions& options,
                         const std::function<bool(double done)>& progress);

// Runs the evaluation command. A non-zero exit code, a signal, or the time limit is an error, never
// a score. `printed` receives the command's standard output and standard error after it has ended.
Result<Metrics> RunEvaluation(const std::string& command, const std::filesystem::path& model,
                              double timeout_seconds,
                              const std::function<bool()>& stop_requested = nullptr,
                              std::string* printed = nullptr);

// Parses the last non-empty line in the output of an evaluation command. A number is the accuracy.
// A JSON object contains scores by name. Fails with kInvalidArgument for other text, and for
// numbers that are not finite.
Result<Metrics> ParseEvaluationOutput(std::string_view output);

}  // namespace cboard::benchmark
