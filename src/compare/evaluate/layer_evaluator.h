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

// Evaluates the layers of two models. Borrows the models and the options. Thread-safe for different
// layers.
class LayerEvaluator {
 public:
  LayerEvaluator(const PairedModels& models, const CompareOptions& options)
      : models_(models),
        options_(options),
        importance_(models.baseline, models.ours),
        have_channels_(PairsWithChannels(models)) {}

  // Evaluates the pair of layers at `position`. Moves data out of `run`, which is null if the
  // models were not run. Fails if weights cannot be read.
  Result<EvaluatedLayer> EvaluatePair(std::size_t position, PairRun* run) const;

  // Evaluates a layer without weights; nullopt if neither its quantizer nor its output was
  // captured.
  Result<std::optional<EvaluatedLayer>> EvaluateTensor(TensorRun& run) const;

  // Compares constants that are not weights or bias of a layer: gains of normalizations, slopes,
  // summands, factors. Each is added to `layers` as the weights of its node's layer, or of a new
  // layer. Fails if a constant cannot be read.
  Result<void> EvaluateConstants(std::vector<EvaluatedLayer>& layers) const;

 private:
  struct OutputDiagnosis {
    Diagnosis diagnosis = {.level = Level::kGreen};
    std::vector<Fix> fixes;  // Empty if the level is green.
  };

  EvaluatedLayer Describe(std::size_t position, const ModelLayer& before,
                          const ModelLayer& after) const;
  std::optional<PairedWeights> WeightsToRestore(std::size_t position,
                                                const WeightFindings& findings) const;
  Result<void> CompareBias(const ModelLayer& before, const ModelLayer& after,
                           const Folding& folding, LayerComparison& layer) const;
  // Diagnoses the output of a layer. Returns fixes if the output is damaged.
  Result<std::vector<Fix>> EvaluateOutput(const ModelLayer& after, model::TensorId output,
                                          const OutputFindings& findings,
                                          LayerComparison& layer) const;
  // Diagnoses an output, and sets its weighted SQNR (useful_output_db) in `layer`.
  Result<OutputDiagnosis> DiagnoseOutput(model::TensorId tensor, int bits, double step,
                                         const OutputFindings& findings,
                                         LayerComparison& layer) const;
  Result<void> AddHistograms(const ModelLayer& before, const ModelLayer& after,
                             const Folding& folding, LayerComparison& layer) const;

  const PairedModels& models_;
  const CompareOptions& options_;
  ChannelImportance importance_;
  std::vector<bool> have_channels_;  // For each pair: whether it has metrics by channel.
};

}  // namespace cboard::compare
