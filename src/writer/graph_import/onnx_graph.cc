#include "writer/graph_import/onnx_graph.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/proto/graph.h"
#include "cboard/proto/onnx.h"
#include "writer/graph_import/node_names.h"
#include "writer/graph_import/onnx_attributes.h"

namespace cboard::writer {
namespace {

using proto::Attribute;
using proto::OnnxGraph;
using proto::OnnxNode;
using proto::OnnxTensor;
using proto::OnnxValueInfo;

using Attributes = std::vector<std::pair<std::string, Attribute>>;

// Maximum size of a protobuf message, and therefore of an ONNX file. Larger models store their
// weights in separate files.
constexpr std::uint64_t kMaxModelBytes = std::uint64_t{2} << 30;

Attributes TypeAndShape(int elem_type, const proto::Shape& shape) {
  return {{"dtype", Attribute::Type(proto::DataTypeOf(proto::DTypeOfOnnx(elem_type)))},
          {"shape", Attribute::EncodedShape(shape)}};
}

// Builds the GraphDef of one model. All names are assigned before edges are written, because a node
// may use the output of a later node.
class OnnxImport {
 public:
  explicit OnnxImport(const OnnxGraph& graph) : graph_(graph) {}

  std::string Run() {
    NameEverything();
    for (const OnnxValueInfo& input : graph_.inputs) AddInput(input);
    for (const OnnxValueInfo& output : graph_.outputs) AddOutput(output);
    for (const OnnxTensor& weight : graph_.initializers) AddWeight(weight);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) AddNode(graph_.nodes[i], node_names_[i]);
    return builder_.Encode();
  }

 private:
  void NameEverything() {
    for (const OnnxValueInfo& input : graph_.inputs) NameTensor(input.name);
    for (const OnnxTensor& weight : graph_.initializers) NameTensor(weight.name);
    for (const OnnxNode& node : graph_.nodes) NameNode(node);
    for (const auto* infos : {&graph_.inputs, &graph_.outputs, &graph_.value_infos}) {
      for (const OnnxValueInfo& info : *infos) infos_.try_emplace(info.name, &info);
    }
  }

  // Gives a node the name of its first named output. A reference to this output is the node's name.
  void NameNode(const OnnxNode& node) {
    const auto is_named = [](std::string_view output) { return !output.empty(); };
    const auto first = std::ranges::find_if(node.outputs, is_named);
    const std::string_view wanted = first != node.outputs.end() ? *first
                                    : !node.name.empty()        ? node.name
                                    : !node.op_type.empty()     ? node.op_type
                                                                : "node";
    const std::string& name = node_names_.emplace_back(names_.Take(wanted));
    for (auto output = first; output != node.outputs.end(); ++output) {
      if (output == first) {
        Refer(*output, name);
        first_outputs_.insert(*output);
      } else {
        Refer(*output, name + ":" + std::to_string(output - node.outputs.begin()));
      }
    }
  }

  // Gives an input or a weight its name. A tensor may be both an input and a weight.
  void NameTensor(std::string_view tensor) {
    if (!references_.contains(tensor)) Refer(tensor, names_.Take(tensor));
  }

  void Refer(std::string_view tensor, std::string reference) {
    if (!tensor.empty()) references_.try_emplace(tensor, std::move(reference));
  }

  void AddInput(const OnnxValueInfo& input) {
    if (input.name.empty() || !inputs_.insert(input.name).second) return;
    builder_.AddNode({.name = references_[input.name],
                      .op = "Variable",
                      .attributes = TypeAndShape(input.elem_type, input.shape)});
  }

  void AddOutput(const OnnxValueInfo& output) {
    if (output.name.empty()) return;
    // Skips an output that is also an input of the model: it already has a node.
    if (inputs_.contains(output.name)) return;
    const auto reference = references_.find(output.name);
    proto::Node node{.op = "Variable", .attributes = TypeAndShape(output.elem_type, output.shape)};
    if (first_outputs_.contains(output.name)) {
      node.name = reference->second;
    } else {
      node.name = names_.Take(output.name);
      if (reference != references_.end()) node.inputs.push_back(reference->second);
    }
    builder_.AddNode(node);
  }

  void AddWeight(const OnnxTensor& weight) {
    if (weight.name.empty() || !inputs_.insert(weight.name).second) return;
    builder_.AddNode({.name = references_[weight.name],
                      .op = "Const",
                      .attributes = TypeAndShape(weight.elem_type, weight.shape)});
  }

  void AddNode(const OnnxNode& node, const std::string& name) {
    proto::Node added{.name = name, .op = std::string(node.op_type)};
    for (const std::string_view input : node.inputs) {
      if (input.empty()) continue;  // An omitted optional input.
      const auto reference = references_.find(input);
      added.inputs.push_back(reference == references_.end() ? NodeName(input) : reference->second);
    }
    added.attributes.emplace_back("parameters", Attribute::String(ParametersOf(node)));
    if (!node.name.empty() && node.name != name) {
      added.attributes.emplace_back("onnx_name", Attribute::String(ToValidUtf8(node.name)));
    }
    if (auto shapes = OutputShapes(node); !shapes.empty()) {
      added.attributes.emplace_back("_output_shapes", Attribute::ShapeList(shapes));
    }
    builder_.AddNode(added);
  }

  // Returns the shapes of all outputs if all are known, otherwise none: TensorBoard assigns shapes
  // to outputs by position.
  std::vector<proto::Shape> OutputShapes(const OnnxNode& node) const {
    std::vector<proto::Shape> shapes;
    for (const std::string_view output : node.outputs) {
      const auto info = infos_.find(output);
      if (info == infos_.end() || !info->second->has_shape) return {};
      shapes.push_back(info->second->shape);
    }
    return shapes;
  }

  const OnnxGraph& graph_;
  proto::GraphBuilder builder_;
  UniqueNames names_;
  std::vector<std::string> node_names_;
  // Maps a tensor's name to the reference "node" or "node:k".
  std::unordered_map<std::string_view, std::string> references_;
  std::unordered_map<std::string_view, const OnnxValueInfo*> infos_;
  std::unordered_set<std::string_view> first_outputs_;
  std::unordered_set<std::string_view> inputs_;  // Inputs and weights that already have a node.
};

}  // namespace

Result<std::string> GraphDefFromOnnxBytes(std::string_view model) {
  CBOARD_ASSIGN_OR_RETURN(const OnnxGraph graph, proto::ParseOnnxModel(model));
  return OnnxImport(graph).Run();
}

Result<std::string> GraphDefFromOnnx(const std::filesystem::path& onnx_file) {
  CBOARD_ASSIGN_OR_RETURN(const std::string model, ReadFile(onnx_file, kMaxModelBytes));
  Result<std::string> graph = GraphDefFromOnnxBytes(model);
  if (!graph) return Fail(Annotate(std::move(graph).error(), Quoted(onnx_file.string(), 4096)));
  return graph;
}

}  // namespace cboard::writer
