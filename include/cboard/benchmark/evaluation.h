// Accuracy of a variant: built-in metrics on labels, or a command of the user.
//
//   EvaluationOptions options{.labels = "val.npz", .labels_array = "y", .metrics = {"top1"}};
//   CBOARD_ASSIGN_OR_RETURN(const Metrics scores, Evaluate(variant, run_options, options, nullptr));
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

// Scores of a variant that the caller has measured, or why that failed.
struct GivenScores {
  Metrics scores;
  std::string error;
};

struct EvaluationOptions {
  std::filesystem::path labels;      // .npz, .npy, or text with a line per sample for wer and cer.
  std::string labels_array;          // The array of an .npz; empty for the only one.
  std::vector<std::string> metrics;  // Names of MetricNames().
  std::filesystem::path vocabulary;  // wer, cer: a token per line, the blank of CTC first.
  std::size_t max_samples = 100'000;

  // A shell command instead; {model} becomes the path. docs/benchmark.md describes its output.
  std::string command;
  double timeout_seconds = 3600;

  // By the name of the variant, or by the path of its file.
  std::map<std::string, GivenScores, std::less<>> given;

  bool empty() const { return metrics.empty() && command.empty() && given.empty(); }
};

// "top1", "top5", "f1_macro", …
const std::vector<std::string>& MetricNames();

// The labels of "val.npz:y": the file, and the array behind the last colon if there is one.
struct LabelsArgument {
  std::filesystem::path file;
  std::string array;
};
LabelsArgument ParseLabelsArgument(std::string_view text);

// Scores of a model, by the keys of benchmark JSON: top1 is "accuracy", f1_macro is "f1_score".
// `baseline` is the model that agreement, mse and cosine compare with when there are no labels; it
// may be null. Fails with kInvalidArgument when the labels do not fit.
Result<Metrics> Evaluate(const runtime::Session& model, const runtime::Session* baseline,
                         const std::filesystem::path& model_path, const RunOptions& run,
                         const EvaluationOptions& options,
                         const std::function<bool(double done)>& progress);

// Runs the command. A non-zero exit code, a signal, or the time limit is an error, never a score.
// `printed` gets what the command wrote to standard output and standard error, if it has ended.
Result<Metrics> RunEvaluation(const std::string& command, const std::filesystem::path& model,
                              double timeout_seconds,
                              const std::function<bool()>& stop_requested = nullptr,
                              std::string* printed = nullptr);

// The last line that is not empty: a number is the accuracy, a JSON object has scores by name.
// Fails with kInvalidArgument for anything else, and for numbers that are not finite.
Result<Metrics> ParseEvaluationOutput(std::string_view output);

}  // namespace cboard::benchmark
