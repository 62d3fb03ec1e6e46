// TensorFlow's GraphDef, the form in which TensorBoard stores every graph.
//
//   GraphBuilder graph;
//   graph.AddNode({.name = "conv1", .op = "Conv", .inputs = {"x"},
//                  .attributes = {{"strides", Attribute::IntList({1, 1})}}});
//   std::string bytes = graph.Encode();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/proto/tensor.h"

namespace cboard::proto {

// An AttrValue, kept as its serialized bytes: it is built once and written once.
class Attribute {
 public:
  static Attribute String(std::string_view value);
  static Attribute Int(std::int64_t value);
  static Attribute Float(float value);
  static Attribute Bool(bool value);
  static Attribute Type(DataType value);
  static Attribute TypeNumber(
      int value);  // A number of another numbering, as tensorboardX stores ONNX types.
  static Attribute OfShape(const Shape& value);
  static Attribute OfTensor(std::string_view serialized_tensor);
  static Attribute StringList(const std::vector<std::string>& values);
  static Attribute IntList(const std::vector<std::int64_t>& values);
  static Attribute FloatList(const std::vector<float>& values);
  static Attribute ShapeList(const std::vector<Shape>& values);

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
  std::vector<std::pair<std::string, Attribute>> attributes;  // Written sorted by key.
};

class GraphBuilder {
 public:
  void AddNode(const Node& node);

  // The GraphDef so far. `producer` is the VersionDef's; tensorboardX writes 22.
  std::string Encode(int producer = 22) const;

  std::size_t node_count() const { return node_count_; }

 private:
  std::string nodes_;
  std::size_t node_count_ = 0;
};

}  // namespace cboard::proto
