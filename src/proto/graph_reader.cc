// Reads GraphDef; graph.cc writes it.
#include "cboard/proto/graph.h"
#include "proto/wire_reader.h"

namespace cboard::proto {
namespace {

// Reads a node. The caller passes the same `inputs` for all nodes, so that its memory is allocated
// once.
NodeView ReadNode(std::string_view bytes, std::vector<std::string_view>& inputs) {
  NodeView node;
  node.bytes = bytes;
  inputs.clear();
  pbf_reader fields(bytes.data(), bytes.size());
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        node.name = ViewOf(fields);
        break;
      case Length(2):
        node.op = ViewOf(fields);
        break;
      case Length(3):
        inputs.push_back(ViewOf(fields));
        break;
      case Length(4):
        node.device = ViewOf(fields);
        break;
      case Length(5):
        ++node.attribute_count;
        fields.skip();
        break;
      default:
        fields.skip();
    }
  }
  node.inputs = inputs;
  return node;
}

}  // namespace

Result<void> ForEachNode(std::string_view graph,
                         const std::function<void(const NodeView&)>& visit) {
  std::vector<std::string_view> inputs;
  return ReadMessageInto("GraphDef", graph, inputs, [&](pbf_reader fields, auto& scratch) {
    while (fields.next()) {
      switch (fields.tag_and_type()) {
        case Length(1):
          visit(ReadNode(ViewOf(fields), scratch));
          break;
        default:
          fields.skip();
      }
    }
  });
}

Result<void> ForEachAttribute(
    std::string_view node,
    const std::function<void(std::string_view key, std::string_view value)>& visit) {
  return ReadMessageInto("NodeDef", node, visit, [](pbf_reader fields, const auto& visitor) {
    while (fields.next()) {
      if (fields.tag_and_type() == Length(5)) {
        ReadMapEntry(fields.get_message(), visitor);
      } else {
        fields.skip();
      }
    }
  });
}

}  // namespace cboard::proto
