// The parts of a compressed model that can be restored to the baseline's floats, the suspected
// ones, and the edits that restore them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "cboard/runtime/graph_edits.h"
#include "compare/measure/output_comparison.h"
#include "compare/verify/restoration.h"

namespace cboard::compare {

// Parts of a layer that can be restored.
struct RestorableLayer {
  std::optional<PairedWeights> weights;
  std::optional<OutputPlan> output;  // Set if the layer's output was compared.
  bool has_damaged_weights = false, has_damaged_output = false;
  // The baseline's output on the samples; null if it was not compared with a quantizer.
  std::shared_ptr<const ValueBins> values = nullptr;
  bool has_one_scale = false;  // For all channels of the weights, of which there are several.
};

// A part by the position of its layer in the comparison.
struct LayerPart {
  std::size_t layer = 0;
  Part part = Part::kWeight;  // kWeight or kOutput.
  friend bool operator==(const LayerPart&, const LayerPart&) = default;
};

// Borrows everything; `layers` are those of the comparison, in its order.
class RestorableParts {
 public:
  RestorableParts(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                  const std::vector<RestorableLayer>& layers, const ModelComparison& comparison)
      : baseline_(baseline), variant_(variant), layers_(layers), comparison_(comparison) {}

  // In the order of execution.
  std::vector<LayerPart> All() const;

  // At most `most` parts that the diagnosis blames, the worst first; then parts of the layers in
  // which most is lost.
  std::vector<LayerPart> PartsToVerify(std::size_t most) const;

  // Edits of the compressed model; `parts` are those of Restored::kParts and kAllExceptParts. Fails
  // if weights cannot be read.
  Result<runtime::GraphEdits> RestoringEdits(Restored restored,
                                             const std::vector<LayerPart>& parts) const;

 private:
  bool CanRestore(const LayerPart& part) const;
  // Leaves out what cannot be restored.
  Result<void> Add(const LayerPart& part, Restoration& restoration) const;
  void Keep(const LayerPart& part, Restoration& restoration) const;

  const model::ModelGraph& baseline_;
  const model::ModelGraph& variant_;
  const std::vector<RestorableLayer>& layers_;
  const ModelComparison& comparison_;
};

}  // namespace cboard::compare
