// Encodes the nodes and constants that edits add to a graph, as fields of the graph's message.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/runtime/graph_edits.h"
#include "proto/wire_writer.h"
#include "runtime/onnx_fields.h"

namespace cboard::runtime {

inline constexpr int kFloatType = 1;  // FLOAT in TensorProto.DataType.

template <typename Fields>
void WriteInitializer(Fields& graph, std::string_view name, const std::vector<std::int64_t>& shape,
                      std::string_view elements) {
  graph.Message(kGraphInitializer, [&](auto& tensor) {
    for (const std::int64_t size : shape) tensor.PresentInt(kTensorDims, size);
    tensor.Int(kTensorType, kFloatType);
    tensor.PresentBytes(kTensorName, name);
    tensor.PresentBytes(kTensorRawData, elements);
  });
}

template <typename Fields>
void WriteNode(Fields& graph, std::string_view op_type, std::initializer_list<std::string> inputs,
               std::string_view output) {
  graph.Message(kGraphNode, [&](auto& node) {
    for (const std::string& input : inputs) node.PresentBytes(kNodeInput, input);
    node.PresentBytes(kNodeOutput, output);
    node.Bytes(kNodeOperator, op_type);
  });
}

template <typename Fields>
void WriteInput(Fields& graph, const AddedInput& input) {
  graph.Message(kGraphInput, [&](auto& value) {
    value.PresentBytes(kValueInfoName, input.name);
    value.Message(kValueInfoType, [&](auto& type) {
      type.Message(kTypeTensor, [&](auto& tensor) {
        tensor.Int(kTensorTypeElement, input.element_type);
        if (!input.has_shape) return;
        tensor.Message(kTensorTypeShape, [&](auto& shape) {
          for (const std::int64_t size : input.shape) {
            shape.Message(kShapeSize, [&](auto& one) { one.PresentInt(kSizeNumber, size); });
          }
        });
      });
    });
  });
}

inline std::string_view BytesOf(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// Writes the nodes and constants that copy a tensor to another one and apply bounds. Uses Min and
// Max, because the form of Clip depends on the opset.
template <typename Fields>
void WritePassed(Fields& graph, const PassedTensor& passed) {
  std::string from = passed.from;
  if (!passed.low && !passed.high) WriteNode(graph, "Identity", {from}, passed.name);
  if (passed.low) {
    const std::string low = passed.name + "__low";
    const std::string raised = passed.high ? passed.name + "__raised" : passed.name;
    WriteNode(graph, "Max", {from, low}, raised);
    WriteInitializer(graph, low, {}, BytesOf({&*passed.low, 1}));
    from = raised;
  }
  if (passed.high) {
    const std::string high = passed.name + "__high";
    WriteNode(graph, "Min", {from, high}, passed.name);
    WriteInitializer(graph, high, {}, BytesOf({&*passed.high, 1}));
  }
}

// Returns the name of the constant operand of a product.
inline std::string RightOf(const ProductTensor& product) { return product.name + "__right"; }

}  // namespace cboard::runtime
