// Makes an ONNX model compute some of its tensors in another way.
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

// A body of an If, Loop or Scan: the node by one of its outputs, and which attribute the body is.
struct GraphBody {
  std::string output;
  std::string attribute;  // "then_branch", "body"

  friend auto operator<=>(const GraphBody&, const GraphBody&) = default;
};

// Where a tensor is: the bodies around it, from the outermost; none in the main graph. Names are
// those that the file has, which bodies may use again.
using GraphPlace = std::vector<GraphBody>;

// A tensor that becomes a constant: float32, row-major.
struct ConstantTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
  GraphPlace in = {};
};

// A tensor that becomes another one, float32 like itself, cut off at the bounds that are given.
struct PassedTensor {
  std::string name;
  std::string from;  // Known where `name` was computed: a node before, an input, an initializer.
  std::optional<float> low;
  std::optional<float> high;
  GraphPlace in = {};
};

// A tensor that becomes the matrix product of another one and a constant, all of float32.
struct ProductTensor {
  std::string name;
  std::string left;                 // As PassedTensor::from.
  std::vector<std::int64_t> shape;  // Shape of the constant …
  std::vector<float> values;        // … row-major.
  GraphPlace in = {};
};

// A node that becomes another one, with the same name, outputs and attributes.
struct ReplacedNode {
  std::string output;               // One of them, by which it is found.
  std::string op_type;              // Operator of the default ONNX domain.
  std::vector<std::string> inputs;  // Empty where an optional one is left out.
  GraphPlace in = {};
};

// A node as an edit describes it: with one output.
struct NodeSketch {
  std::string op_type;              // Operator of the default ONNX domain.
  std::vector<std::string> inputs;  // Empty where an optional one is left out.
  std::string output;
  bool has_attributes = false;  // Those of the node whose tensor is computed in another way …
  std::vector<std::string> left_out = {};  // … without these.
  std::string name = {};
  std::optional<std::int64_t> axis = std::nullopt;  // The attribute `axis`.
};

// A tensor that several nodes compute. With `own`, the node that gave it stays and gives `own`
// instead, which the others may use. Its other outputs stay, too.
struct RecomputedTensor {
  std::string name;
  std::vector<NodeSketch> nodes;  // In the order of execution; the last one gives `name`.
  std::string own;                // Empty: the node goes.
  GraphPlace in = {};
};

// A tensor that nothing gives any more: its node or initializer goes.
struct RemovedTensor {
  std::string name;
  GraphPlace in = {};
};

// An input that the model gets besides its own. Bodies know it, too, unless they have a tensor of
// this name.
struct AddedInput {
  std::string name;
  int element_type = 0;  // ONNX's number: 1 is float32.
  std::vector<std::int64_t> shape;
  bool has_shape = true;  // Without one, any is taken.
};

struct GraphEdits {
  std::vector<ConstantTensor> constants = {};
  std::vector<PassedTensor> passed = {};
  std::vector<ProductTensor> products = {};
  std::vector<ReplacedNode> nodes = {};
  std::vector<RecomputedTensor> recomputed = {};
  std::vector<ConstantTensor> added = {};  // That the model does not have: inputs of nodes above.
  std::vector<RemovedTensor> removed = {};
  std::vector<AddedInput> inputs = {};

  bool empty() const {
    return constants.empty() && passed.empty() && products.empty() && nodes.empty() &&
           recomputed.empty() && added.empty() && removed.empty() && inputs.empty();
  }
};

// `model` with the node or initializer that gave each of these tensors replaced or gone; all else
// stays, byte for byte and in its order. Nodes that only fed a replaced node are still computed.
//
//
// Fails with kDataLoss or kInvalidArgument when `model` is not an ONNX model, with kNotFound when
// nothing in its graph or the body gives a tensor, with kInvalidArgument when a tensor is named
// twice, its node gives others besides and is not to be one with the same outputs, a shape does not
// fit its values, or an initializer is to be computed, and with kResourceExhausted when the result
// would be more than protobuf can carry.
Result<std::string> EditGraph(std::string_view model, const GraphEdits& edits);

}  // namespace cboard::runtime
