// Lists the parts (weights and outputs of layers) of a compressed model that can be restored to the
// baseline's floats, selects the suspected ones, and creates the edits that restore them.
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

// The parts of a layer that can be restored.
struct RestorableLayer {
  std::optional<PairedWeights> weights;
  std::optional<OutputPlan> output;  // Set if the layer's output was compared.
  bool has_damaged_weights = false, has_damaged_output = false;
  // The baseline's values of the output on all samples; null without a quantizer.
  std::shared_ptr<const ValueBins> values = nullptr;
  bool has_one_scale = false;  // The weights have one scale for several channels.
};

// A part of a layer; `layer` is the layer's position in the comparison.
struct LayerPart {
  std::size_t layer = 0;
  Part part = Part::kWeight;  // kWeight or kOutput.
  friend bool operator==(const LayerPart&, const LayerPart&) = default;
};

// The parts of all layers. Borrows all arguments; `layers` must be in the order of the comparison's
// layers.
class RestorableParts {
 public:
  RestorableParts(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                  const std::vector<RestorableLayer>& layers, const ModelComparison& comparison)
      : baseline_(baseline), variant_(variant), layers_(layers), comparison_(comparison) {}

  // Returns all parts that can be restored, in the order of execution.
  std::vector<LayerPart> All() const;

  // Returns at most `most` parts: first the parts with a diagnosis, the worst first, then parts of
  // the layers with the largest loss of SQNR.
  std::vector<LayerPart> PartsToVerify(std::size_t most) const;

  // Returns the edits of the compressed model that restore parts. `parts` is used only for
  // Restored::kParts and kAllExceptParts. Fails if weights cannot be read.
  Result<runtime::GraphEdits> RestoringEdits(Restored restored,
                                             const std::vector<LayerPart>& parts) const;

 private:
  bool CanRestore(const LayerPart& part) const;
  // Adds the edits that restore a part; does nothing if the part cannot be restored.
  Result<void> Add(const LayerPart& part, Restoration& restoration) const;
  void Keep(const LayerPart& part, Restoration& restoration) const;

  const model::ModelGraph& baseline_;
  const model::ModelGraph& variant_;
  const std::vector<RestorableLayer>& layers_;
  const ModelComparison& comparison_;
};

}  // namespace cboard::compare
