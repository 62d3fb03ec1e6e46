// The parts of a compressed model that can be switched to the baseline's floats: weights with their
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
  Part part = Part::kOutput;         // kWeight, which has the bias with it, or kOutput.
  std::optional<std::size_t> layer;  // Position in the comparison; nothing for what has no row.
  std::string name;                  // Name of the layer, or of the node in the compressed model.
  // The tensor in the compressed model: the weights, or the input of the quantizer.
  model::TensorId tensor = model::kNoTensor;
  model::NodeId node =
      model::kNoNode;     // That computes the tensor, or takes the weights; kNoNode for inputs.
  std::size_t depth = 0;  // Position of the node in the compressed model's order of execution.

  // For outputs.
  std::optional<ClampRange> clamp;               // See OutputPlan.
  std::optional<tensor::QuantizationGrid> grid;  // Nothing where each run has a range of its own.
  model::NodeId dynamic = model::kNoNode;  // The DynamicQuantizeLinear that is then the quantizer.

  // For weights: a pair of layers, or a constant of the baseline.
  const PairedWeights* weights = nullptr;
  model::TensorId baseline_constant = model::kNoTensor;
};

// All parts in the order of execution; the weights of a layer come before its output. Borrows
// `layers`, which are those of the comparison, in its order. Includes parts in the bodies of If,
// Loop and Scan.
std::vector<SwitchedPart> FindSwitchedParts(const model::ModelGraph& baseline,
                                            const model::ModelGraph& variant,
                                            const std::vector<RestorableLayer>& layers,
                                            const ModelComparison& comparison);

// Groups of parts that are switched together, by position, in the order of execution: quantizers
// that round the same signal again behind nodes that only move values, and quantizers inside of one
// split operator (LayerNorm, Softmax, GELU). Undoing only one of them would change nothing.
std::vector<std::vector<std::size_t>> GroupParts(const model::ModelGraph& variant,
                                                 const std::vector<SwitchedPart>& parts);

}  // namespace cboard::compare
