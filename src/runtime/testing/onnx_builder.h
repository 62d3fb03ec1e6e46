// Small ONNX models for the tests of this module.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/wire_writer.h"

namespace cboard::testing {

// Builds an ONNX model. A size of -1 becomes a dynamic dimension named "n".
class OnnxBuilder {
 public:
  static constexpr int kFloat = 1, kUint8 = 2, kInt8 = 3, kInt16 = 5, kInt32 = 6, kInt64 = 7,
                       kString = 8, kBool = 9, kFloat16 = 10;

  OnnxBuilder& Input(std::string_view name, std::vector<std::int64_t> shape, int type = kFloat) {
    return Value(11, name, shape, type);
  }
  OnnxBuilder& Output(std::string_view name, std::vector<std::int64_t> shape, int type = kFloat) {
    return Value(12, name, shape, type);
  }

  OnnxBuilder& Node(std::string_view type, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs, std::string_view attribute = {},
                    std::string_view name = {}) {
    return NodeWith(type, inputs, outputs, {std::string(attribute)}, name);
  }

  // Adds a node with several attributes.
  OnnxBuilder& NodeWith(std::string_view type, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs,
                        const std::vector<std::string>& attributes, std::string_view name = {}) {
    Field(1, [&](auto& node) {
      for (const std::string& input : inputs) node.PresentText(1, input);
      for (const std::string& output : outputs) node.PresentText(2, output);
      node.Text(3, name);
      node.Text(4, type);
      for (const std::string& attribute : attributes) node.Bytes(5, attribute);
    });
    return *this;
  }

  OnnxBuilder& Weight(std::string_view name, std::vector<std::int64_t> shape,
                      const std::vector<float>& values) {
    return Constant(name, shape, kFloat, values);
  }

  // Adds a constant of any type; T is the C++ type of its elements.
  template <typename T>
  OnnxBuilder& Constant(std::string_view name, const std::vector<std::int64_t>& shape, int type,
                        const std::vector<T>& values) {
    Field(5, [&](auto& tensor) {
      for (const std::int64_t size : shape) tensor.PresentInt(1, size);
      tensor.Int(2, type);
      tensor.Text(8, name);
      tensor.PresentBytes(
          9, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
    });
    return *this;
  }

  // Adds a weight whose elements are in the file `location`.
  OnnxBuilder& ExternalWeight(std::string_view name, std::vector<std::int64_t> shape,
                              std::string_view location) {
    Field(5, [&](auto& tensor) {
      for (const std::int64_t size : shape) tensor.PresentInt(1, size);
      tensor.Int(2, kFloat);
      tensor.Text(8, name);
      tensor.Message(13, [&](auto& entry) {
        entry.Text(1, "location");
        entry.Text(2, location);
      });
      tensor.Int(14, 1);
    });
    return *this;
  }

  std::string Bytes() const {
    return proto::EncodeMessage([&](auto& model) {
      model.Int(1, 8);  // IR version.
      model.Message(7, [&](auto& graph) { WriteGraph(graph); });
      model.Message(8, [](auto& opset) { opset.Int(2, 13); });
    });
  }

  // An integer attribute, for Node.
  static std::string IntAttribute(std::string_view name, std::int64_t value) {
    return proto::EncodeMessage([&](auto& attribute) {
      attribute.Text(1, name);
      attribute.PresentInt(3, value);
      attribute.Int(20, 2);
    });
  }
  static std::string IntsAttribute(std::string_view name, const std::vector<std::int64_t>& values) {
    return proto::EncodeMessage([&](auto& attribute) {
      attribute.Text(1, name);
      for (const std::int64_t value : values) attribute.PresentInt(8, value);
      attribute.Int(20, 7);
    });
  }

  // A subgraph attribute of If, Loop or Scan.
  static std::string GraphAttribute(std::string_view name, const OnnxBuilder& body) {
    return proto::EncodeMessage([&](auto& attribute) {
      attribute.Text(1, name);
      attribute.Message(6, [&](auto& graph) { body.WriteGraph(graph); });
      attribute.Int(20, 5);
    });
  }

  // The model x [n, 2] -> MatMul by [[1, 2], [3, 4]] -> "hidden" -> Relu -> "y".
  static OnnxBuilder TwoLayers() {
    OnnxBuilder builder;
    builder.Input("x", {-1, 2})
        .Weight("w", {2, 2}, {1, 2, 3, 4})
        .Node("MatMul", {"x", "w"}, {"hidden"})
        .Node("Relu", {"hidden"}, {"y"})
        .Output("y", {-1, 2});
    return builder;
  }

 private:
  template <typename Writer>
  void WriteGraph(Writer& graph) const {
    graph.Text(2, "graph");
    for (const auto& [number, bytes] : fields_) graph.PresentBytes(number, bytes);
  }

  template <typename Describe>
  void Field(int number, const Describe& describe) {
    fields_.emplace_back(number, proto::EncodeMessage(describe));
  }

  OnnxBuilder& Value(int number, std::string_view name, const std::vector<std::int64_t>& shape,
                     int type) {
    Field(number, [&](auto& value) {
      value.Text(1, name);
      value.Message(2, [&](auto& any_type) {
        any_type.Message(1, [&](auto& tensor) {
          tensor.Int(1, type);
          tensor.Message(2, [&](auto& sizes) {
            for (const std::int64_t size : shape) {
              sizes.Message(1, [&](auto& dimension) {
                if (size >= 0) {
                  dimension.PresentInt(1, size);
                } else {
                  dimension.Text(2, "n");
                }
              });
            }
          });
        });
      });
    });
    return *this;
  }

  std::vector<std::pair<int, std::string>> fields_;
};

}  // namespace cboard::testing
