// Edits an ONNX model so that it computes some of its tensors in another way.
//
//   GraphEdits edits;
//   edits.constants.push_back(
//       {"conv1.weight_DequantizeLinear_Output", {8, 1, 3, 3}, fp32_weights});
//   edits.passed.push_back({.name = "relu1_DequantizeLinear_Output", .from = "relu1"});
//   CBOARD_ASSIGN_OR_RETURN(const std::string edited, EditGraph(file_bytes, edits));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::runtime {

// Identifies a subgraph of an If, Loop or Scan node, by one of the node's outputs and the attribute
// that contains the subgraph.
struct GraphBody {
  std::string output;
  std::string attribute;  // "then_branch", "body"

  friend auto operator<=>(const GraphBody&, const GraphBody&) = default;
};

// The graph that contains a tensor: the path of subgraphs to it, starting with the outermost one.
// An empty path means the main graph. Tensor names are those in the file; different subgraphs may
// contain tensors with the same name.
using GraphPlace = std::vector<GraphBody>;

// Replaces a tensor by a constant: float32, row-major.
struct ConstantTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
  GraphPlace in = {};
};

// Replaces a tensor by the values of another tensor, clipped to the given bounds. Both tensors are
// float32.
struct PassedTensor {
  std::string name;
  // A tensor that exists before `name` is computed: the output of an earlier node, an input, or an
  // initializer.
  std::string from;
  std::optional<float> low;
  std::optional<float> high;
  GraphPlace in = {};
};

// Replaces a tensor by the matrix product of another tensor and a constant. All three are float32.
struct ProductTensor {
  std::string name;
  std::string left;                 // As PassedTensor::from.
  std::vector<std::int64_t> shape;  // Shape of the constant.
  std::vector<float> values;        // Values of the constant, row-major.
  GraphPlace in = {};
};

// Replaces a node by another operator. The name, the outputs and the attributes of the node do not
// change.
struct ReplacedNode {
  std::string output;               // One output of the node, which identifies it.
  std::string op_type;              // Operator of the default ONNX domain.
  std::vector<std::string> inputs;  // Empty for an omitted optional input.
  GraphPlace in = {};
};

// A new node with one output.
struct NodeSketch {
  std::string op_type;              // Operator of the default ONNX domain.
  std::vector<std::string> inputs;  // Empty for an omitted optional input.
  std::string output;
  bool has_attributes = false;             // Copies the attributes of the replaced node.
  std::vector<std::string> left_out = {};  // Attributes that are not copied.
  std::string name = {};
  std::optional<std::int64_t> axis = std::nullopt;  // The attribute `axis`.
};

// Replaces the computation of a tensor by several nodes. If `own` is set, the original node remains
// and writes its result to `own`, which the new nodes may use. The other outputs of the original
// node remain too.
struct RecomputedTensor {
  std::string name;
  std::vector<NodeSketch> nodes;  // In the order of execution; the last one computes `name`.
  std::string own;                // Empty: the original node is removed.
  GraphPlace in = {};
};

// Removes the node or initializer of a tensor that no node uses any more.
struct RemovedTensor {
  std::string name;
  GraphPlace in = {};
};

// Adds an input to the model. Subgraphs can use it too, unless they contain a tensor with this
// name.
struct AddedInput {
  std::string name;
  int element_type = 0;  // ONNX's number: 1 is float32.
  std::vector<std::int64_t> shape;
  bool has_shape = true;  // If false, any shape is allowed.
};

struct GraphEdits {
  std::vector<ConstantTensor> constants = {};
  std::vector<PassedTensor> passed = {};
  std::vector<ProductTensor> products = {};
  std::vector<ReplacedNode> nodes = {};
  std::vector<RecomputedTensor> recomputed = {};
  std::vector<ConstantTensor> added = {};  // New constants that the nodes above use.
  std::vector<RemovedTensor> removed = {};
  std::vector<AddedInput> inputs = {};

  bool empty() const {
    return constants.empty() && passed.empty() && products.empty() && nodes.empty() &&
           recomputed.empty() && added.empty() && removed.empty() && inputs.empty();
  }
};

// Returns `model` with the nodes or initializers of the edited tensors replaced or removed. All
// other bytes remain unchanged and in the same order. Nodes whose outputs only a replaced node used
// are still computed.
//
// Fails with
//   kDataLoss or kInvalidArgument  if `model` is not an ONNX model;
//   kNotFound          if no graph or subgraph computes an edited tensor;
//   kInvalidArgument   if a tensor is edited twice, if its node has other outputs that the
//                      replacement does not have, if a shape does not match its values, or if an
//                      initializer is to be recomputed;
//   kResourceExhausted if the result exceeds protobuf's maximum size.
Result<std::string> EditGraph(std::string_view model, const GraphEdits& edits);

}  // namespace cboard::runtime
