// Metrics over the outputs of a model, one object for each family of metrics.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "cboard/base/result.h"
#include "cboard/compression/metrics.h"
#include "cboard/runtime/session.h"

namespace cboard::benchmark {

// The outputs of one run, which computes `row_count` samples, the first of them `first_row`.
struct ScoredRun {
  const runtime::RunResult& outputs;
  const runtime::RunResult* baseline;  // Null when there is none.
  std::size_t first_row = 0;
  std::size_t row_count = 1;
};

class Scorer {
 public:
  virtual ~Scorer() = default;
  // Fails with kInvalidArgument when outputs or labels do not fit the metric.
  virtual Result<void> Add(const ScoredRun& run) = 0;
  virtual void Finish(Metrics& scores) const = 0;
};

struct ScorerOptions {
  std::filesystem::path labels;
  std::string labels_array;
  std::filesystem::path vocabulary;
  std::size_t sample_count = 0;
  std::set<std::string> metrics;  // Those of the scorer's family that are wanted.
};

// top1, top5, f1_macro, f1_weighted
Result<std::unique_ptr<Scorer>> MakeClassificationScorer(const ScorerOptions& options);
// mse, cosine, agreement
Result<std::unique_ptr<Scorer>> MakeSimilarityScorer(const ScorerOptions& options);
// map50, map
Result<std::unique_ptr<Scorer>> MakeDetectionScorer(const ScorerOptions& options);
// wer, cer
Result<std::unique_ptr<Scorer>> MakeTextScorer(const ScorerOptions& options);
// perplexity
Result<std::unique_ptr<Scorer>> MakePerplexityScorer(const ScorerOptions& options);

}  // namespace cboard::benchmark
