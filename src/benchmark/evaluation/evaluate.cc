#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "benchmark/evaluation/scorers.h"
#include "cboard/base/strings.h"
#include "cboard/benchmark/evaluation.h"

namespace cboard::benchmark {
namespace {

using MakeScorer = Result<std::unique_ptr<Scorer>> (*)(const ScorerOptions&);

struct MetricFamily {
  std::string_view metric;
  MakeScorer make;
  bool needs_labels;
};

constexpr auto kMetrics = std::to_array<MetricFamily>({
    {"top1", MakeClassificationScorer, true},
    {"top5", MakeClassificationScorer, true},
    {"f1_macro", MakeClassificationScorer, true},
    {"f1_weighted", MakeClassificationScorer, true},
    {"mse", MakeSimilarityScorer, false},
    {"cosine", MakeSimilarityScorer, false},
    {"agreement", MakeSimilarityScorer, false},
    {"map50", MakeDetectionScorer, true},
    {"map", MakeDetectionScorer, true},
    {"wer", MakeTextScorer, true},
    {"cer", MakeTextScorer, true},
    {"perplexity", MakePerplexityScorer, true},
});

const MetricFamily* FindMetric(std::string_view name) {
  const auto found = std::ranges::find(kMetrics, name, &MetricFamily::metric);
  return found == kMetrics.end() ? nullptr : &*found;
}

std::string ListOfMetrics() {
  std::string names;
  for (const MetricFamily& metric : kMetrics) {
    names += (names.empty() ? "" : ", ") + std::string(metric.metric);
  }
  return names;
}

Result<void> CheckExists(const std::filesystem::path& file, std::string_view flag) {
  std::error_code error;
  if (file.empty() || std::filesystem::exists(file, error)) return {};
  return Fail(ErrorCode::kNotFound, "cannot open " + Quoted(file.string(), 1000) + " of " +
                                        std::string(flag) + ": the file does not exist");
}

// Creates the scorers of the requested metrics. `options` must have passed CheckEvaluation.
Result<std::vector<std::unique_ptr<Scorer>>> MakeScorers(const EvaluationOptions& options,
                                                         std::size_t sample_count) {
  std::map<MakeScorer, std::set<std::string>> families;
  bool has_label_metric = false;
  for (const std::string& name : options.metrics) {
    const MetricFamily* const metric = FindMetric(name);
    has_label_metric = has_label_metric || metric->needs_labels;
    families[metric->make].insert(name);
  }
  std::vector<std::unique_ptr<Scorer>> scorers;
  for (const auto& [make, metrics] : families) {
    ScorerOptions scorer{.labels = options.labels,
                         .labels_array = options.labels_array,
                         .vocabulary = options.vocabulary,
                         .sample_count = sample_count,
                         .metrics = metrics};
    // Labels that are classes, boxes or texts cannot be compared with output values.
    if (make == MakeSimilarityScorer && has_label_metric) scorer.labels.clear();
    CBOARD_ASSIGN_OR_RETURN(auto made, make(scorer));
    scorers.push_back(std::move(made));
  }
  return scorers;
}

}  // namespace

const std::vector<std::string>& MetricNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const MetricFamily& metric : kMetrics) all.emplace_back(metric.metric);
    return all;
  }();
  return names;
}

LabelsArgument ParseLabelsArgument(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  std::error_code ignored;
  if (colon == text.npos || colon + 1 == text.size() || text.find('/', colon) != text.npos ||
      std::filesystem::exists(text, ignored)) {
    return {.file = text, .array = ""};
  }
  return {.file = text.substr(0, colon), .array = std::string(text.substr(colon + 1))};
}

Result<void> CheckEvaluation(const EvaluationOptions& options, const RunOptions& run) {
  for (const std::string& name : options.metrics) {
    const MetricFamily* const metric = FindMetric(name);
    if (metric == nullptr) {
      return Fail(ErrorCode::kInvalidArgument,
                  "unknown metric " + Quoted(name) + "; choose one of " + ListOfMetrics());
    }
    if (metric->needs_labels && options.labels.empty()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the metric " + name + " needs labels; add --labels FILE[:ARRAY]");
    }
    if (metric->make == MakeTextScorer && options.vocabulary.empty()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the metrics wer and cer need a vocabulary; add --vocabulary FILE, a text file "
                  "with one token per line, the blank token first");
    }
  }
  if (!options.metrics.empty() && run.data.empty() && !options.labels.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "--labels was given without samples; add --data with the samples of these labels");
  }
  CBOARD_RETURN_IF_ERROR(CheckExists(options.labels, "--labels"));
  return CheckExists(options.vocabulary, "--vocabulary");
}

Result<Metrics> Evaluate(const runtime::Session& model, const runtime::Session* baseline,
                         const std::filesystem::path& model_path, const RunOptions& run,
                         const EvaluationOptions& options,
                         const std::function<bool(double done)>& progress) {
  CBOARD_RETURN_IF_ERROR(CheckEvaluation(options, run));
  Metrics scores;
  if (!options.command.empty()) {
    CBOARD_ASSIGN_OR_RETURN(scores,
                            RunEvaluation(options.command, model_path, options.timeout_seconds,
                                          [&] { return progress && !progress(0); }));
  }
  if (options.metrics.empty()) return scores;
  RunOptions one_by_one = run;
  one_by_one.batch = 1;
  constexpr std::size_t kMaxRandomSamples = 100;
  const std::size_t max_samples =
      run.data.empty() ? std::min(options.max_samples, kMaxRandomSamples) : options.max_samples;
  CBOARD_ASSIGN_OR_RETURN(const auto samples,
                          OpenRunSamples(model_path, model.inputs(), one_by_one, max_samples));
  CBOARD_ASSIGN_OR_RETURN(const auto first, samples->Read(0));
  const auto has_rows =
      !first.empty() && !first[0].tensor.shape.empty() && !model.inputs()[0].shape.empty();
  const std::size_t rows =
      has_rows ? static_cast<std::size_t>(std::max<std::int64_t>(1, model.inputs()[0].shape[0]))
               : 1;
  CBOARD_ASSIGN_OR_RETURN(const auto scorers, MakeScorers(options, samples->size() * rows));
  for (std::size_t i = 0; i < samples->size(); ++i) {
    CBOARD_ASSIGN_OR_RETURN(const auto inputs, samples->Read(i));
    CBOARD_ASSIGN_OR_RETURN(const runtime::RunResult outputs, model.Run(inputs));
    std::optional<runtime::RunResult> other;
    if (baseline == &model) {
      // The baseline is compared with itself, so it does not run twice.
    } else if (baseline != nullptr) {
      CBOARD_ASSIGN_OR_RETURN(runtime::RunResult result, baseline->Run(inputs));
      other = std::move(result);
    }
    const runtime::RunResult* const compared = baseline == nullptr ? nullptr
                                               : other             ? &*other
                                                                   : &outputs;
    for (const auto& scorer : scorers) {
      CBOARD_RETURN_IF_ERROR(scorer->Add({outputs, compared, i * rows, rows}));
    }
    if (progress && !progress(static_cast<double>(i + 1) / static_cast<double>(samples->size()))) {
      return Fail(ErrorCode::kUnavailable, "the evaluation was interrupted; there are no results");
    }
  }
  for (const auto& scorer : scorers) scorer->Finish(scores);
  for (const auto& [name, score] : scores) {
    if (std::isfinite(score)) continue;
    return Fail(ErrorCode::kInvalidArgument,
                "the metric " + name + " is " + (std::isnan(score) ? "not a number" : "infinite") +
                    ": the model's outputs contain NaN, infinity or values that are too large");
  }
  return scores;
}

}  // namespace cboard::benchmark
