// Metrics over the outputs of a model, one class for each family of metrics.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "cboard/base/result.h"
#include "cboard/compression/metrics.h"
#include "cboard/runtime/session.h"

namespace cboard::benchmark {

// The outputs of one run. They belong to `row_count` samples, starting with sample `first_row`.
struct ScoredRun {
  const runtime::RunResult& outputs;
  const runtime::RunResult* baseline;  // Null without a baseline.
  std::size_t first_row = 0;
  std::size_t row_count = 1;
};

class Scorer {
 public:
  virtual ~Scorer() = default;
  // Adds the outputs of one run. Fails with kInvalidArgument if outputs or labels do not fit the
  // metric.
  virtual Result<void> Add(const ScoredRun& run) = 0;
  virtual void Finish(Metrics& scores) const = 0;
};

struct ScorerOptions {
  std::filesystem::path labels;
  std::string labels_array;
  std::filesystem::path vocabulary;
  std::size_t sample_count = 0;
  std::set<std::string> metrics;  // Requested metrics of this family.
};

// Returns a scorer for top1, top5, f1_macro and f1_weighted.
Result<std::unique_ptr<Scorer>> MakeClassificationScorer(const ScorerOptions& options);
// Returns a scorer for mse, cosine and agreement.
Result<std::unique_ptr<Scorer>> MakeSimilarityScorer(const ScorerOptions& options);
// Returns a scorer for map50 and map.
Result<std::unique_ptr<Scorer>> MakeDetectionScorer(const ScorerOptions& options);
// Returns a scorer for wer and cer.
Result<std::unique_ptr<Scorer>> MakeTextScorer(const ScorerOptions& options);
// Returns a scorer for perplexity.
Result<std::unique_ptr<Scorer>> MakePerplexityScorer(const ScorerOptions& options);

}  // namespace cboard::benchmark
