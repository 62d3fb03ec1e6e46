// Reads TensorFlow models. The nodes of functions are copied into each place that calls the
// function. The variables of a SavedModel become constants.
#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "cboard/base/strings.h"
#include "model/graph/external_data.h"
#include "model/graph/formats.h"
#include "model/graph/given_shapes.h"
#include "model/graph/graph_assembler.h"
#include "model/tensorflow/tensor_bundle.h"
#include "model/tensorflow/tensorflow_messages.h"
#include "model/tensorflow/tensorflow_passes.h"

namespace cboard::model {
namespace {

constexpr int kMaxDepth = 32;  // Maximum depth of nested functions.

// A scope, which is the graph or the body of a function. It maps references to tensors.
struct Scope {
  std::string prefix;  // Prefix of names; empty, or with a slash at the end.
  bool is_function = false;
  int depth = 0;
  NodeId parent = kNoNode;
  // The tensors by canonical reference. A reference is "node:0" in the graph, and "node:output:0"
  // or "argument" in a function.
  std::unordered_map<std::string, TensorId> tensors;
  // The references that are used, by the name of their node. They are collected before the nodes
  // are read.
  std::unordered_map<std::string_view, std::vector<std::string>> used_outputs;
  std::unordered_set<std::string> used;
};

// Returns the canonical form of a reference. In a graph, "x" means "x:0". Returns nullopt for "^x",
// which is a control dependency.
std::optional<std::string> Canonical(std::string_view reference, const Scope& scope) {
  if (reference.empty() || reference.starts_with('^')) return std::nullopt;
  if (scope.is_function || reference.find(':') != std::string_view::npos) {
    return std::string(reference);
  }
  return std::string(reference) + ":0";
}

std::string_view NodeOf(std::string_view reference) {
  return reference.substr(0, reference.find(':'));
}

// Returns the output index of a reference, which is the number after the last colon.
int OutputIndex(std::string_view reference) {
  const std::size_t colon = reference.rfind(':');
  int index = 0;
  if (colon != std::string_view::npos) {
    std::from_chars(reference.data() + colon + 1, reference.data() + reference.size(), index);
  }
  return std::max(index, 0);
}

class TensorFlowReader {
 public:
  TensorFlowReader(ModelFormat format, std::shared_ptr<const MappedFile> file)
      : graph_(format, std::move(file)), files_(graph_) {}

  Result<void> ReadVariables() {
    Result<TensorBundle> bundle = ReadTensorBundle("variables/variables", files_, graph_);
    if (bundle) {
      bundle_ = *std::move(bundle);
      return {};
    }
    // There is no checkpoint if a SavedModel has no variables.
    if (bundle.error().code == ErrorCode::kNotFound) return {};
    return Fail(std::move(bundle).error());
  }

  void AddMetadata(std::string_view key, std::string_view value) {
    graph_.AddMetadata(key, std::string(value));
  }

  Result<ModelGraph> Run(const TensorFlowGraph& source, const SavedModelParts& signature,
                         const InputShapes& shapes) {
    for (const TensorFlowFunction& function : source.functions) {
      functions_.try_emplace(function.name, &function);
    }
    Scope scope;
    for (const auto* names : {&signature.inputs, &signature.outputs}) {
      for (const std::string_view name : *names) Use(name, scope);
    }
    CBOARD_ASSIGN_OR_RETURN(const auto needed, NeededNodes(source.nodes, signature.outputs));
    CBOARD_RETURN_IF_ERROR(ReadNodes(needed, scope));
    for (const std::string_view name : signature.inputs) AddEnd(name, scope, true);
    for (const std::string_view name : signature.outputs) AddEnd(name, scope, false);
    CBOARD_RETURN_IF_ERROR(graph_.Sort());
    if (signature.inputs.empty() && signature.outputs.empty()) FindHeads();
    CBOARD_RETURN_IF_ERROR(GiveInputShapes(shapes, graph_));
    InferTensorFlowShapes(graph_);
    CBOARD_RETURN_IF_ERROR(ResolveTensorFlowQuantization(graph_));
    return graph_.Finish();
  }

 private:
  // Returns the nodes that the signature of a SavedModel needs. The other nodes save, restore and
  // initialize variables. If there is no signature, returns all nodes. Fails if two nodes have the
  // same name, because references contain the name.
  static Result<std::vector<const TensorFlowNode*>> NeededNodes(
      const std::vector<TensorFlowNode>& nodes, const std::vector<std::string_view>& outputs) {
    std::unordered_map<std::string_view, std::size_t> by_name;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (by_name.try_emplace(nodes[i].name, i).second) continue;
      return Fail(ErrorCode::kDataLoss,
                  "two nodes of the graph have the name " + Quoted(nodes[i].name));
    }
    std::vector<bool> is_needed(nodes.size(), outputs.empty());
    std::vector<std::string_view> todo(outputs.begin(), outputs.end());
    while (!todo.empty()) {
      const auto found = by_name.find(NodeOf(todo.back()));
      todo.pop_back();
      if (found == by_name.end() || is_needed[found->second]) continue;
      is_needed[found->second] = true;
      const std::vector<std::string_view>& inputs = nodes[found->second].inputs;
      todo.insert(todo.end(), inputs.begin(), inputs.end());
    }
    std::vector<const TensorFlowNode*> needed;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (is_needed[i]) needed.push_back(&nodes[i]);
    }
    return needed;
  }

  void AddEnd(std::string_view name, Scope& scope, bool is_input) {
    const std::optional<std::string> reference = Canonical(name, scope);
    const auto found = reference ? scope.tensors.find(*reference) : scope.tensors.end();
    if (found == scope.tensors.end()) return;
    if (is_input) {
      graph_.AddInput(found->second);
    } else {
      graph_.AddOutput(found->second);
    }
  }

  // Finds the inputs and outputs of a graph that does not declare them. Placeholders are inputs,
  // and tensors that no node uses are outputs.
  void FindHeads() {
    std::vector<bool> is_read(graph_.tensors().size(), false);
    for (const ModelNode& node : graph_.nodes()) {
      for (const TensorId input : node.inputs) is_read[IndexOf(input)] = true;
    }
    for (const ModelNode& node : graph_.nodes()) {
      for (const TensorId output : node.outputs) {
        if (node.op_type == "Placeholder") {
          graph_.AddInput(output);
        } else if (!is_read[IndexOf(output)] && !node.inputs.empty()) {
          graph_.AddOutput(output);
        }
      }
    }
  }

  void Use(std::string_view raw, Scope& scope) {
    std::optional<std::string> reference = Canonical(raw, scope);
    if (!reference) return;
    const std::string_view node = NodeOf(raw);
    // Skips references to an argument of a function: an argument is not the output of a node.
    if (scope.is_function && node == raw) return;
    if (scope.used.contains(*reference)) return;
    // Counts the memory of a reference, including its entries in lookup tables.
    if (graph_.Spend(256 + 3 * reference->size())) {
      scope.used.insert(*reference);
      scope.used_outputs[node].push_back(*std::move(reference));
    }
  }

  TensorId Find(std::string_view raw, Scope& scope) {
    const std::string reference = *Canonical(raw, scope);
    const auto [entry, is_new] = scope.tensors.try_emplace(reference, kNoTensor);
    if (is_new) entry->second = graph_.NewTensor(scope.prefix + NameOf(reference));
    return entry->second;
  }

  // Returns the name of the tensor of a reference. The first output of a node has the name of the
  // node.
  static std::string NameOf(const std::string& reference) {
    return OutputIndex(reference) == 0 ? std::string(NodeOf(reference)) : reference;
  }

  Result<void> ReadNodes(const std::vector<const TensorFlowNode*>& nodes, Scope& scope) {
    for (const TensorFlowNode* node : nodes) {
      for (const std::string_view input : node->inputs) Use(input, scope);
      if (!scope.is_function) Use(node->name, scope);
    }
    // Creates all outputs before reading the nodes, because nodes may be in any order.
    for (const TensorFlowNode* node : nodes) {
      std::vector<std::string>& used = scope.used_outputs[node->name];
      std::ranges::stable_sort(used, {}, [](const std::string& ref) { return OutputIndex(ref); });
      for (const std::string& reference : used) Find(reference, scope);
    }
    for (const TensorFlowNode* node : nodes) CBOARD_RETURN_IF_ERROR(ReadNode(*node, scope));
    return {};
  }

  std::vector<TensorId> OutputsOf(const TensorFlowNode& node, Scope& scope) {
    std::vector<TensorId> outputs;
    for (const std::string& reference : scope.used_outputs[node.name]) {
      outputs.push_back(Find(reference, scope));
    }
    return outputs;
  }

  Result<void> ReadNode(const TensorFlowNode& node, Scope& scope) {
    CBOARD_RETURN_IF_ERROR(graph_.CheckMemory());
    const std::vector<TensorId> outputs = OutputsOf(node, scope);
    if (node.op == "Const") return ReadConst(node, outputs);
    if (node.op == "VarHandleOp" || node.op == "VariableV2" || node.op == "Variable") {
      CBOARD_ASSIGN_OR_RETURN(const bool is_stored, ReadVariable(node, outputs));
      if (is_stored) return {};
    }
    if (node.op == "PartitionedCall" || node.op == "StatefulPartitionedCall") {
      const TensorFlowAttribute* called = node.Find("f");
      const auto function = functions_.find(called == nullptr ? "" : called->function);
      if (function != functions_.end()) return Unfold(*function->second, node, scope);
    }
    if (const auto function = functions_.find(node.op); function != functions_.end()) {
      return Unfold(*function->second, node, scope);
    }
    ModelNode added;
    added.name = scope.prefix + std::string(node.name);
    added.op_type = node.op;
    added.parent = scope.parent;
    added.outputs = outputs;
    for (const std::string_view input : node.inputs) {
      if (Canonical(input, scope)) added.inputs.push_back(Find(input, scope));
    }
    for (const auto& [key, attribute] : node.attributes) {
      if (attribute.value && !key.starts_with('_'))
        added.attributes.emplace_back(key, *attribute.value);
    }
    Describe(node, outputs);
    const NodeId id = graph_.AddNode(std::move(added));
    if (node.op == "NextIteration" || node.op == "RefNextIteration") graph_.BreaksCycles(id);
    return {};
  }

  void Describe(const TensorFlowNode& node, const std::vector<TensorId>& outputs) {
    const TensorFlowAttribute* type = nullptr;
    for (const std::string_view key : {"dtype", "T", "DstT", "out_type", "Toutput"}) {
      type = node.Find(key);
      if (type != nullptr && type->type) break;
      type = nullptr;
    }
    const TensorFlowAttribute* shape = node.Find("shape");
    const TensorFlowAttribute* shapes = node.Find("_output_shapes");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      ModelTensor& output = graph_.tensor(outputs[i]);
      if (type != nullptr) output.type = StoredTypeOf(*type->type);
      if (shapes != nullptr && i < shapes->shapes.size() && shapes->shapes[i]) {
        graph_.Describe(outputs[i], output.type, *shapes->shapes[i]);
      } else if (i == 0 && shape != nullptr && shape->shape && node.op.starts_with("Placeholder")) {
        graph_.Describe(outputs[i], output.type, *shape->shape);
      }
    }
  }

  Result<void> ReadConst(const TensorFlowNode& node, const std::vector<TensorId>& outputs) {
    const TensorFlowAttribute* value = node.Find("value");
    if (value == nullptr || outputs.empty()) return {};
    CBOARD_ASSIGN_OR_RETURN(const proto::Tensor tensor, proto::ParseTensor(value->tensor));
    const DType type = StoredTypeOf(tensor.dtype);
    StoredBytes stored{.may_repeat_last = true};
    if (LayoutOf(type).bytes > 0) {
      CBOARD_ASSIGN_OR_RETURN(const TensorFlowElements elements, ElementsOf(tensor));
      stored.data =
          elements.is_decoded ? graph_.Keep(elements.decoded) : AsBytes(elements.in_place);
      // If a tensor has no stored elements, all its elements are zero.
      const std::optional<std::uint64_t> count = ElementCount(tensor.shape);
      if (stored.data.empty() && count && *count > 0) {
        stored.data = graph_.Keep(std::string(LayoutOf(type).bytes, '\0'));
      }
    }
    CBOARD_RETURN_IF_ERROR(graph_.SetConstant(outputs[0], type, tensor.shape, stored));
    for (std::size_t i = 1; i < outputs.size(); ++i) graph_.tensor(outputs[i]).type = type;
    return {};
  }

  // Makes a variable a constant if the checkpoint contains it. Returns false if it does not.
  Result<bool> ReadVariable(const TensorFlowNode& node, const std::vector<TensorId>& outputs) {
    if (outputs.empty()) return false;
    const TensorFlowAttribute* shared = node.Find("shared_name");
    const std::string* name =
        shared == nullptr || !shared->value ? nullptr : std::get_if<std::string>(&*shared->value);
    const std::string_view variable =
        name == nullptr || name->empty() ? node.name : std::string_view(*name);
    const BundleEntry* entry = bundle_.Find(variable);
    if (entry == nullptr) {
      // Some exporters copy a variable and add a number to its name: "dense/kernel_1". It is
      // treated as a copy only if the shapes are equal.
      const std::size_t end = variable.find_last_not_of("0123456789");
      if (end == std::string_view::npos || variable[end] != '_') return false;
      entry = bundle_.Find(variable.substr(0, end));
      const TensorFlowAttribute* shape = node.Find("shape");
      if (entry == nullptr || shape == nullptr || shape->shape != entry->shape) return false;
    }
    CBOARD_RETURN_IF_ERROR(
        graph_.SetConstant(outputs[0], StoredTypeOf(entry->type), entry->shape, {entry->data}));
    return true;
  }

  Result<void> Unfold(const TensorFlowFunction& function, const TensorFlowNode& call,
                      Scope& caller) {
    Scope body;
    body.is_function = true;
    body.depth = caller.depth + 1;
    body.parent = caller.parent;
    if (body.depth > kMaxDepth) {
      return Fail(ErrorCode::kInvalidArgument,
                  "function " + Quoted(function.name) +
                      " calls itself, or functions are nested more than " +
                      std::to_string(kMaxDepth) + " levels deep");
    }
    // If the name of the call was generated, it does not become a part of the scope.
    const bool is_named = call.name.find("PartitionedCall") == std::string_view::npos;
    body.prefix = caller.prefix + (is_named ? std::string(call.name) + "/" : "");
    std::uint64_t memory = function.nodes.size() * (4 * body.prefix.size() + 2 * sizeof(ModelNode));
    memory += 64 * (function.inputs.size() + function.outputs.size() + function.returns.size());
    for (const TensorFlowNode& node : function.nodes) {
      memory += node.name.size() * 4;
      for (const std::string_view input : node.inputs) memory += 2 * input.size() + 64;
      for (const auto& [key, attribute] : node.attributes) memory += AttributeBytes(attribute);
    }
    CBOARD_RETURN_IF_ERROR(graph_.Charge(memory));

    std::size_t argument = 0;
    for (const std::string_view input : call.inputs) {
      if (argument >= function.inputs.size() || !Canonical(input, caller)) continue;
      body.tensors[std::string(function.inputs[argument++])] = Find(input, caller);
    }
    CBOARD_RETURN_IF_ERROR(BindOutputs(function, call, caller, body));
    CBOARD_ASSIGN_OR_RETURN(const auto needed, NeededNodes(function.nodes, {}));
    return ReadNodes(needed, body);
  }

  static std::uint64_t AttributeBytes(const TensorFlowAttribute& attribute) {
    if (!attribute.value) return 64;
    return 64 + std::visit(
                    [](const auto& value) -> std::uint64_t {
                      using Value = std::decay_t<decltype(value)>;
                      if constexpr (std::is_arithmetic_v<Value>) {
                        return 8;
                      } else {
                        return value.size() * sizeof(typename Value::value_type);
                      }
                    },
                    *attribute.value);
  }

  // Connects the outputs of a call with the tensors that the body of the function returns.
  Result<void> BindOutputs(const TensorFlowFunction& function, const TensorFlowNode& call,
                           Scope& caller, Scope& body) {
    std::unordered_map<std::string_view, std::string_view> returns(function.returns.begin(),
                                                                   function.returns.end());
    for (const std::string& reference : caller.used_outputs[call.name]) {
      const auto index = static_cast<std::size_t>(OutputIndex(reference));
      if (index >= function.outputs.size()) continue;
      const auto returned = returns.find(function.outputs[index]);
      if (returned == returns.end()) continue;
      const TensorId output = Find(reference, caller);
      const std::string inner(returned->second);
      if (body.tensors.try_emplace(inner, output).second) {
        Use(returned->second, body);
        continue;
      }
      // If the body returns an argument, or returns the same tensor twice, the output needs a
      // separate node.
      graph_.AddNode({.name = body.prefix + std::string(function.outputs[index]),
                      .op_type = "Identity",
                      .inputs = {body.tensors[inner]},
                      .outputs = {output},
                      .parent = body.parent});
    }
    return {};
  }

  GraphAssembler graph_;
  ExternalData files_;
  TensorBundle bundle_;
  std::unordered_map<std::string_view, const TensorFlowFunction*> functions_;
};

}  // namespace

Result<ModelGraph> ReadTensorFlowGraph(std::shared_ptr<const MappedFile> file,
                                       const InputShapes& shapes) {
  CBOARD_ASSIGN_OR_RETURN(const TensorFlowGraph graph, ParseTensorFlowGraph(file->text()));
  return TensorFlowReader(ModelFormat::kTensorFlowGraph, file).Run(graph, {}, shapes);
}

Result<ModelGraph> ReadSavedModel(std::shared_ptr<const MappedFile> file,
                                  const InputShapes& shapes) {
  CBOARD_ASSIGN_OR_RETURN(const SavedModelParts parts, ParseSavedModel(file->text()));
  CBOARD_ASSIGN_OR_RETURN(const TensorFlowGraph graph, ParseTensorFlowGraph(parts.graph));
  TensorFlowReader reader(ModelFormat::kSavedModel, file);
  reader.AddMetadata("tensorflow_version", parts.version);
  for (const std::string_view tag : parts.tags) reader.AddMetadata("tag", tag);
  CBOARD_RETURN_IF_ERROR(reader.ReadVariables());
  return reader.Run(graph, parts, shapes);
}

}  // namespace cboard::model
