// Compares one pair of layers and evaluates it: level, cause and fixes.
#pragma once

#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "compare/evaluate/evaluated_layers.h"
#include "compare/measure/channel_importance.h"
#include "compare/measure/model_runs.h"
#include "compare/measure/weight_comparison.h"
#include "compare/pairing/channel_budget.h"
#include "compare/pairing/paired_models.h"

namespace cboard::compare {

// Borrows the models and the options. Safe from many threads, for different layers.
class LayerEvaluator {
 public:
  LayerEvaluator(const PairedModels& models, const CompareOptions& options)
      : models_(models),
        options_(options),
        importance_(models.baseline, models.ours),
        have_channels_(PairsWithChannels(models)) {}

  // The pair at `position`. Takes what it needs out of `run`, which is null when nothing was run.
  // Fails when weights cannot be read.
  Result<EvaluatedLayer> EvaluatePair(std::size_t position, PairRun* run) const;

  // A layer without weights; nothing when its quantizer, or without one its output, could not be
  // looked at.
  Result<std::optional<EvaluatedLayer>> EvaluateTensor(TensorRun& run) const;

  // Constants that no layer has as weights or bias: gains of normalizations, slopes, what is added
  // to or multiplied by. They are compared as the weights of the layer in `layers` that is their
  // node, or of a layer of their own that is added. Fails when they cannot be read.
  Result<void> EvaluateConstants(std::vector<EvaluatedLayer>& layers) const;

 private:
  struct OutputDiagnosis {
    Diagnosis diagnosis = {.level = Level::kGreen};
    std::vector<Fix> fixes;  // Unless it is green.
  };

  EvaluatedLayer Describe(std::size_t position, const ModelLayer& before,
                          const ModelLayer& after) const;
  std::optional<PairedWeights> WeightsToRestore(std::size_t position,
                                                const WeightFindings& findings) const;
  Result<void> CompareBias(const ModelLayer& before, const ModelLayer& after,
                           const Folding& folding, LayerComparison& layer) const;
  // Returns fixes for the output, if it is damaged.
  Result<std::vector<Fix>> EvaluateOutput(const ModelLayer& after, model::TensorId output,
                                          const OutputFindings& findings,
                                          LayerComparison& layer) const;
  // Sets what is useful of the output, too.
  Result<OutputDiagnosis> DiagnoseOutput(model::TensorId tensor, int bits, double step,
                                         const OutputFindings& findings,
                                         LayerComparison& layer) const;
  Result<void> AddHistograms(const ModelLayer& before, const ModelLayer& after,
                             const Folding& folding, LayerComparison& layer) const;

  const PairedModels& models_;
  const CompareOptions& options_;
  ChannelImportance importance_;
  std::vector<bool> have_channels_;  // By pair.
};

}  // namespace cboard::compare
