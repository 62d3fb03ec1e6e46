// The weights of one layer, before and after.
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
  std::vector<double> rescaling;  // Factors of the baseline's channels besides folding; or empty.
  int bits = 32;
  std::string precision = "fp32";      // See LayerComparison.
  std::optional<double> step;          // When all channels share a scale.
  std::vector<float> channel_medians;  // From here on: only where something is wrong.
  PermutedCount permuted;
  PrunedWeights pruned;
  std::optional<ClippingResidual> clipping_residual;  // See Evidence.
  std::vector<Fix> fixes;                             // All ways that were tried, not ranked.

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
  // Whether factors that differ from channel to channel, and were not folded, are to be undone; see
  // LayerComparison::is_rescaled.
  bool allow_rescaling = true;
  // Otherwise there is a total only, and nothing that takes channels is found; channel_budget.h.
  bool by_channel = true;
  Thresholds thresholds = {};
};

// Compares weights after folding. Both sides have the same number of channels and
// elements. Statistics for a diagnosis and fixes are skipped if the weights are
// green.
Result<WeightFindings> CompareWeights(const model::ModelGraph& baseline, const ModelLayer& before,
                                      const model::ModelGraph& variant, const ModelLayer& after,
                                      const Folding& folding, const WeightOptions& options);

// All weights of a layer as the file orders them, each times the factor of its channel; without
// factors, as they are.
Result<std::vector<float>> ReadScaled(const model::ModelGraph& model, const ModelLayer& layer,
                                      const std::vector<double>& factors);

// The width of its codes, or of its stored elements where it has none. `weight` is one that
// IsWeight.
int BitsOfWeight(const model::ModelGraph& model, model::TensorId weight);

// How much each channel of an output varies, and how far it is off; `errors` is empty when nobody
// has seen it.
struct OutputSpread {
  std::vector<double> deviations;
  std::vector<double> errors;
};

// Offsets between biases, with what was folded into them, by channel, in units of the deviations;
// those of channels that hardly vary count as a tenth of the usual one, since next to the others
// nobody sees them. An offset counts no more than the output is off: what an activation cuts off,
// or what makes up for other errors, does no harm. Nothing when either side has no bias.
Result<std::optional<std::vector<double>>> BiasShifts(
    const model::ModelGraph& baseline, const ModelLayer& before, const model::ModelGraph& variant,
    const ModelLayer& after, const Folding& folding, const OutputSpread& output);

}  // namespace cboard::compare
