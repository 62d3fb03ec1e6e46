// Agreement of a model with the float model, for evaluations without labels.
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
  double end_sqnr_db = 200;  // The smallest SQNR of a head.
  std::size_t samples = 0;
  bool is_partial = false;  // It is certain that the goal is missed; the other samples did not run.
};

// Keeps the float model loaded between evaluations.
class AgreementEvaluator {
 public:
  // Fails as ModelCapture and OpenRunSamples do.
  static Result<std::unique_ptr<AgreementEvaluator>> Open(const std::filesystem::path& baseline,
                                                          const benchmark::RunOptions& run,
                                                          std::size_t max_samples);

  // `agreement` is the smallest over the heads of the model: the share of equal decisions (largest
  // class, scores above a threshold), and 1 minus the ratio of noise and signal power where a head
  // gives values, few decisions, or almost always the same class. Classes count in two ways, and
  // the smaller share is taken: equal classes in all samples, and the share that is expected if the
  // error of any sample met the margin of any other one. The second one sees errors that changed no
  // class by luck.
  //
  // With a `limit`, it ends as soon as an agreement of `limit` is out of reach with 99.9 %
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
