// TensorFlow's GraphDef, the format in which TensorBoard stores every graph.
//
//   GraphBuilder graph;
//   graph.AddNode({.name = "conv1", .op = "Conv", .inputs = {"x"},
//                  .attributes = {{"strides", Attribute::IntList({1, 1})}}});
//   std::string bytes = graph.Encode();
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/proto/tensor.h"

namespace cboard::proto {

// An AttrValue, stored as serialized bytes, because it is built once and written once.
class Attribute {
 public:
  static Attribute String(std::string_view value);
  static Attribute Int(std::int64_t value);
  static Attribute Float(float value);
  static Attribute Bool(bool value);
  static Attribute Type(DataType value);
  // Returns an attribute with a type number that is not TensorFlow's: tensorboardX stores ONNX type
  // numbers as types.
  static Attribute TypeNumber(int value);
  static Attribute EncodedShape(const Shape& value);
  static Attribute EncodedTensor(std::string_view serialized_tensor);
  static Attribute StringList(const std::vector<std::string>& values);
  static Attribute IntList(const std::vector<std::int64_t>& values);
  static Attribute FloatList(const std::vector<float>& values);
  static Attribute BoolList(const std::vector<bool>& values);
  static Attribute TypeList(const std::vector<DataType>& values);
  static Attribute ShapeList(const std::vector<Shape>& values);
  static Attribute TensorList(const std::vector<std::string>& serialized_tensors);

  const std::string& bytes() const { return bytes_; }

 private:
  explicit Attribute(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string bytes_;
};

struct Node {
  std::string name;
  std::string op;
  std::vector<std::string> inputs;  // "name", "name:k", or "^name" for control.
  std::string device;
  std::vector<std::pair<std::string, Attribute>> attributes;  // Sorted by key when written.
};

class GraphBuilder {
 public:
  void AddNode(const Node& node);

  // Returns the serialized GraphDef of all nodes that were added. `producer` is written to
  // VersionDef.producer; tensorboardX writes 22.
  std::string Encode(int producer = 22) const;

  std::size_t node_count() const { return node_count_; }

 private:
  std::string nodes_;
  std::size_t node_count_ = 0;
};

// A node inside a serialized GraphDef; all views point into the graph's bytes.
struct NodeView {
  std::string_view name;
  std::string_view op;
  std::string_view device;
  std::span<const std::string_view> inputs;  // Valid during the visit only.
  std::size_t attribute_count = 0;
  std::string_view bytes;  // The NodeDef, for ForEachAttribute.
};

// Calls `visit` for each node of a GraphDef in order. If the GraphDef is damaged, visits the nodes
// before the damage and then fails with kDataLoss.
Result<void> ForEachNode(std::string_view graph, const std::function<void(const NodeView&)>& visit);

// Calls `visit` with each key and serialized AttrValue of a NodeDef, in file order.
Result<void> ForEachAttribute(
    std::string_view node,
    const std::function<void(std::string_view key, std::string_view value)>& visit);

}  // namespace cboard::proto
