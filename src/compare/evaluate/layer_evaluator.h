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

  // Evaluates the pair at `position`. Moves data out of `run`, which is null if nothing was run.
  // Fails if weights cannot be read.
  Result<EvaluatedLayer> EvaluatePair(std::size_t position, PairRun* run) const;

  // Evaluates a layer without weights; nullopt if neither its quantizer nor its output was
  // captured.
  Result<std::optional<EvaluatedLayer>> EvaluateTensor(TensorRun& run) const;

  // Compares constants that are not weights or bias of a layer: gains of normalizations, slopes,
  // summands, factors. They become the weights of their node's layer in `layers`, or of a new
  // layer. Fails if they cannot be read.
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
  // Also sets the part of the output that the next layers use.
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
