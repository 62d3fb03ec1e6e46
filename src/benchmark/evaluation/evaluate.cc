#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "benchmark/evaluation/scorers.h"
#include "cboard/base/strings.h"
#include "cboard/benchmark/evaluation.h"
#include "cboard/tensor/convert.h"

namespace cboard::benchmark {
namespace {

using MakeScorer = Result<std::unique_ptr<Scorer>> (*)(const ScorerOptions&);

struct MetricFamily {
  std::string_view metric;
  std::string_view key;  // In the benchmark JSON.
  MakeScorer make;
  bool needs_labels;
};

constexpr auto kMetrics = std::to_array<MetricFamily>({
    {"top1", "accuracy", MakeClassificationScorer, true},
    {"top5", "accuracy_top5", MakeClassificationScorer, true},
    {"f1_macro", "f1_score", MakeClassificationScorer, true},
    {"f1_weighted", "f1_weighted", MakeClassificationScorer, true},
    {"mse", "mse", MakeSimilarityScorer, false},
    {"cosine", "cosine", MakeSimilarityScorer, false},
    {"agreement", "agreement", MakeSimilarityScorer, false},
    {"map50", "map50", MakeDetectionScorer, true},
    {"map", "map", MakeDetectionScorer, true},
    {"wer", "wer", MakeTextScorer, true},
    {"cer", "cer", MakeTextScorer, true},
    {"perplexity", "perplexity", MakePerplexityScorer, true},
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

// Returns true for the keys of a variant that the benchmark measures or writes itself.
bool IsBenchmarkKey(const std::string& key) {
  constexpr auto kKeys = std::to_array<std::string_view>({
      "model_size_mb",
      "load_ms",
      "first_inference_ms",
      "latency_mean_ms",
      "latency_std_ms",
      "latency_min_ms",
      "latency_max_ms",
      "latency_cpu_p50_ms",
      "latency_p50_ms",
      "latency_p90_ms",
      "latency_p95_ms",
      "latency_p99_ms",
      "latencies_ms",
      "throughput",
      "memory_usage_mb",
      "memory_model_mb",
      "memory_arena_mb",
      "energy_consumption_mw",
      "gpu_power_mw",
      "energy_mj_per_inference",
      "gpu_memory_usage_mb",
      "speedup_ci95",
      "verdict",
      "valid",
      "why_invalid",
      "why_slower",
      "operator_times_us",
      "not_measured",
      "comparison",
      "evaluated_on",
      "file",
      "sha256",
  });
  return std::ranges::find(kKeys, key) != kKeys.end();
}

// One or more metrics that are computed together. They fail together, and do not affect others.
struct ScoredMetrics {
  MakeScorer make;
  std::set<std::string> metrics;
  std::unique_ptr<Scorer> scorer;
  std::optional<Error> error;
  bool uses_baseline = false;
  std::size_t non_finite_count = 0;  // Samples whose outputs have NaN or infinity.
};

// The samples of an evaluation, and a scorer for each group of metrics.
struct Preparation {
  std::unique_ptr<runtime::SampleSource> samples;
  std::size_t rows = 1;  // Samples of one run.
  std::vector<ScoredMetrics> scorers;
};

// Creates the scorers of the requested metrics. `options` must have passed CheckEvaluation.
std::vector<ScoredMetrics> MakeScorers(const EvaluationOptions& options, std::size_t sample_count) {
  std::vector<ScoredMetrics> groups;
  bool has_label_metric = false;
  for (const std::string& name : options.metrics) {
    const MetricFamily* const metric = FindMetric(name);
    has_label_metric = has_label_metric || metric->needs_labels;
    const auto group = std::ranges::find(groups, metric->make, &ScoredMetrics::make);
    if (group != groups.end() && metric->make != MakeSimilarityScorer) {
      group->metrics.insert(name);
    } else {
      groups.push_back({.make = metric->make, .metrics = {name}});
    }
  }
  for (ScoredMetrics& group : groups) {
    ScorerOptions scorer{.labels = options.labels,
                         .labels_array = options.labels_array,
                         .vocabulary = options.vocabulary,
                         .sample_count = sample_count,
                         .metrics = group.metrics};
    if (group.make == MakeSimilarityScorer) {
      // Labels that are classes, boxes or texts cannot be compared with output values.
      if (has_label_metric) scorer.labels.clear();
      group.uses_baseline = scorer.labels.empty() || group.metrics.contains("agreement");
    }
    auto made = group.make(scorer);
    if (made) {
      group.scorer = *std::move(made);
    } else {
      group.error = std::move(made).error();
    }
  }
  return groups;
}

Result<Preparation> Prepare(const runtime::Session& model, const std::filesystem::path& model_path,
                            const RunOptions& run, const EvaluationOptions& options) {
  RunOptions one_by_one = run;
  one_by_one.batch = 1;
  constexpr std::size_t kMaxRandomSamples = 100;
  const std::size_t max_samples =
      run.data.empty() ? std::min(options.max_samples, kMaxRandomSamples) : options.max_samples;
  Preparation prepared;
  CBOARD_ASSIGN_OR_RETURN(prepared.samples,
                          OpenRunSamples(model_path, model.inputs(), one_by_one, max_samples));
  CBOARD_ASSIGN_OR_RETURN(const auto first, prepared.samples->Read(0));
  const auto has_rows =
      !first.empty() && !first[0].tensor.shape.empty() && !model.inputs()[0].shape.empty();
  if (has_rows) {
    prepared.rows = static_cast<std::size_t>(std::max<std::int64_t>(1, model.inputs()[0].shape[0]));
  }
  prepared.scorers = MakeScorers(options, prepared.samples->size() * prepared.rows);
  return prepared;
}

// Returns how many of `rows` samples have NaN or positive infinity in one of the tensors. Negative
// infinity is a class or token that the model excludes.
std::size_t CountNonFinite(std::span<const runtime::NamedTensor> tensors, std::size_t rows) {
  std::vector<bool> is_bad(rows);
  for (const runtime::NamedTensor& named : tensors) {
    if (!IsFloat(named.tensor.dtype)) continue;
    const auto values = tensor::ToDoubles(named.tensor);
    if (!values) continue;
    const std::size_t size = values->size() / rows;
    for (std::size_t i = 0; i < values->size(); ++i) {
      const double value = (*values)[i];
      if (!std::isnan(value) && !(value > std::numeric_limits<double>::max())) continue;
      if (values->size() % rows == 0) {
        is_bad[i / size] = true;
      } else {
        is_bad.assign(rows, true);
      }
    }
  }
  return static_cast<std::size_t>(std::ranges::count(is_bad, true));
}

// The outputs that a group of metrics reads: mAP all, the others the first.
std::span<const runtime::NamedTensor> OutputsFor(const ScoredMetrics& group,
                                                 const runtime::RunResult& outputs) {
  const std::span<const runtime::NamedTensor> all = outputs.tensors();
  return group.make == MakeDetectionScorer || all.empty() ? all : all.first(1);
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

Result<void> CheckLabels(const runtime::Session& model, const std::filesystem::path& model_path,
                         const RunOptions& run, const EvaluationOptions& options) {
  if (options.metrics.empty() || options.labels.empty()) return {};
  CBOARD_ASSIGN_OR_RETURN(const Preparation prepared, Prepare(model, model_path, run, options));
  for (const ScoredMetrics& group : prepared.scorers) {
    if (group.error) return Fail(*group.error);
  }
  return {};
}

Result<Evaluation> EvaluateEach(const runtime::Session& model, const runtime::Session* baseline,
                                const std::filesystem::path& model_path, const RunOptions& run,
                                const EvaluationOptions& options,
                                const std::function<bool(double done)>& progress) {
  CBOARD_RETURN_IF_ERROR(CheckEvaluation(options, run));
  const auto interrupted = [] {
    return Fail(ErrorCode::kUnavailable, "the evaluation was interrupted; there are no results");
  };
  Evaluation evaluation;
  if (!options.command.empty()) {
    bool is_stopped = false;
    auto scores = RunEvaluation(options.command, model_path, options.timeout_seconds, [&] {
      is_stopped = progress && !progress(0);
      return is_stopped;
    });
    if (is_stopped) return interrupted();
    const auto own =
        scores ? std::ranges::find_if(*scores, IsBenchmarkKey, &Metrics::value_type::first)
               : Metrics::iterator();
    if (scores && own != scores->end()) {
      evaluation.failed.push_back(
          {"accuracy", "the --eval command printed the key " + Quoted(own->first, 200) +
                           ", which benchmark writes itself; give the metric another name"});
    } else if (scores) {
      evaluation.scores = *std::move(scores);
    } else {
      evaluation.failed.push_back({"accuracy", scores.error().message});
    }
  }
  if (options.metrics.empty()) return evaluation;
  const auto fail = [&](const ScoredMetrics& group, const std::string& reason, bool names_key) {
    for (const std::string& name : group.metrics) {
      const std::string key(FindMetric(name)->key);
      evaluation.failed.push_back({key, (names_key ? key : "") + reason});
    }
  };
  auto prepared = Prepare(model, model_path, run, options);
  if (!prepared) {
    for (const std::string& name : options.metrics) {
      evaluation.failed.push_back({std::string(FindMetric(name)->key), prepared.error().message});
    }
    return evaluation;
  }
  const std::size_t rows = prepared->rows, count = prepared->samples->size();
  std::size_t non_finite_inputs = 0;
  const auto fail_all = [&](const Error& error) {
    for (ScoredMetrics& group : prepared->scorers) {
      if (!group.error) group.error = error;
    }
  };
  for (std::size_t i = 0; i < count; ++i) {
    const auto inputs = prepared->samples->Read(i);
    if (!inputs) {
      fail_all(inputs.error());
      break;
    }
    const auto outputs = model.Run(*inputs);
    if (!outputs) {
      fail_all(outputs.error());
      break;
    }
    std::optional<runtime::RunResult> other;
    // The baseline is compared with itself, so it does not run twice.
    if (baseline != nullptr && baseline != &model) {
      auto result = baseline->Run(*inputs);
      if (!result) {
        fail_all(result.error());
        break;
      }
      other = *std::move(result);
    }
    const runtime::RunResult* const compared = baseline == nullptr ? nullptr
                                               : other             ? &*other
                                                                   : &*outputs;
    bool has_non_finite = false;
    for (ScoredMetrics& group : prepared->scorers) {
      if (group.error) continue;
      std::size_t non_finite = CountNonFinite(OutputsFor(group, *outputs), rows);
      if (group.uses_baseline && other) {
        non_finite = std::max(non_finite, CountNonFinite(OutputsFor(group, *other), rows));
      }
      group.non_finite_count += non_finite;
      has_non_finite = has_non_finite || non_finite > 0;
      if (non_finite > 0) continue;
      const ScoredRun scored{*outputs, compared, i * rows, rows};
      if (auto added = group.scorer->Add(scored); !added) group.error = std::move(added).error();
    }
    if (has_non_finite) non_finite_inputs += CountNonFinite(*inputs, rows);
    if (progress && !progress(static_cast<double>(i + 1) / static_cast<double>(count))) {
      return interrupted();
    }
  }
  for (const ScoredMetrics& group : prepared->scorers) {
    if (group.error) {
      fail(group, group.error->message, false);
      continue;
    }
    if (group.non_finite_count > 0) {
      std::string reason = " is not a number: " + HumanCount(group.non_finite_count) + " of " +
                           HumanCount(count * rows) + " samples have NaN or infinity in the " +
                           (group.uses_baseline ? "outputs of the variant or of the baseline"
                                                : "outputs of the model");
      if (non_finite_inputs > 0) {
        reason += ", and " + HumanCount(non_finite_inputs) + " have it in the data already";
      }
      fail(group, reason, true);
      continue;
    }
    Metrics scores;
    group.scorer->Finish(scores);
    for (const auto& [key, score] : scores) {
      if (std::isfinite(score)) {
        evaluation.scores[key] = score;
        continue;
      }
      evaluation.failed.push_back({key, key + " is " +
                                            (std::isnan(score) ? "not a number" : "infinite") +
                                            ": the outputs or labels contain NaN, infinity or "
                                            "values that are too large"});
    }
  }
  return evaluation;
}

Result<Metrics> Evaluate(const runtime::Session& model, const runtime::Session* baseline,
                         const std::filesystem::path& model_path, const RunOptions& run,
                         const EvaluationOptions& options,
                         const std::function<bool(double done)>& progress) {
  CBOARD_ASSIGN_OR_RETURN(Evaluation evaluation,
                          EvaluateEach(model, baseline, model_path, run, options, progress));
  if (!evaluation.failed.empty()) {
    return Fail(ErrorCode::kInvalidArgument, evaluation.failed[0].reason);
  }
  return std::move(evaluation.scores);
}

}  // namespace cboard::benchmark
