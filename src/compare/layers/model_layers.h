// The layers of a graph: nodes with weights, what they are fused with, and where their outputs are
// quantized.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/model/model_graph.h"
#include "compare/layers/weight_layout.h"

namespace cboard::compare {

// Limits of an activation function that clips.
struct ClampRange {
  float low = 0;
  float high = 0;
};

// Where the values of a tensor are rounded: float -> QuantizeLinear -> codes -> DequantizeLinear.
struct QuantizedTensor {
  model::TensorId before =
      model::kNoTensor;  // Floats; kNoTensor when the operator computes codes itself.
  model::TensorId codes = model::kNoTensor;
  model::TensorId after = model::kNoTensor;  // Floats again; kNoTensor when only codes are used.
};

// A node that gives its input times one factor for each channel, plus an offset: normalization, or
// arithmetic with a constant.
struct AffineStep {
  model::NodeId node = model::kNoNode;
  model::TensorId output = model::kNoTensor;
};

// Weights and their computation, usually one node. A recurrent node has several weights, each of
// which is a layer.
struct ModelLayer {
  model::NodeId node =
      model::kNoNode;     // kNoNode: the file has weights only; then the layout is a guess.
  std::string_view part;  // See OperatorWeights.
  std::size_t depth = 0;
  model::TensorId weight = model::kNoTensor;  // kNoTensor: a layer without weights.
  // Input of the node in its own layout: `weight`, or the result of nodes that transpose it.
  model::TensorId operand = model::kNoTensor;
  model::TensorId bias = model::kNoTensor;
  std::optional<std::size_t> bias_half;  // See OperatorWeights.
  bool has_summed_bias = false;          // Both halves together, as the other file has them.
  bool is_table = false;                 // See OperatorWeights.
  WeightLayout layout;
  std::size_t paired_heads = 0;  // Rows are in pairs and to be split; attention_heads.h.
  // Size of weights and bias, with their scales if a node names these. The first of a node's layers
  // has the shared parts.
  std::uint64_t bytes = 0;
  // The output after the steps and the activation that follow and that no other node uses. The
  // first of a node's layers has it; the others have kNoTensor.
  model::TensorId output = model::kNoTensor;
  std::vector<AffineStep> steps;
  std::optional<ClampRange> clamp;             // Limits of that activation.
  bool has_added_bias = false;                 // The bias is an Add of its own, before the steps.
  model::TensorId product = model::kNoTensor;  // The output before all of these …
  model::TensorId sum = model::kNoTensor;      // … and before the steps alone.
  std::optional<QuantizedTensor> quantized;
};

// In the order of execution, those in the bodies of If, Loop and Scan among them. For files without
// nodes: all weights of two dimensions or more, in file order.
std::vector<ModelLayer> FindWeightLayers(const model::ModelGraph& model);

// Cuts the layer behind the first `count` of its steps.
void CutSteps(const model::ModelGraph& model, std::size_t count, ModelLayer& layer);

// The name of the node, with the weight behind a slash where a node has several: "lstm/W". Without
// a node, the name of the weight without ".weight".
std::string NameOf(const model::ModelGraph& model, const ModelLayer& layer);
std::string_view LayerOfWeight(std::string_view tensor);

// Returns true for layers inside of If, Loop or Scan: their outputs cannot be captured.
bool IsInBody(const model::ModelGraph& model, const ModelLayer& layer);

// The node's operator; "weights" without one.
std::string_view OperatorOf(const model::ModelGraph& model, const ModelLayer& layer);

struct WeightSize {
  std::size_t channels = 0;  // Output channels of all directions.
  std::size_t elements = 0;
  friend auto operator<=>(const WeightSize&, const WeightSize&) = default;
};
WeightSize SizeOf(const model::ModelGraph& model, const ModelLayer& layer);

// The range of a Relu or Clip.
std::optional<ClampRange> ClampOf(const model::ModelGraph& model, const model::ModelNode& node);

// The consumers of each tensor. Borrows the model.
class TensorUse {
 public:
  explicit TensorUse(const model::ModelGraph& model);

  // True for outputs of the graph.
  bool IsOutput(model::TensorId tensor) const { return is_output_[model::IndexOf(tensor)]; }

  // The only reader of `tensor`, or kNoNode; an output of the graph has another reader outside.
  model::NodeId OnlyConsumer(model::TensorId tensor) const;

 private:
  const model::ModelGraph& model_;
  std::vector<bool> is_output_;
};

// The quantizer that reads `tensor`, if there is one.
std::optional<QuantizedTensor> QuantizerOf(const model::ModelGraph& model, model::TensorId tensor);

// Removes suffixes that quantizers append: _quant, _quantized, _QuantizeLinear, …
std::string_view WithoutQuantizationSuffix(std::string_view name);

}  // namespace cboard::compare
