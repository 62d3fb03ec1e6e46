// The parts of a compressed model that can be restored to the baseline's floats: weights with their
// bias, other constants, and quantizers of activations.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "cboard/tensor/compare.h"
#include "compare/verify/restorable_parts.h"

namespace cboard::compare {

struct SwitchedPart {
  Part part = Part::kOutput;         // kWeight (with its bias) or kOutput.
  std::optional<std::size_t> layer;  // Position in the comparison; nullopt without a layer.
  std::string name;                  // Name of the layer, or of the node in the compressed model.
  // The tensor in the compressed model: the weights, or the tensor that is quantized.
  model::TensorId tensor = model::kNoTensor;
  model::NodeId node =
      model::kNoNode;     // Node that computes the tensor or has the weights; kNoNode for inputs.
  std::size_t depth = 0;  // Position of the node in execution order.

  // The following three members are set only for outputs of layers.
  std::optional<ClampRange> clamp;               // See OutputPlan.
  std::optional<tensor::QuantizationGrid> grid;  // nullopt if each run has its own range.
  model::NodeId dynamic = model::kNoNode;        // The DynamicQuantizeLinear of such a range.

  // The following members are set only for weights: a pair of layers, or a constant of the
  // baseline.
  const PairedWeights* weights = nullptr;
  model::TensorId baseline_constant = model::kNoTensor;
};

// All parts in the order of execution; the weights of a layer come before its output. Borrows
// `layers`, which are the layers of the comparison in the same order. Includes parts in the bodies
// of If, Loop and Scan.
std::vector<SwitchedPart> FindSwitchedParts(const model::ModelGraph& baseline,
                                            const model::ModelGraph& variant,
                                            const std::vector<RestorableLayer>& layers,
                                            const ModelComparison& comparison);

// Returns groups of parts that must be restored together, as positions in `parts`, in the order of
// execution: quantizers that round the same values again behind nodes that only move values, and
// quantizers inside of one split operator (LayerNorm, Softmax, GELU). Restoring only one part of a
// group would change nothing.
std::vector<std::vector<std::size_t>> GroupParts(const model::ModelGraph& variant,
                                                 const std::vector<SwitchedPart>& parts);

}  // namespace cboard::compare
