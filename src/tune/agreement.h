// Measures the agreement of a quantized model with the float model, for evaluations without labels.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/benchmark/variant.h"
#include "cboard/compression/metrics.h"
#include "cboard/model/model_graph.h"
#include "cboard/runtime/capture.h"

namespace cboard::tune {

struct Agreement {
  double agreement = 1;
  double end_sqnr_db = 200;  // Lowest SQNR of a head.
  std::size_t samples = 0;
  bool is_partial = false;  // The goal is certainly missed, so the remaining samples did not run.
};

// Measures the agreement of several models with the same float model, which stays loaded.
class AgreementEvaluator {
 public:
  // Opens the float model and the samples. Fails if ModelCapture or OpenRunSamples fail.
  static Result<std::unique_ptr<AgreementEvaluator>> Open(const std::filesystem::path& baseline,
                                                          const benchmark::RunOptions& run,
                                                          std::size_t max_samples);

  // Returns the lowest agreement over all heads (model outputs). For decisions (largest class,
  // score above a threshold), it is the share of equal decisions. For heads with other values, with
  // few decisions, or with almost always the same class, it is 1 minus the ratio of noise power to
  // signal power. For classes, the lower of two shares counts: the share of equal classes, and the
  // share that is expected if the errors of all samples are combined with the margins of all
  // samples. The second share includes errors that changed no class by chance.
  //
  // With a `limit`, the evaluation ends as soon as the agreement is below `limit` with 99.9 %
  // confidence.
  Result<Agreement> Evaluate(const std::filesystem::path& model, std::optional<double> limit,
                             const std::function<bool()>& stop_requested) const;

  std::size_t sample_count() const { return samples_->size(); }

 private:
  AgreementEvaluator(std::filesystem::path path, model::ModelGraph graph,
                     std::unique_ptr<runtime::SampleSource> samples)
      : path_(std::move(path)), graph_(std::move(graph)), samples_(std::move(samples)) {}

  std::filesystem::path path_;
  model::ModelGraph graph_;
  std::unique_ptr<runtime::SampleSource> samples_;
};

}  // namespace cboard::tune
