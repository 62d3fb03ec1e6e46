#include "cboard/runtime/graph_edits.h"

#include <deque>
#include <span>
#include <unordered_map>

#include "cboard/base/strings.h"
#include "proto/wire_reader.h"
#include "proto/wire_writer.h"
#include "runtime/onnx_fields.h"

namespace cboard {
namespace {

using proto::Length;
using proto::pbf_reader;

constexpr int kFloatType = 1;  // Of TensorProto.

constexpr std::size_t kMaxModelBytes = (std::size_t{1} << 31) - 1;

Result<void> CheckShape(const std::string& name, const std::vector<std::int64_t>& shape,
                        std::size_t values) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || (size > 0 && count > kMaxModelBytes / static_cast<std::size_t>(size))) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the shape given for " + Quoted(name) + " has a size of " + std::to_string(size));
    }
    count *= static_cast<std::size_t>(size);
  }
  if (count == values) return {};
  return Fail(ErrorCode::kInvalidArgument, "the shape given for " + Quoted(name) + " is for " +
                                               std::to_string(count) + " values, not " +
                                               std::to_string(values));
}

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

std::string_view BytesOf(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// The nodes that pass a tensor on, and the constants that they need. Clip would depend on the
// opset.
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

// What the constant of a product is called.
std::string RightOf(const ProductTensor& product) { return product.name + "__right"; }

// What a node or a tensor is called, as far as edits need it.
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

// The bytes of a message, cut into those that are kept and what stands in for others.
class Pieces {
 public:
  void Keep(std::string_view bytes) {
    size_ += bytes.size();
    if (ends_kept_ && pieces_.back().data() + pieces_.back().size() == bytes.data()) {
      pieces_.back() = {pieces_.back().data(), pieces_.back().size() + bytes.size()};
    } else {
      pieces_.push_back(bytes);
    }
    ends_kept_ = true;
  }
  void Put(std::string bytes) {
    size_ += bytes.size();
    pieces_.push_back(made_.emplace_back(std::move(bytes)));
    ends_kept_ = false;
  }

  std::size_t size() const { return size_; }
  void AppendTo(std::string& out) const {
    for (const std::string_view piece : pieces_) out += piece;
  }

 private:
  std::vector<std::string_view> pieces_;
  std::deque<std::string> made_;
  bool ends_kept_ = false;  // The last piece is one of those that are kept.
  std::size_t size_ = 0;
};

// Calls `visit(tag_and_type, content, whole)` for the fields of a message; `content` is empty for
// those that have no length.
template <typename Visit>
void ForEachField(pbf_reader fields, const Visit& visit) {
  while (true) {
    const char* const begin = fields.data().data();
    if (!fields.next()) return;
    const std::uint32_t tag = fields.tag_and_type();
    std::string_view content;
    if (fields.wire_type() == protozero::pbf_wire_type::length_delimited) {
      content = proto::ViewOf(fields);
    } else {
      fields.skip();
    }
    visit(tag, content, std::string_view(begin, fields.data().data()));
  }
}

// A model around its graph.
struct ModelPieces {
  Pieces before, after;
  std::string_view graph;
  std::size_t graphs = 0;
};
void CutModel(pbf_reader fields, ModelPieces& model) {
  ForEachField(fields, [&](std::uint32_t tag, std::string_view content, std::string_view whole) {
    if (tag == Length(kModelGraph)) {
      model.graph = content;
      ++model.graphs;
    } else {
      (model.graphs == 0 ? model.before : model.after).Keep(whole);
    }
  });
}

class GraphEditor {
 public:
  explicit GraphEditor(const GraphEdits& edits) : edits_(edits) {}

  Result<std::string> Run(std::string_view model) {
    CBOARD_RETURN_IF_ERROR(ListEdits());
    CBOARD_ASSIGN_OR_RETURN(const ModelPieces parts,
                            proto::ReadMessage<ModelPieces>("ONNX model", model, CutModel));
    if (parts.graphs != 1) {
      return Fail(ErrorCode::kInvalidArgument, "not an ONNX model: its " +
                                                   std::to_string(model.size()) + " bytes hold " +
                                                   std::to_string(parts.graphs) + " graphs");
    }
    CBOARD_RETURN_IF_ERROR(EditNodes(parts.graph));
    for (const auto& [name, edit] : edits_by_name_) {
      if (edit.is_done) continue;
      return Fail(ErrorCode::kNotFound,
                  "no node and no initializer of the model's main graph gives " + Quoted(name));
    }
    return Assemble(parts.before, parts.after);
  }

 private:
  struct Edit {
    std::string nodes = {};  // Encoded; what gives the tensor instead. None for constants.
    bool is_constant = false;
    bool is_done = false;
  };

  Result<void> ListEdits() {
    for (const ConstantTensor& constant : edits_.constants) {
      CBOARD_RETURN_IF_ERROR(CheckShape(constant.name, constant.shape, constant.values.size()));
      CBOARD_RETURN_IF_ERROR(Add(constant.name, {.is_constant = true}));
    }
    for (const ProductTensor& product : edits_.products) {
      CBOARD_RETURN_IF_ERROR(CheckShape(product.name, product.shape, product.values.size()));
      CBOARD_RETURN_IF_ERROR(
          Add(product.name,
              {.nodes = proto::EncodeMessage([&](auto& graph) {
                 WriteNode(graph, "MatMul", {product.left, RightOf(product)}, product.name);
               })}));
    }
    for (const PassedTensor& passed : edits_.passed) {
      CBOARD_RETURN_IF_ERROR(Add(passed.name, {.nodes = proto::EncodeMessage([&](auto& graph) {
                                                 WritePassed(graph, passed);
                                               })}));
    }
    return {};
  }

  Result<void> Add(const std::string& name, Edit edit) {
    if (!name.empty() && edits_by_name_.try_emplace(name, std::move(edit)).second) return {};
    return Fail(ErrorCode::kInvalidArgument, name.empty()
                                                 ? std::string("a tensor without a name is edited")
                                                 : "tensor " + Quoted(name) + " is edited twice");
  }

  Result<void> EditNodes(std::string_view graph) {
    Result<void> result;
    const auto read = [&](pbf_reader fields, Pieces& pieces) {
      ForEachField(fields,
                   [&](std::uint32_t tag, std::string_view content, std::string_view whole) {
                     if (!result) return;
                     Result<bool> is_replaced = false;
                     if (tag == Length(kGraphNode)) is_replaced = EditNode(content);
                     if (tag == Length(kGraphInitializer)) is_replaced = EditInitializer(content);
                     if (!is_replaced) {
                       result = Fail(std::move(is_replaced).error());
                     } else if (!*is_replaced) {
                       pieces.Keep(whole);
                     }
                   });
    };
    CBOARD_RETURN_IF_ERROR(proto::ReadMessageInto("ONNX graph", graph, pieces_, read));
    return result;
  }

  Edit* Find(std::string_view name) {
    const auto found = edits_by_name_.find(name);
    return found == edits_by_name_.end() ? nullptr : &found->second;
  }

  Result<bool> EditNode(std::string_view node) {
    CBOARD_ASSIGN_OR_RETURN(const NodeOutputs outputs,
                            proto::ReadMessage<NodeOutputs>("ONNX node", node, ReadOutputs));
    for (const std::string_view name : outputs.names) {
      Edit* const edit = Find(name);
      if (edit == nullptr) continue;
      for (const std::string_view other : outputs.names) {
        if (other.empty() || other.data() == name.data()) continue;
        return Fail(ErrorCode::kInvalidArgument,
                    "the node that gives " + Quoted(name) + " gives " + Quoted(other) + ", too");
      }
      if (edit->is_done) {
        return Fail(ErrorCode::kInvalidArgument, Quoted(name) + " is given by two nodes");
      }
      edit->is_done = true;
      if (!edit->is_constant) pieces_.Put(std::move(edit->nodes));
      return true;
    }
    return false;
  }

  Result<bool> EditInitializer(std::string_view tensor) {
    CBOARD_ASSIGN_OR_RETURN(const TensorName found,
                            proto::ReadMessage<TensorName>("ONNX initializer", tensor, ReadName));
    Edit* const edit = Find(found.name);
    if (edit == nullptr) return false;
    if (!edit->is_constant || edit->is_done) {
      return Fail(ErrorCode::kInvalidArgument,
                  Quoted(found.name) + " is a constant, and no node computes it");
    }
    edit->is_done = true;
    return true;
  }

  Result<std::string> Assemble(const Pieces& before, const Pieces& after) const {
    const auto describe_constants = [&](auto& graph) {
      for (const ConstantTensor& constant : edits_.constants) {
        WriteInitializer(graph, constant.name, constant.shape, BytesOf(constant.values));
      }
      for (const ProductTensor& product : edits_.products) {
        WriteInitializer(graph, RightOf(product), product.shape, BytesOf(product.values));
      }
    };
    const std::size_t graph_bytes = pieces_.size() + proto::SizeOfMessage(describe_constants);
    const std::size_t total = before.size() + after.size() + graph_bytes + 16;
    if (total > kMaxModelBytes) {
      return Fail(ErrorCode::kResourceExhausted,
                  "the edited model would take " + HumanBytes(static_cast<double>(total)) +
                      ", more than the 2 GiB that a model in memory may");
    }
    std::string out;
    out.reserve(total);
    before.AppendTo(out);
    proto::AppendingSink sink(out);
    sink.Varint(Length(kModelGraph));
    sink.Varint(graph_bytes);
    pieces_.AppendTo(out);
    proto::AppendMessage(out, describe_constants);
    after.AppendTo(out);
    return out;
  }

  const GraphEdits& edits_;
  std::unordered_map<std::string_view, Edit> edits_by_name_;
  Pieces pieces_;  // Of the graph.
};

}  // namespace

Result<std::string> EditGraph(std::string_view model, const GraphEdits& edits) {
  return GraphEditor(edits).Run(model);
}

}  // namespace cboard
