// The parts of a compressed model that can be put back to the baseline's floats: which there are,
// which are suspected, and the edits that do it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compression/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "cboard/runtime/graph_edits.h"
#include "compression/model_comparison/output_comparison.h"
#include "compression/model_comparison/restoration.h"

namespace cboard::compare {

// What can be restored of a layer.
struct RestorableLayer {
  std::optional<PairedWeights> weights;
  std::optional<OutputPlan> output;  // Of all layers whose outputs were compared.
  bool has_hurt_weights = false, has_hurt_output = false;
};

// A part by the position of its layer in the comparison.
struct PartAt {
  std::size_t layer = 0;
  Part part = Part::kWeight;  // kWeight or kOutput.
  friend bool operator==(const PartAt&, const PartAt&) = default;
};

// Borrows all; `layers` are those of the comparison, in its order.
class RestorableParts {
 public:
  RestorableParts(const ModelGraph& baseline, const ModelGraph& variant,
                  const std::vector<RestorableLayer>& layers, const ModelComparison& comparison)
      : baseline_(baseline), variant_(variant), layers_(layers), comparison_(comparison) {}

  // In the order of execution.
  std::vector<PartAt> All() const;

  // Those that the diagnosis blames, `most` of them, the worst first; then those of the layers in
  // which most is lost.
  std::vector<PartAt> Suspects(std::size_t most) const;

  // What to edit of the compressed model; `parts` are those of Restored::kParts and kAllButParts.
  // Fails when weights cannot be read.
  Result<GraphEdits> EditsFor(Restored restored, const std::vector<PartAt>& parts) const;

 private:
  bool CanRestore(const PartAt& part) const;
  // Leaves out what cannot be restored.
  Result<void> Add(const PartAt& part, Restoration& restoration) const;
  void Keep(const PartAt& part, Restoration& restoration) const;

  const ModelGraph& baseline_;
  const ModelGraph& variant_;
  const std::vector<RestorableLayer>& layers_;
  const ModelComparison& comparison_;
};

}  // namespace cboard::compare
