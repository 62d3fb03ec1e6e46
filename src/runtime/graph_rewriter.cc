#include "runtime/graph_rewriter.h"

#include <algorithm>
#include <cstdint>

#include "cboard/base/strings.h"
#include "proto/wire_reader.h"
#include "proto/wire_writer.h"
#include "runtime/edited_parts.h"
#include "runtime/onnx_fields.h"

namespace cboard::runtime {
namespace {

using proto::Length;
using proto::pbf_reader;

constexpr std::size_t kMaxModelBytes = (std::size_t{1} << 31) - 1;

// The names of a node's outputs or of a tensor. Edits refer to these names.
struct NodeOutputs {
  std::vector<std::string_view> names;
};
void ReadOutputs(pbf_reader fields, NodeOutputs& outputs) {
  while (fields.next()) {
    if (fields.tag_and_type() == Length(kNodeOutput)) {
      outputs.names.push_back(proto::ViewOf(fields));
    } else {
      fields.skip();
    }
  }
}

struct TensorName {
  std::string_view name;
};
void ReadName(pbf_reader fields, TensorName& tensor) {
  while (fields.next()) {
    if (fields.tag_and_type() == Length(kTensorName)) {
      tensor.name = proto::ViewOf(fields);
    } else {
      fields.skip();
    }
  }
}

// Reads the name of a sparse initializer. It has the name of its tensor of values.
void ReadSparseName(pbf_reader fields, TensorName& tensor) {
  while (fields.next()) {
    if (fields.tag_and_type() == Length(kSparseValues)) {
      ReadName(fields.get_message(), tensor);
    } else {
      fields.skip();
    }
  }
}

struct AttributeName {
  std::string_view name;
};
void ReadAttribute(pbf_reader fields, AttributeName& attribute) {
  while (fields.next()) {
    if (fields.tag_and_type() == Length(kAttributeName)) {
      attribute.name = proto::ViewOf(fields);
    } else {
      fields.skip();
    }
  }
}

std::string FieldOf(int number, std::string_view content) {
  return proto::EncodeMessage([&](auto& fields) { fields.PresentBytes(number, content); });
}

std::string TextOf(const ModelParts& pieces) {
  std::string text;
  text.reserve(pieces.size());
  pieces.AppendTo(text);
  return text;
}

// Replaces the operator of a node. The name, the outputs and the attributes do not change.
Result<std::string> Replace(std::string_view node, const ReplacedNode& replacement) {
  ModelParts pieces;
  const auto read = [](pbf_reader fields, ModelParts& out) {
    ForEachField(fields, [&](std::uint32_t tag, std::string_view, std::string_view whole) {
      const bool is_other = tag == Length(kNodeInput) || tag == Length(kNodeOperator) ||
                            tag == Length(kNodeDomain) || tag == Length(kNodeOverload);
      if (!is_other) out.Keep(whole);
    });
  };
  CBOARD_RETURN_IF_ERROR(proto::ReadMessageInto("ONNX node", node, pieces, read));
  pieces.Put(proto::EncodeMessage([&](auto& fields) {
    for (const std::string& input : replacement.inputs) fields.PresentBytes(kNodeInput, input);
    fields.Bytes(kNodeOperator, replacement.op_type);
  }));
  return TextOf(pieces);
}

// Renames the output `from` of a node to `to`.
Result<std::string> RenameOutput(std::string_view node, std::string_view from,
                                 const std::string& to) {
  ModelParts pieces;
  const auto read = [&](pbf_reader fields, ModelParts& out) {
    ForEachField(fields, [&](std::uint32_t tag, std::string_view content, std::string_view whole) {
      if (tag == Length(kNodeOutput) && content == from) {
        out.Put(FieldOf(kNodeOutput, to));
      } else {
        out.Keep(whole);
      }
    });
  };
  CBOARD_RETURN_IF_ERROR(proto::ReadMessageInto("ONNX node", node, pieces, read));
  return TextOf(pieces);
}

// Encodes the attributes of a node, except those in `left_out`, as fields that can be appended to
// the message of a new node.
Result<std::string> AttributesOf(std::string_view node, const std::vector<std::string>& left_out) {
  ModelParts pieces;
  const auto read = [&](pbf_reader fields, ModelParts& out) {
    ForEachField(fields, [&](std::uint32_t tag, std::string_view content, std::string_view whole) {
      if (tag != Length(kNodeAttribute)) return;
      const auto named =
          proto::ReadMessage<AttributeName>("ONNX attribute", content, ReadAttribute);
      const bool is_left_out = named && std::ranges::find(left_out, named->name) != left_out.end();
      if (!is_left_out) out.Keep(whole);
    });
  };
  CBOARD_RETURN_IF_ERROR(proto::ReadMessageInto("ONNX node", node, pieces, read));
  return TextOf(pieces);
}

// Writes the nodes that compute a tensor, in place of its node or after it.
Result<void> Recompute(std::string_view node, const RecomputedTensor& tensor, ModelParts& pieces) {
  if (!tensor.own.empty()) {
    CBOARD_ASSIGN_OR_RETURN(const std::string own, RenameOutput(node, tensor.name, tensor.own));
    pieces.Put(FieldOf(kGraphNode, own));
  }
  for (const NodeSketch& sketch : tensor.nodes) {
    std::string encoded = proto::EncodeMessage([&](auto& fields) {
      for (const std::string& input : sketch.inputs) fields.PresentBytes(kNodeInput, input);
      fields.PresentBytes(kNodeOutput, sketch.output);
      fields.Bytes(kNodeName, sketch.name);
      fields.Bytes(kNodeOperator, sketch.op_type);
      if (!sketch.axis) return;
      fields.Message(kNodeAttribute, [&](auto& attribute) {
        attribute.PresentBytes(kAttributeName, "axis");
        attribute.PresentInt(kAttributeInt, *sketch.axis);
        attribute.Int(kAttributeType, kIntAttribute);
      });
    });
    if (sketch.has_attributes) {
      CBOARD_ASSIGN_OR_RETURN(const std::string attributes, AttributesOf(node, sketch.left_out));
      encoded += attributes;
    }
    pieces.Put(FieldOf(kGraphNode, encoded));
  }
  return {};
}

Edit* Find(GraphPart& part, std::string_view name) {
  const auto found = part.edits.find(name);
  return found == part.edits.end() ? nullptr : &found->second;
}

// Edits the subgraph that an attribute contains.
Result<std::string> EditBody(std::string_view attribute, GraphPart& body) {
  Result<void> result;
  ModelParts pieces;
  const auto read = [&](pbf_reader fields, ModelParts& out) {
    ForEachField(fields, [&](std::uint32_t tag, std::string_view content, std::string_view whole) {
      if (!result) return;
      if (tag != Length(kAttributeGraph)) return out.Keep(whole);
      ModelParts graph;
      result = RewriteGraph(content, body, graph);
      if (result) result = CheckSize(0, graph, body);
      if (!result) return;
      std::string edited;
      AppendGraph(graph, body, edited);
      out.Put(FieldOf(kAttributeGraph, edited));
    });
  };
  CBOARD_RETURN_IF_ERROR(proto::ReadMessageInto("ONNX attribute", attribute, pieces, read));
  CBOARD_RETURN_IF_ERROR(result);
  return TextOf(pieces);
}

// Edits all subgraphs of a node.
Result<std::string> EditBodies(std::string_view node,
                               std::map<std::string_view, GraphPart>& bodies) {
  Result<void> result;
  ModelParts pieces;
  const auto read = [&](pbf_reader fields, ModelParts& out) {
    ForEachField(fields, [&](std::uint32_t tag, std::string_view content, std::string_view whole) {
      if (!result) return;
      auto body = bodies.end();
      if (tag == Length(kNodeAttribute)) {
        const auto named =
            proto::ReadMessage<AttributeName>("ONNX attribute", content, ReadAttribute);
        if (named) body = bodies.find(named->name);
      }
      if (body == bodies.end()) return out.Keep(whole);
      Result<std::string> edited = EditBody(content, body->second);
      if (!edited) {
        result = Fail(std::move(edited).error());
      } else {
        out.Put(FieldOf(kNodeAttribute, *edited));
      }
    });
  };
  CBOARD_RETURN_IF_ERROR(proto::ReadMessageInto("ONNX node", node, pieces, read));
  CBOARD_RETURN_IF_ERROR(result);
  return TextOf(pieces);
}

Result<bool> EditNode(std::string_view node, GraphPart& part, ModelParts& pieces) {
  CBOARD_ASSIGN_OR_RETURN(const NodeOutputs outputs,
                          proto::ReadMessage<NodeOutputs>("ONNX node", node, ReadOutputs));
  for (const std::string_view name : outputs.names) {
    if (const auto bodies = part.bodies.find(name); bodies != part.bodies.end()) {
      CBOARD_ASSIGN_OR_RETURN(std::string edited, EditBodies(node, bodies->second));
      pieces.Put(FieldOf(kGraphNode, edited));
      return true;
    }
    Edit* const edit = Find(part, name);
    if (edit == nullptr) continue;
    if (edit->is_done) {
      return Fail(
          ErrorCode::kInvalidArgument,
          "the tensor " + Quoted(name) + " is computed by two nodes; export the model again");
    }
    edit->is_done = true;
    if (edit->replacement != nullptr) {
      CBOARD_ASSIGN_OR_RETURN(const std::string replaced, Replace(node, *edit->replacement));
      pieces.Put(FieldOf(kGraphNode, replaced));
      return true;
    }
    if (edit->recomputed != nullptr && !edit->recomputed->own.empty()) {
      CBOARD_RETURN_IF_ERROR(Recompute(node, *edit->recomputed, pieces));
      return true;
    }
    for (const std::string_view other : outputs.names) {
      if (other.empty() || other.data() == name.data()) continue;
      return Fail(ErrorCode::kInvalidArgument,
                  "the node of tensor " + Quoted(name) +
                      " cannot be replaced, because it also computes " + Quoted(other));
    }
    if (edit->recomputed != nullptr) {
      CBOARD_RETURN_IF_ERROR(Recompute(node, *edit->recomputed, pieces));
    } else if (!edit->is_removed) {
      pieces.Put(std::move(edit->nodes));
    }
    return true;
  }
  return false;
}

Result<bool> EditInitializer(std::string_view tensor, bool is_sparse, GraphPart& part) {
  CBOARD_ASSIGN_OR_RETURN(const TensorName found,
                          proto::ReadMessage<TensorName>("ONNX initializer", tensor,
                                                         is_sparse ? ReadSparseName : ReadName));
  Edit* const edit = Find(part, found.name);
  if (edit == nullptr) return false;
  if (!edit->is_removed || edit->is_done) {
    return Fail(ErrorCode::kInvalidArgument,
                "the tensor " + Quoted(found.name) + " is a constant, so no node can be replaced");
  }
  edit->is_done = true;
  return true;
}

auto DescribeAdded(const GraphPart& part) {
  return [&part](auto& graph) {
    for (const ConstantTensor* constant : part.constants) {
      WriteInitializer(graph, constant->name, constant->shape, BytesOf(constant->values));
    }
    for (const ProductTensor* product : part.products) {
      WriteInitializer(graph, RightOf(*product), product->shape, BytesOf(product->values));
    }
    for (const AddedInput* input : part.inputs) WriteInput(graph, *input);
  };
}

}  // namespace

Result<void> RewriteGraph(std::string_view graph, GraphPart& part, ModelParts& pieces) {
  part.is_done = true;
  Result<void> result;
  const auto read = [&](pbf_reader fields, ModelParts& out) {
    ForEachField(fields, [&](std::uint32_t tag, std::string_view content, std::string_view whole) {
      if (!result) return;
      Result<bool> is_replaced = false;
      if (tag == Length(kGraphNode)) is_replaced = EditNode(content, part, out);
      if (tag == Length(kGraphInitializer)) is_replaced = EditInitializer(content, false, part);
      if (tag == Length(kGraphSparseInitializer)) {
        is_replaced = EditInitializer(content, true, part);
      }
      if (!is_replaced) {
        result = Fail(std::move(is_replaced).error());
      } else if (!*is_replaced) {
        out.Keep(whole);
      }
    });
  };
  CBOARD_RETURN_IF_ERROR(proto::ReadMessageInto("ONNX graph", graph, pieces, read));
  CBOARD_RETURN_IF_ERROR(result);
  for (const auto& [name, edit] : part.edits) {
    if (edit.is_done) continue;
    return Fail(ErrorCode::kNotFound, "no node and no initializer of the model's " + part.place +
                                          " computes " + Quoted(name));
  }
  for (const auto& [output, bodies] : part.bodies) {
    for (const auto& [attribute, body] : bodies) {
      if (body.is_done) continue;
      return Fail(ErrorCode::kNotFound,
                  "the model's " + part.place + " has no subgraph " + body.place);
    }
  }
  return {};
}

std::size_t SizeOf(const ModelParts& graph, const GraphPart& part) {
  return graph.size() + proto::SizeOfMessage(DescribeAdded(part));
}

Result<void> CheckSize(std::size_t around, const ModelParts& graph, const GraphPart& part) {
  const std::size_t total = around + SizeOf(graph, part) + kFieldOverhead;
  if (total <= kMaxModelBytes) return {};
  return Fail(ErrorCode::kResourceExhausted, "the changed model would need " +
                                                 HumanBytes(static_cast<double>(total)) +
                                                 " of memory, but the maximum is 2 GiB");
}

void AppendGraph(const ModelParts& graph, const GraphPart& part, std::string& out) {
  graph.AppendTo(out);
  proto::AppendMessage(out, DescribeAdded(part));
}

}  // namespace cboard::runtime
