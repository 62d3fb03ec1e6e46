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

// The range to which an activation function clips values.
struct ClampRange {
  float low = 0;
  float high = 0;
};

// The tensors around a quantizer: float -> QuantizeLinear -> codes -> DequantizeLinear -> float.
struct QuantizedTensor {
  // Input of QuantizeLinear; kNoTensor if an operator computes codes directly.
  model::TensorId before = model::kNoTensor;
  model::TensorId codes = model::kNoTensor;
  // The dequantized floats; kNoTensor if only the integer codes are used.
  model::TensorId after = model::kNoTensor;
};

// A step: a node behind a layer that multiplies its input by a factor per channel and adds an
// offset per channel. It is a normalization, or arithmetic with a constant.
struct AffineStep {
  model::NodeId node = model::kNoNode;
  model::TensorId output = model::kNoTensor;
};

// A layer: the weights of a node. A recurrent node has several weights, each of which is a layer.
struct ModelLayer {
  model::NodeId node =
      model::kNoNode;     // kNoNode if the file has only weights; the layout is then a guess.
  std::string_view part;  // See OperatorWeights.
  std::size_t depth = 0;
  model::TensorId weight = model::kNoTensor;  // kNoTensor for a layer without weights.
  // The node's input in the operator's own layout: `weight`, or the result of nodes that transpose
  // it.
  model::TensorId operand = model::kNoTensor;
  model::TensorId bias = model::kNoTensor;
  std::optional<std::size_t> bias_half;  // See OperatorWeights.
  // True if the bias of a recurrent node is the sum of its two halves (for the input and for the
  // state), because the other file stores only the sum.
  bool has_summed_bias = false;
  bool is_table = false;  // See OperatorWeights.
  WeightLayout layout;
  std::size_t paired_heads = 0;  // If not 0, rows must be reordered; see attention_heads.h.
  // Stored size of weights and bias, with the scales if the node has them as inputs. If several
  // layers share a node, the first one includes the shared tensors.
  std::uint64_t bytes = 0;
  // The output of the layer behind its bias, steps and activation, if no other node reads a tensor
  // in between. If several layers share a node, only the first one has an output.
  model::TensorId output = model::kNoTensor;
  std::vector<AffineStep> steps;
  std::optional<ClampRange> clamp;  // Range of the activation.
  bool has_added_bias = false;      // The bias is a separate Add before the steps.
  // The output of the node itself, before added bias, steps and activation.
  model::TensorId product = model::kNoTensor;
  model::TensorId sum = model::kNoTensor;  // The output behind the bias, before the steps.
  std::optional<QuantizedTensor> quantized;
};

// Returns the layers in the order of execution, including layers in the bodies (subgraphs) of If,
// Loop and Scan. For files without nodes, returns all weights with at least two dimensions, in the
// order of the file.
std::vector<ModelLayer> FindWeightLayers(const model::ModelGraph& model);

// Shortens the layer: removes all steps after the first `count` steps, and sets the output of the
// layer to the output of the last remaining step.
void CutSteps(const model::ModelGraph& model, std::size_t count, ModelLayer& layer);

// Returns the name of the node. If the node has several weights, the name of the weights follows:
// "lstm/W". Without a node, returns the name of the weights without ".weight".
std::string NameOf(const model::ModelGraph& model, const ModelLayer& layer);
std::string_view LayerOfWeight(std::string_view tensor);

// Returns true for layers in the body of an If, Loop or Scan: their outputs cannot be captured.
bool IsInBody(const model::ModelGraph& model, const ModelLayer& layer);

// Returns the operator of the layer's node, or "weights" if the file has no nodes.
std::string_view OperatorOf(const model::ModelGraph& model, const ModelLayer& layer);

struct WeightSize {
  std::size_t channels = 0;  // Number of output channels of all directions.
  std::size_t elements = 0;
  friend auto operator<=>(const WeightSize&, const WeightSize&) = default;
};
WeightSize SizeOf(const model::ModelGraph& model, const ModelLayer& layer);

// Returns the range of a Relu or Clip node; nullopt for other nodes.
std::optional<ClampRange> ClampOf(const model::ModelGraph& model, const model::ModelNode& node);

// Tells which nodes read a tensor. Borrows the model.
class TensorUse {
 public:
  explicit TensorUse(const model::ModelGraph& model);

  // Returns true for outputs of the graph.
  bool IsOutput(model::TensorId tensor) const { return is_output_[model::IndexOf(tensor)]; }

  // Returns the only node that reads `tensor`; kNoNode if there are several, or if `tensor` is also
  // an output of the graph.
  model::NodeId OnlyConsumer(model::TensorId tensor) const;

 private:
  const model::ModelGraph& model_;
  std::vector<bool> is_output_;
};

// Returns the quantizer that reads `tensor`; nullopt if there is none.
std::optional<QuantizedTensor> QuantizerOf(const model::ModelGraph& model, model::TensorId tensor);

// Removes suffixes that quantizers append to names: _quant, _quantized, _QuantizeLinear, …
std::string_view WithoutQuantizationSuffix(std::string_view name);

}  // namespace cboard::compare
