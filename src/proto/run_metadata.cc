#include "cboard/proto/run_metadata.h"

#include "proto/shape.h"
#include "proto/wire_reader.h"
#include "proto/wire_writer.h"

namespace cboard::proto {
namespace {

template <typename Fields>
void DescribeOutput(Fields& fields, std::int64_t slot, std::span<const std::int64_t> shape) {
  fields.Int(1, slot);
  fields.Message(3, [&](auto& description) {
    description.Message(2, [&](auto& nested) { DescribeShape(nested, shape); });
  });
}

template <typename Fields>
void DescribeNode(Fields& fields, const NodeStats& node) {
  fields.Text(1, node.node_name);
  fields.Int(2, node.all_start_micros);
  fields.Int(4, node.op_end_rel_micros);
  fields.Int(5, node.all_end_rel_micros);
  if (node.total_bytes != 0) {
    fields.Message(6, [&](auto& memory) {
      memory.Text(1, node.allocator_name);
      memory.Int(2, node.total_bytes);
    });
  }
  std::int64_t slot = 0;
  for (const auto& shape : node.output_shapes) {
    fields.Message(7, [&](auto& output) { DescribeOutput(output, slot, shape); });
    ++slot;
  }
}

}  // namespace

std::string EncodeRunMetadata(const std::vector<NodeStats>& nodes, const std::string& device) {
  // The nodes are almost all of the data. They are serialized first, and the outer messages are
  // written around them. That takes one copy, which is faster than counting the bytes of all nodes
  // once per enclosing message.
  std::string device_stats;
  AppendMessage(device_stats, [&](auto& fields) { fields.Text(1, device); });
  for (const NodeStats& node : nodes) {
    AppendMessage(device_stats, [&](auto& fields) {
      fields.Message(2, [&](auto& stats) { DescribeNode(stats, node); });
    });
  }
  return EncodeMessage([&](auto& fields) {
    fields.Message(1, [&](auto& step_stats) { step_stats.PresentBytes(1, device_stats); });
  });
}

std::string EncodeFunctionGraphs(std::span<const std::string_view> graphs) {
  return EncodeMessage([&](auto& fields) {
    for (const std::string_view graph : graphs) {
      fields.Message(4, [&](auto& function) { function.PresentBytes(2, graph); });
    }
  });
}

namespace {

// Adds the memory of one allocator to a node's statistics; a node may use several allocators.
void ReadMemory(pbf_reader fields, NodeStats& node) {
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        node.allocator_name = ViewOf(fields);
        break;
      case Varint(2):
        // Adds sizes as unsigned numbers. The sizes of a crafted file may overflow, which is
        // undefined behavior for signed numbers.
        node.total_bytes = static_cast<std::int64_t>(static_cast<std::uint64_t>(node.total_bytes) +
                                                     fields.get_uint64());
        break;
      default:
        fields.skip();
    }
  }
}

// Reads the shape of a TensorDescription inside a NodeOutput: field 2 inside field 3.
Shape ReadOutputShape(pbf_reader fields) {
  Shape shape;
  while (fields.next()) {
    if (fields.tag_and_type() != Length(3)) {
      fields.skip();
      continue;
    }
    pbf_reader description = fields.get_message();
    while (description.next()) {
      if (description.tag_and_type() == Length(2)) {
        shape = ReadShape(description.get_message()).dimensions;
      } else {
        description.skip();
      }
    }
  }
  return shape;
}

NodeStats ReadNode(pbf_reader fields) {
  NodeStats node;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        node.node_name = ViewOf(fields);
        break;
      case Varint(2):
        node.all_start_micros = fields.get_int64();
        break;
      case Varint(4):
        node.op_end_rel_micros = fields.get_int64();
        break;
      case Varint(5):
        node.all_end_rel_micros = fields.get_int64();
        break;
      case Length(6):
        ReadMemory(fields.get_message(), node);
        break;
      case Length(7):
        node.output_shapes.push_back(ReadOutputShape(fields.get_message()));
        break;
      default:
        fields.skip();
    }
  }
  return node;
}

// Reads a DeviceStepStats. All known programs write the device's name as the first field. If the
// name comes later, the nodes before it are visited with an empty device.
void ReadDevice(pbf_reader fields, const VisitNodeStats& visit) {
  std::string_view device;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        device = ViewOf(fields);
        break;
      case Length(2):
        visit(device, ReadNode(fields.get_message()));
        break;
      default:
        fields.skip();
    }
  }
}

}  // namespace

Result<void> ForEachNodeStats(std::string_view run_metadata, const VisitNodeStats& visit) {
  return ReadMessageInto("RunMetadata", run_metadata, visit,
                         [](pbf_reader fields, const VisitNodeStats& visitor) {
                           while (fields.next()) {
                             if (fields.tag_and_type() != Length(1)) {
                               fields.skip();
                               continue;
                             }
                             pbf_reader step_stats = fields.get_message();
                             while (step_stats.next()) {
                               if (step_stats.tag_and_type() == Length(1)) {
                                 ReadDevice(step_stats.get_message(), visitor);
                               } else {
                                 step_stats.skip();
                               }
                             }
                           }
                         });
}

}  // namespace cboard::proto
