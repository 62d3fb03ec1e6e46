// Compares the weights of one layer before and after compression.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cboard/compare/model_comparison.h"
#include "compare/diagnosis/diagnosis.h"
#include "compare/layers/affine_steps.h"
#include "compare/layers/model_layers.h"
#include "compare/layers/weight_rows.h"

namespace cboard::compare {

struct WeightFindings {
  tensor::Comparison comparison;
  bool is_rescaled = false;
  // Factors by which the channels of the baseline are multiplied in addition to folding; may be
  // empty.
  std::vector<double> rescaling;
  int bits = 32;
  std::string precision = "fp32";  // See LayerComparison.
  std::optional<double> step;      // Set if all channels share a scale.
  // The following members are set only if the weights are not green.
  std::vector<float> channel_medians;
  PermutedCount permuted;
  PrunedWeights pruned;
  std::optional<ClippingResidual> clipping_residual;  // See Evidence.
  std::vector<Fix> fixes;                             // All quantizers that were tried, not ranked.

  Evidence ToEvidence() const {
    return {.part = Part::kWeight,
            .comparison = &comparison,
            .bits = bits,
            .step = step,
            .channel_medians = channel_medians,
            .permuted = permuted,
            .pruned = pruned,
            .clipping_residual = clipping_residual};
  }
};

struct WeightOptions {
  // If true, factors that differ between channels and were not folded are undone before the
  // comparison; see LayerComparison::is_rescaled.
  bool allow_rescaling = true;
  // If false, statistics are computed only for all channels together; see channel_budget.h.
  bool by_channel = true;
  Thresholds thresholds = {};
};

// Compares the weights of two layers after folding. Both layers must have the same number of
// channels and elements. If the weights are green, statistics for a diagnosis and fixes are not
// computed.
Result<WeightFindings> CompareWeights(const model::ModelGraph& baseline, const ModelLayer& before,
                                      const model::ModelGraph& variant, const ModelLayer& after,
                                      const Folding& folding, const WeightOptions& options);

// Returns all weights of a layer in file order, each multiplied by the factor of its channel, if
// there are factors.
Result<std::vector<float>> ReadScaled(const model::ModelGraph& model, const ModelLayer& layer,
                                      const std::vector<double>& factors);

// Returns the number of bits of the weight's codes, or of its stored elements if it is not
// quantized. `weight` must satisfy IsWeight.
int BitsOfWeight(const model::ModelGraph& model, model::TensorId weight);

// Standard deviation and root mean square error of each output channel. `errors` is empty if the
// output was not captured.
struct OutputSpread {
  std::vector<double> deviations;
  std::vector<double> errors;
};

// Returns the change of each channel's bias, including folded factors, in units of the output's
// standard deviation. Standard deviations far below the typical one are raised to a tenth of it. A
// change is limited to the measured error of the output, because an activation removes the rest of
// it, or it compensates other errors. nullopt if a model has no bias.
Result<std::optional<std::vector<double>>> BiasShifts(
    const model::ModelGraph& baseline, const ModelLayer& before, const model::ModelGraph& variant,
    const ModelLayer& after, const Folding& folding, const OutputSpread& output);

}  // namespace cboard::compare
