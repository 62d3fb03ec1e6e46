// Reads ONNX models: graphs, their subgraphs, and functions. A function is copied into each place
// that calls it.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "cboard/base/strings.h"
#include "cboard/proto/onnx.h"
#include "model/graph/external_data.h"
#include "model/graph/formats.h"
#include "model/graph/given_shapes.h"
#include "model/graph/graph_assembler.h"
#include "model/graph/stored_values.h"
#include "model/onnx/onnx_passes.h"
#include "model/onnx/onnx_sparsity.h"

namespace cboard::model {
namespace {

using proto::OnnxAttribute;
using proto::OnnxAttributeKind;
using proto::OnnxFunction;
using proto::OnnxGraph;
using proto::OnnxNode;
using proto::OnnxSparseTensor;
using proto::OnnxTensor;
using proto::OnnxValueInfo;

// Maximum nesting of subgraphs and functions. No known exporter reaches it.
constexpr int kMaxDepth = 32;

// The names in a graph, a subgraph, or the body of a function. Nodes of a subgraph can also use the
// names of outer graphs; nodes of a function cannot.
struct Scope {
  std::string prefix;  // Prefix of names, with a slash at the end; empty for the main graph.
  const Scope* outer = nullptr;
  NodeId parent = kNoNode;
  int depth = 0;
  std::unordered_map<std::string_view, TensorId> tensors;
  // Only inside a function: the attributes of the call, and the default values of attributes that
  // the call omits.
  using Attributes = std::unordered_map<std::string_view, const OnnxAttribute*>;
  const Attributes* call_attributes = nullptr;
};

std::string ShownOpset(const proto::OnnxOpset& opset) {
  return (opset.domain.empty() ? "ai.onnx" : std::string(opset.domain)) + " " +
         std::to_string(opset.version);
}

class OnnxReader {
 public:
  OnnxReader(std::shared_ptr<const MappedFile> file, const proto::OnnxModel& model)
      : graph_(ModelFormat::kOnnx, std::move(file)), external_(graph_), model_(model) {}

  Result<ModelGraph> Run(const InputShapes& shapes) {
    ReadMetadata();
    for (const OnnxFunction& function : model_.functions) {
      functions_.try_emplace({Domain(function.domain), function.name, function.overload},
                             &function);
    }
    Scope scope;
    CBOARD_RETURN_IF_ERROR(ReadGraph(model_.graph, scope));
    for (const OnnxValueInfo& input : model_.graph.inputs) {
      const TensorId id = Find(scope, input.name);
      if (id != kNoTensor && !graph_.tensor(id).is_constant) graph_.AddInput(id);
    }
    for (const OnnxValueInfo& output : model_.graph.outputs) {
      if (!output.name.empty()) graph_.AddOutput(Find(scope, output.name));
    }
    CBOARD_RETURN_IF_ERROR(GiveInputShapes(shapes, graph_));
    CBOARD_RETURN_IF_ERROR(graph_.Sort());
    InferOnnxShapes(branches_, graph_);
    CBOARD_RETURN_IF_ERROR(ResolveOnnxQuantization(graph_));
    return graph_.Finish();
  }

 private:
  // The domains "" and "ai.onnx" are the same.
  static std::string_view Domain(std::string_view domain) {
    return domain == "ai.onnx" ? std::string_view() : domain;
  }

  void ReadMetadata() {
    graph_.AddMetadata("producer", std::string(model_.producer_name) +
                                       (model_.producer_version.empty() ? "" : " ") +
                                       std::string(model_.producer_version));
    if (model_.ir_version != 0) graph_.AddMetadata("ir_version", std::to_string(model_.ir_version));
    for (const proto::OnnxOpset& opset : model_.opsets) {
      graph_.AddMetadata("opset", ShownOpset(opset));
    }
    graph_.AddMetadata("graph", std::string(model_.graph.name));
    for (const auto& [key, value] : model_.metadata) graph_.AddMetadata(key, std::string(value));
  }

  // Returns the tensor called `name` in this scope. Creates it if it is not defined.
  TensorId Find(Scope& scope, std::string_view name) {
    if (name.empty()) return kNoTensor;
    for (const Scope* here = &scope; here != nullptr; here = here->outer) {
      if (const auto found = here->tensors.find(name); found != here->tensors.end()) {
        return found->second;
      }
    }
    return Declare(scope, name);
  }

  TensorId Declare(Scope& scope, std::string_view name) {
    if (name.empty()) return kNoTensor;
    const auto [entry, is_new] = scope.tensors.try_emplace(name, kNoTensor);
    if (is_new && graph_.Spend(scope.prefix.size())) {
      entry->second = scope.prefix.empty() ? graph_.Tensor(name)
                                           : graph_.Tensor(scope.prefix + std::string(name));
    }
    return entry->second;
  }

  Result<void> DescribeAll(Scope& scope, const std::vector<OnnxValueInfo>& infos) {
    for (const OnnxValueInfo& info : infos) {
      // Counts the memory of the declaration: a function has it once for each call.
      CBOARD_RETURN_IF_ERROR(graph_.Charge(MemoryOf(info)));
      if (info.name.empty() || info.elem_type == 0) continue;
      const TensorId id = Declare(scope, info.name);
      if (id == kNoTensor) continue;  // An input of a function that the call omits.
      if (info.has_shape) {
        graph_.Describe(id, proto::DTypeOfOnnx(info.elem_type), info.shape);
        if (!graph_.tensor(id).is_constant) {
          graph_.tensor(id).dimension_names.assign(info.dimension_names.begin(),
                                                   info.dimension_names.end());
        }
      } else if (!graph_.tensor(id).is_constant) {
        graph_.tensor(id).type = proto::DTypeOfOnnx(info.elem_type);
      }
    }
    return {};
  }

  static std::uint64_t MemoryOf(const OnnxValueInfo& info) {
    std::uint64_t bytes = info.shape.size() * sizeof(std::int64_t);
    for (const std::string_view name : info.dimension_names) {
      bytes += sizeof(std::string) + name.size();
    }
    return bytes;
  }

  Result<void> ReadGraph(const OnnxGraph& graph, Scope& scope) {
    for (const OnnxTensor& initializer : graph.initializers) {
      CBOARD_RETURN_IF_ERROR(SetConstant(Declare(scope, initializer.name), initializer));
    }
    for (const std::string_view bytes : graph.sparse_initializers) {
      CBOARD_ASSIGN_OR_RETURN(const OnnxSparseTensor sparse, proto::ParseOnnxSparseTensor(bytes));
      CBOARD_RETURN_IF_ERROR(SetSparse(Declare(scope, sparse.values.name), sparse));
    }
    CBOARD_RETURN_IF_ERROR(DescribeAll(scope, graph.inputs));
    for (const OnnxValueInfo& input : graph.inputs) Declare(scope, input.name);
    return ReadNodes(graph.nodes, scope, [&]() -> Result<void> {
      CBOARD_RETURN_IF_ERROR(DescribeAll(scope, graph.outputs));
      return DescribeAll(scope, graph.value_infos);
    });
  }

  // Creates all outputs before reading the nodes: nodes may be in any order, and subgraphs must
  // find the outputs.
  template <typename DescribeOutputs>
  Result<void> ReadNodes(const std::vector<OnnxNode>& nodes, Scope& scope,
                         const DescribeOutputs& describe_outputs) {
    for (const OnnxNode& node : nodes) {
      for (const std::string_view output : node.outputs) Declare(scope, output);
    }
    CBOARD_RETURN_IF_ERROR(describe_outputs());
    for (const OnnxNode& node : nodes) {
      if (auto result = ReadNode(node, scope); !result) {
        if (scope.depth > 0) return result;
        return Fail(Annotate(
            std::move(result).error(),
            "ONNX node " +
                Quoted(node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name)));
      }
    }
    return {};
  }

  // Returns the elements of a tensor, from the model's file or from an external file.
  Result<ByteSpan> DataOf(const OnnxTensor& tensor) {
    const DType type = proto::DTypeOfOnnx(tensor.elem_type);
    if (tensor.is_external) {
      CBOARD_ASSIGN_OR_RETURN(const ByteSpan file, external_.Map(tensor.location));
      if (tensor.offset > file.size() || tensor.length.value_or(0) > file.size() - tensor.offset) {
        return Fail(
            ErrorCode::kDataLoss,
            "the data of tensor " + Quoted(tensor.name) + " begins at offset " +
                std::to_string(tensor.offset) + " of the file " + Quoted(tensor.location) +
                (tensor.length ? " and has " + std::to_string(*tensor.length) + " bytes" : "") +
                ", but the file has only " + std::to_string(file.size()) + " bytes");
      }
      const ByteSpan data = file.subspan(static_cast<std::size_t>(tensor.offset));
      if (tensor.length) return data.first(static_cast<std::size_t>(*tensor.length));
      const auto bytes = BytesNeeded(type, tensor.shape);
      return bytes && *bytes < data.size() ? data.first(static_cast<std::size_t>(*bytes)) : data;
    }
    if (LayoutOf(type).bytes == 0) return ByteSpan();
    CBOARD_ASSIGN_OR_RETURN(const proto::OnnxElements elements, ElementsOf(tensor));
    return elements.is_decoded ? graph_.Keep(elements.decoded) : AsBytes(elements.in_place);
  }

  Result<void> SetConstant(TensorId id, const OnnxTensor& tensor) {
    if (id == kNoTensor) return {};
    CBOARD_ASSIGN_OR_RETURN(const ByteSpan data, DataOf(tensor));
    return graph_.SetConstant(id, proto::DTypeOfOnnx(tensor.elem_type), tensor.shape, {data});
  }

  Result<void> SetSparse(TensorId id, const OnnxSparseTensor& sparse) {
    if (id == kNoTensor) return {};
    CBOARD_ASSIGN_OR_RETURN(const ByteSpan values, DataOf(sparse.values));
    CBOARD_ASSIGN_OR_RETURN(const ByteSpan indices, DataOf(sparse.indices));
    CBOARD_RETURN_IF_ERROR(graph_.Charge(values.size() + indices.size()));
    return SetSparseOnnxConstant(graph_, id, sparse, values, indices);
  }

  // Makes the output of a Constant node a constant. Reads only the attribute with the value.
  Result<bool> ReadConstantNode(const OnnxNode& node, const std::vector<OnnxAttribute>& attributes,
                                Scope& scope) {
    if (node.op_type != "Constant" || !Domain(node.domain).empty() || node.outputs.size() != 1) {
      return false;
    }
    const TensorId id = Find(scope, node.outputs[0]);
    if (id == kNoTensor || attributes.empty()) return false;
    const OnnxAttribute& value = attributes[0];
    const auto list = [&](DType type, const auto& numbers, bool is_list) {
      const ByteSpan bytes = std::as_bytes(std::span(numbers));
      return graph_.SetConstant(id, type,
                                is_list ? std::vector{static_cast<std::int64_t>(numbers.size())}
                                        : std::vector<std::int64_t>(),
                                {graph_.Keep(AsText(bytes))});
    };
    switch (value.kind) {
      case OnnxAttributeKind::kTensor:
        CBOARD_RETURN_IF_ERROR(SetConstant(id, value.tensor));
        return true;
      case OnnxAttributeKind::kSparseTensor: {
        CBOARD_ASSIGN_OR_RETURN(const OnnxSparseTensor sparse,
                                proto::ParseOnnxSparseTensor(value.sparse_tensor));
        CBOARD_RETURN_IF_ERROR(SetSparse(id, sparse));
        return true;
      }
      case OnnxAttributeKind::kFloat:
      case OnnxAttributeKind::kFloats:
        CBOARD_RETURN_IF_ERROR(
            list(DType::kFloat32, value.floats, value.kind == OnnxAttributeKind::kFloats));
        return true;
      case OnnxAttributeKind::kInt:
      case OnnxAttributeKind::kInts:
        CBOARD_RETURN_IF_ERROR(
            list(DType::kInt64, value.ints, value.kind == OnnxAttributeKind::kInts));
        return true;
      default:
        return false;
    }
  }

  // Returns the attributes of a node. If an attribute refers to an attribute of the function's
  // call, it is replaced by the value in the call. Several nodes of a function may refer to the
  // same attribute.
  static std::vector<OnnxAttribute> ResolveAttributes(const OnnxNode& node, const Scope& scope) {
    std::vector<OnnxAttribute> resolved;
    for (const OnnxAttribute& attribute : node.attributes) {
      const OnnxAttribute* value = &attribute;
      if (!attribute.reference.empty()) {
        const auto given = scope.call_attributes->find(attribute.reference);
        // The call omits the attribute, so the node omits it too.
        if (given == scope.call_attributes->end()) continue;
        value = given->second;
      }
      resolved.push_back(*value);
      resolved.back().name = attribute.name;
    }
    return resolved;
  }

  static std::uint64_t MemoryOf(const std::vector<OnnxAttribute>& attributes) {
    std::uint64_t bytes = sizeof(ModelNode);
    for (const OnnxAttribute& attribute : attributes) {
      bytes += sizeof(OnnxAttribute) + attribute.name.size() + attribute.floats.size() * 8 +
               attribute.ints.size() * 8 + attribute.strings.size() * sizeof(std::string) +
               attribute.tensor.shape.size() * 8 +
               attribute.graphs.size() * sizeof(std::string_view);
      for (const std::string_view text : attribute.strings) bytes += text.size();
    }
    return bytes;
  }

  Result<void> ReadNode(const OnnxNode& node, Scope& scope) {
    CBOARD_RETURN_IF_ERROR(graph_.CheckMemory());
    if (scope.call_attributes == nullptr) return ReadNode(node, node.attributes, scope);
    const std::vector<OnnxAttribute> attributes = ResolveAttributes(node, scope);
    // Counts the memory of the attributes: they are read again at each call of the function.
    CBOARD_RETURN_IF_ERROR(graph_.Charge(MemoryOf(attributes)));
    return ReadNode(node, attributes, scope);
  }

  Result<void> ReadNode(const OnnxNode& node, const std::vector<OnnxAttribute>& attributes,
                        Scope& scope) {
    CBOARD_ASSIGN_OR_RETURN(const bool is_constant, ReadConstantNode(node, attributes, scope));
    if (is_constant) return {};

    const auto function = functions_.find({Domain(node.domain), node.op_type, node.overload});
    if (function != functions_.end()) return Unfold(*function->second, node, attributes, scope);

    ModelNode added;
    if (!node.name.empty()) added.name = scope.prefix + std::string(node.name);
    added.op_type = node.op_type;
    added.domain = Domain(node.domain);
    added.parent = scope.parent;
    for (const std::string_view input : node.inputs) added.inputs.push_back(Find(scope, input));
    for (const std::string_view output : node.outputs) {
      added.outputs.push_back(Find(scope, output));
    }
    for (const OnnxAttribute& attribute : attributes) AddAttribute(attribute, added);
    if (added.op_type == "ConstantOfShape") AddFill(attributes, added);
    const NodeId id = graph_.AddNode(std::move(added));
    const std::string name = graph_.nodes()[IndexOf(id)].name;
    for (const OnnxAttribute& attribute : attributes) {
      for (std::size_t i = 0; i < attribute.graphs.size(); ++i) {
        Scope inner;
        // Counts the memory of the scope name: even an empty subgraph needs it.
        CBOARD_RETURN_IF_ERROR(graph_.Charge(name.size() + attribute.name.size()));
        inner.prefix =
            name + "/" + std::string(attribute.name) + (i > 0 ? "_" + std::to_string(i) : "") + "/";
        inner.outer = &scope;
        inner.parent = id;
        inner.depth = scope.depth + 1;
        inner.call_attributes = scope.call_attributes;
        CBOARD_RETURN_IF_ERROR(CheckDepth(inner));
        CBOARD_ASSIGN_OR_RETURN(const OnnxGraph graph, proto::ParseOnnxGraph(attribute.graphs[i]));
        CBOARD_RETURN_IF_ERROR(ReadGraph(graph, inner));
        if (node.op_type == "If") AddBranch(node, attribute.name, graph, inner, scope);
      }
    }
    return {};
  }

  void AddBranch(const OnnxNode& node, std::string_view branch, const OnnxGraph& graph,
                 Scope& inner, Scope& scope) {
    const bool is_then = branch == "then_branch";
    for (std::size_t i = 0; i < std::min(node.outputs.size(), graph.outputs.size()); ++i) {
      const TensorId output = Find(scope, node.outputs[i]);
      if (output == kNoTensor) continue;
      IfBranches& branches = branches_[output];
      (is_then ? branches.then_output : branches.else_output) = Find(inner, graph.outputs[i].name);
    }
  }

  static Result<void> CheckDepth(const Scope& scope) {
    if (scope.depth <= kMaxDepth) return {};
    return Fail(ErrorCode::kInvalidArgument,
                "the model's subgraphs and functions are nested more than " +
                    std::to_string(kMaxDepth) + " levels deep, or a function calls itself");
  }

  Result<void> Unfold(const OnnxFunction& function, const OnnxNode& call,
                      const std::vector<OnnxAttribute>& attributes, Scope& scope) {
    Scope body;
    body.depth = scope.depth + 1;
    CBOARD_RETURN_IF_ERROR(CheckDepth(body));
    body.parent = scope.parent;
    const std::size_t names = function.inputs.size() + function.outputs.size() +
                              function.value_infos.size() + function.defaults.size() +
                              function.nodes.size() + attributes.size();
    CBOARD_RETURN_IF_ERROR(graph_.Charge(names * 64));
    Scope::Attributes given;
    for (const OnnxAttribute& attribute : attributes) given.try_emplace(attribute.name, &attribute);
    for (const OnnxAttribute& attribute : function.defaults) {
      given.try_emplace(attribute.name, &attribute);
    }
    body.call_attributes = &given;
    const std::string_view name = !call.name.empty()      ? call.name
                                  : !call.outputs.empty() ? call.outputs[0]
                                                          : call.op_type;
    body.prefix = graph_.UniqueScope(scope.prefix + std::string(name)) + "/";
    CBOARD_RETURN_IF_ERROR(graph_.Charge(2 * body.prefix.size()));
    for (std::size_t i = 0; i < function.inputs.size(); ++i) {
      body.tensors[function.inputs[i]] =
          i < call.inputs.size() ? Find(scope, call.inputs[i]) : kNoTensor;
    }
    for (std::size_t i = 0; i < function.outputs.size() && i < call.outputs.size(); ++i) {
      if (!call.outputs[i].empty()) {
        body.tensors.try_emplace(function.outputs[i], Find(scope, call.outputs[i]));
      }
    }
    return ReadNodes(function.nodes, body, [&] { return DescribeAll(body, function.value_infos); });
  }

  static void AddAttribute(const OnnxAttribute& attribute, ModelNode& node) {
    const auto add = [&](AttributeValue value) {
      node.attributes.emplace_back(std::string(attribute.name), std::move(value));
    };
    switch (attribute.kind) {
      case OnnxAttributeKind::kFloat:
        return add(attribute.floats.empty() ? 0.0 : static_cast<double>(attribute.floats.back()));
      case OnnxAttributeKind::kInt:
        return add(attribute.ints.empty() ? std::int64_t{0} : attribute.ints.back());
      case OnnxAttributeKind::kString:
        return add(attribute.strings.empty() ? std::string()
                                             : std::string(attribute.strings.back()));
      case OnnxAttributeKind::kFloats:
        return add(std::vector<double>(attribute.floats.begin(), attribute.floats.end()));
      case OnnxAttributeKind::kInts:
        return add(attribute.ints);
      case OnnxAttributeKind::kStrings:
        return add(std::vector<std::string>(attribute.strings.begin(), attribute.strings.end()));
      default:
        return;  // Tensors and graphs are not stored as attributes.
    }
  }

  // Reads the fill value of ConstantOfShape, which is a tensor of one number.
  void AddFill(const std::vector<OnnxAttribute>& attributes, ModelNode& node) {
    for (const OnnxAttribute& attribute : attributes) {
      if (attribute.kind != OnnxAttributeKind::kTensor || attribute.tensor.is_external) continue;
      const DType type = proto::DTypeOfOnnx(attribute.tensor.elem_type);
      if (!node.outputs.empty() && node.outputs[0] != kNoTensor) {
        graph_.tensor(node.outputs[0]).type = type;
      }
      const Result<proto::OnnxElements> elements = ElementsOf(attribute.tensor);
      if (!elements || !HoldsRealNumbers(type)) continue;
      const ByteSpan bytes =
          AsBytes(elements->is_decoded ? std::string_view(elements->decoded) : elements->in_place);
      if (bytes.size() < LayoutOf(type).bytes) continue;
      float value = 0;
      LoadStored(type, bytes, 0, {&value, 1});
      node.attributes.emplace_back(std::string(attribute.name), static_cast<double>(value));
    }
  }

  GraphAssembler graph_;
  ExternalData external_;
  std::unordered_map<TensorId, IfBranches> branches_;  // By output of an If node.
  const proto::OnnxModel& model_;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, const OnnxFunction*>
      functions_;
};

}  // namespace

Result<ModelGraph> ReadOnnx(std::shared_ptr<const MappedFile> file, const InputShapes& shapes) {
  CBOARD_ASSIGN_OR_RETURN(const proto::OnnxModel model,
                          proto::ParseOnnxModelWithFunctions(file->text()));
  return OnnxReader(file, model).Run(shapes);
}

}  // namespace cboard::model
