// What the end of the network keeps when parts of the compressed model are restored: measured, by
// running it so.
#pragma once

#include <optional>
#include <vector>

#include "cboard/compression/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compression/model_comparison/output_comparison.h"
#include "compression/model_comparison/restoration.h"

namespace cboard::compare {

// What can be restored of a layer.
struct RestorableLayer {
  std::optional<PairedWeights> weights;
  std::optional<OutputPlan> output;  // Of all layers whose outputs were compared.
  bool has_hurt_weights = false, has_hurt_output = false;
};

// Sets `verified` and what goes with it in a comparison that is complete otherwise; `layers` are
// its layers, in its order. What ONNX Runtime has against a restored model is said in its place.
// Fails as OpenSamples and ModelCapture do for the models as they are.
Result<void> VerifyComparison(const ModelGraph& baseline, const ModelGraph& variant,
                              const std::vector<RestorableLayer>& layers,
                              const CompareOptions& options, ModelComparison& comparison);

}  // namespace cboard::compare
