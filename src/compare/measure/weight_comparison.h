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
  // Undo factors that differ by channel and were not folded; see LayerComparison::is_rescaled.
  bool allow_rescaling = true;
  // If false, only totals are computed; see channel_budget.h.
  bool by_channel = true;
  Thresholds thresholds = {};
};

// Compares weights after folding. Both sides have the same number of channels and
// elements. Statistics for a diagnosis and fixes are skipped if the weights are
// green.
Result<WeightFindings> CompareWeights(const model::ModelGraph& baseline, const ModelLayer& before,
                                      const model::ModelGraph& variant, const ModelLayer& after,
                                      const Folding& folding, const WeightOptions& options);

// All weights of a layer in file order, each times the factor of its channel, if there are factors.
Result<std::vector<float>> ReadScaled(const model::ModelGraph& model, const ModelLayer& layer,
                                      const std::vector<double>& factors);

// Bits of its codes, or of its stored elements if it has none. `weight` must satisfy IsWeight.
int BitsOfWeight(const model::ModelGraph& model, model::TensorId weight);

// Standard deviation and error of each channel of an output; `errors` is empty if the output was
// not captured.
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
