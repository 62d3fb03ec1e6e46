// Writes GraphDef; graph_reader.cc reads it.
#include "cboard/proto/graph.h"

#include <algorithm>

#include "proto/shape.h"
#include "proto/wire_writer.h"

namespace cboard::proto {
namespace {

// Encodes an AttrValue that is a list; `describe` writes the elements of the list.
template <typename Describe>
std::string EncodeList(const Describe& describe) {
  return EncodeMessage([&](auto& fields) { fields.Message(1, describe); });
}

const std::string& KeyOf(const std::pair<std::string, Attribute>* attribute) {
  return attribute->first;
}

}  // namespace

Attribute Attribute::String(std::string_view value) {
  return Attribute(EncodeMessage([&](auto& fields) { fields.PresentBytes(2, value); }));
}

Attribute Attribute::Int(std::int64_t value) {
  return Attribute(EncodeMessage([&](auto& fields) { fields.PresentInt(3, value); }));
}

Attribute Attribute::Float(float value) {
  return Attribute(EncodeMessage([&](auto& fields) { fields.PresentFloat(4, value); }));
}

Attribute Attribute::Bool(bool value) {
  return Attribute(EncodeMessage([&](auto& fields) { fields.PresentInt(5, value ? 1 : 0); }));
}

Attribute Attribute::Type(DataType value) { return TypeNumber(static_cast<int>(value)); }

Attribute Attribute::TypeNumber(int value) {
  return Attribute(EncodeMessage([&](auto& fields) { fields.PresentInt(6, value); }));
}

Attribute Attribute::EncodedShape(const Shape& value) {
  return Attribute(EncodeMessage(
      [&](auto& fields) { fields.Message(7, [&](auto& shape) { DescribeShape(shape, value); }); }));
}

Attribute Attribute::EncodedTensor(std::string_view serialized_tensor) {
  return Attribute(EncodeMessage([&](auto& fields) { fields.PresentBytes(8, serialized_tensor); }));
}

Attribute Attribute::StringList(const std::vector<std::string>& values) {
  return Attribute(EncodeList([&](auto& list) {
    for (const std::string& value : values) list.PresentBytes(2, value);
  }));
}

Attribute Attribute::IntList(const std::vector<std::int64_t>& values) {
  return Attribute(
      EncodeList([&](auto& list) { list.PackedInts(3, std::span<const std::int64_t>(values)); }));
}

Attribute Attribute::FloatList(const std::vector<float>& values) {
  return Attribute(EncodeList([&](auto& list) { list.PackedFloats(4, values); }));
}

Attribute Attribute::BoolList(const std::vector<bool>& values) {
  const std::vector<std::int64_t> numbers(values.begin(), values.end());
  return Attribute(
      EncodeList([&](auto& list) { list.PackedInts(5, std::span<const std::int64_t>(numbers)); }));
}

Attribute Attribute::TypeList(const std::vector<DataType>& values) {
  return Attribute(
      EncodeList([&](auto& list) { list.PackedInts(6, std::span<const DataType>(values)); }));
}

Attribute Attribute::ShapeList(const std::vector<Shape>& values) {
  return Attribute(EncodeList([&](auto& list) {
    for (const Shape& value : values) {
      list.Message(7, [&](auto& shape) { DescribeShape(shape, value); });
    }
  }));
}

Attribute Attribute::TensorList(const std::vector<std::string>& serialized_tensors) {
  return Attribute(EncodeList([&](auto& list) {
    for (const std::string& tensor : serialized_tensors) list.PresentBytes(8, tensor);
  }));
}

void GraphBuilder::AddNode(const Node& node) {
  std::vector<const std::pair<std::string, Attribute>*> sorted;
  sorted.reserve(node.attributes.size());
  for (const auto& attribute : node.attributes) sorted.push_back(&attribute);
  // A stable sort keeps attributes with the same key in order. Only the last of them is written.
  std::ranges::stable_sort(sorted, {}, KeyOf);

  AppendMessage(nodes_, [&](auto& graph) {
    graph.Message(1, [&](auto& fields) {
      fields.Text(1, node.name);
      fields.Text(2, node.op);
      for (const std::string& input : node.inputs) fields.PresentText(3, input);
      fields.Text(4, node.device);
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i + 1 < sorted.size() && KeyOf(sorted[i]) == KeyOf(sorted[i + 1])) continue;
        fields.Message(5, [&](auto& entry) {
          entry.PresentText(1, KeyOf(sorted[i]));
          entry.PresentBytes(2, sorted[i]->second.bytes());
        });
      }
    });
  });
  ++node_count_;
}

std::string GraphBuilder::Encode(int producer) const {
  std::string graph;
  graph.reserve(nodes_.size() + 16);
  graph = nodes_;
  AppendMessage(graph, [&](auto& fields) {
    fields.Message(4, [&](auto& versions) { versions.Int(1, producer); });
  });
  return graph;
}

}  // namespace cboard::proto
