#include "runtime/constant_part.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cboard/proto/onnx.h"
#include "proto/wire_writer.h"
#include "runtime/onnx_fields.h"
#include "runtime/onnx_parts.h"

namespace cboard::runtime {
namespace {

// Size of an element of a result in bytes. Results are nearly always float32.
constexpr std::size_t kElementBytes = 4;

bool IsStandard(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

bool IsQuantizer(const proto::OnnxNode& node) {
  return (node.op_type == "QuantizeLinear" || node.op_type == "DequantizeLinear") &&
         (IsStandard(node.domain) || node.domain == "com.microsoft");
}

// True for operators whose output has the same number of elements as their input.
bool Rearranges(const proto::OnnxNode& node) {
  static constexpr std::string_view kOperators[] = {"Cast",    "Flatten",   "Reshape",
                                                    "Squeeze", "Transpose", "Unsqueeze"};
  return IsStandard(node.domain) && std::ranges::find(kOperators, node.op_type) != kOperators + 6;
}

// Returns the number of elements of a shape, or nullopt if the shape is invalid or too large.
std::optional<std::size_t> CountOf(const proto::Shape& shape) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    const auto factor = static_cast<std::size_t>(size);
    if (factor > 0 && count > std::numeric_limits<std::size_t>::max() / kElementBytes / factor) {
      return std::nullopt;
    }
    count *= factor;
  }
  return count;
}

// A scope of names: the main graph or a subgraph.
struct Scope {
  proto::OnnxGraph graph;
  GraphPlace place;
  bool is_reachable = true;  // True if a GraphPlace can name it.
  std::unordered_set<std::string_view> inputs, outputs;
};

// A tensor with the same value in every run.
struct Constant {
  const Scope* scope = nullptr;
  std::size_t elements = 0;
  const proto::OnnxTensor* initializer = nullptr;
  const proto::OnnxNode* node =
      nullptr;  // The node that computes it: a Constant, or a node of the constant part.
  bool is_computed = false;
  bool is_used = false;  // True if a node of the constant part uses it.
};

class ConstantFinder {
 public:
  Result<ConstantPart> Run(std::string_view model, std::span<const std::string> captured,
                           std::size_t max_bytes) {
    CBOARD_ASSIGN_OR_RETURN(const ModelPieces pieces, CutModel(model));
    CBOARD_ASSIGN_OR_RETURN(proto::OnnxGraph graph, proto::ParseOnnxGraph(pieces.graph));
    CBOARD_RETURN_IF_ERROR(AddScope(std::move(graph), {}, true, 0));
    for (const Scope& scope : scopes_) ListConstants(scope);
    for (const Scope& scope : scopes_) FindComputed(scope, max_bytes);
    if (computed_.empty()) return ConstantPart();
    ListUses(captured);
    return Build(pieces);
  }

 private:
  Result<void> AddScope(proto::OnnxGraph parsed, GraphPlace place, bool is_reachable,
                        std::size_t depth) {
    Scope& scope = scopes_.emplace_back();
    scope.graph = std::move(parsed);
    scope.place = std::move(place);
    scope.is_reachable = is_reachable;
    for (const auto& input : scope.graph.inputs) scope.inputs.insert(input.name);
    for (const auto& output : scope.graph.outputs) scope.outputs.insert(output.name);
    // The names of inputs and initializers. Old files also list initializers among the inputs.
    std::unordered_set<std::string_view> names = scope.inputs;
    for (const auto& initializer : scope.graph.initializers) names.insert(initializer.name);
    for (const std::string_view name : names) ++declared_[name];
    for (const proto::OnnxNode& node : scope.graph.nodes) {
      for (const std::string_view name : node.outputs) ++declared_[name];
      const auto output =
          std::ranges::find_if(node.outputs, [](std::string_view name) { return !name.empty(); });
      for (const proto::OnnxAttribute& attribute : node.attributes) {
        for (const std::string_view bytes : attribute.graphs) {
          if (depth == kMaxBodyDepth) {
            return Fail(ErrorCode::kInvalidArgument, "the model's subgraphs are nested too deep");
          }
          CBOARD_ASSIGN_OR_RETURN(proto::OnnxGraph body, proto::ParseOnnxGraph(bytes));
          const bool has_place = is_reachable && output != node.outputs.end() &&
                                 attribute.kind == proto::OnnxAttributeKind::kGraph;
          GraphPlace inside = scope.place;
          if (has_place) inside.push_back({std::string(*output), std::string(attribute.name)});
          CBOARD_RETURN_IF_ERROR(
              AddScope(std::move(body), std::move(inside), has_place, depth + 1));
        }
      }
    }
    return {};
  }

  void ListConstants(const Scope& scope) {
    if (!scope.is_reachable) return;
    const bool is_main = scope.place.empty();
    const auto add = [&](std::string_view name, const proto::Shape& shape, Constant constant) {
      const auto count = CountOf(shape);
      if (!count || name.empty() || declared_[name] != 1) return;
      constant.scope = &scope;
      constant.elements = *count;
      constants_.emplace(name, constant);
    };
    for (const proto::OnnxTensor& tensor : scope.graph.initializers) {
      // In a subgraph, an input may have another value in every iteration, so it is not constant.
      // In the main graph, an input that has an initializer is constant, because captures do not
      // supply another value for it.
      if (is_main || scope.inputs.count(tensor.name) == 0) {
        add(tensor.name, tensor.shape, {.initializer = &tensor});
      }
    }
    for (const proto::OnnxNode& node : scope.graph.nodes) {
      if (node.op_type != "Constant" || !IsStandard(node.domain)) continue;
      if (node.outputs.size() != 1 || node.attributes.size() != 1) continue;
      if (node.attributes[0].name != "value") continue;
      add(node.outputs[0], node.attributes[0].tensor.shape, {.node = &node});
    }
  }

  Constant* Find(std::string_view name) {
    const auto found = constants_.find(name);
    return found == constants_.end() ? nullptr : &found->second;
  }

  void FindComputed(const Scope& scope, std::size_t max_bytes) {
    if (!scope.is_reachable) return;
    for (const proto::OnnxNode& node : scope.graph.nodes) {
      if (node.inputs.empty() || node.outputs.size() != 1 || node.outputs[0].empty()) continue;
      const std::string_view output = node.outputs[0];
      if (declared_[output] != 1 || scope.outputs.count(output) > 0) continue;
      const Constant* const first = Find(node.inputs[0]);
      if (first == nullptr) continue;
      if (!IsQuantizer(node) && !(Rearranges(node) && first->is_computed)) continue;
      const bool is_constant = std::ranges::all_of(
          node.inputs, [&](std::string_view name) { return name.empty() || Find(name); });
      const std::size_t bytes = first->elements * kElementBytes;
      if (!is_constant || bytes > max_bytes - bytes_) continue;
      bytes_ += bytes;
      for (const std::string_view name : node.inputs) {
        if (Constant* const input = Find(name)) input->is_used = true;
      }
      constants_.emplace(
          output,
          Constant{
              .scope = &scope, .elements = first->elements, .node = &node, .is_computed = true});
      computed_.push_back(output);
    }
  }

  // Finds the uses of each constant in the rest of the graph.
  void ListUses(std::span<const std::string> captured) {
    needed_.insert(captured.begin(), captured.end());
    for (const Scope& scope : scopes_) {
      needed_.insert(scope.outputs.begin(), scope.outputs.end());
      for (const proto::OnnxNode& node : scope.graph.nodes) {
        const Constant* const gives = node.outputs.empty() ? nullptr : Find(node.outputs[0]);
        if (gives == nullptr || !gives->is_computed || gives->node != &node) {
          needed_.insert(node.inputs.begin(), node.inputs.end());
        }
      }
    }
  }

  ConstantPart Build(const ModelPieces& pieces) {
    ConstantPart part;
    std::vector<std::string_view> nodes, initializers;
    for (const auto& [name, constant] : constants_) {
      if (constant.is_computed || !constant.is_used) continue;
      if (constant.initializer != nullptr) initializers.push_back(constant.initializer->bytes);
      if (constant.node != nullptr) nodes.push_back(constant.node->bytes);
      if (needed_.count(name) > 0 || constant.scope->inputs.count(name) > 0) continue;
      part.removed.push_back({std::string(name), constant.scope->place});
    }
    for (const std::string_view name : computed_) {
      const Constant& constant = *Find(name);
      nodes.push_back(constant.node->bytes);
      part.removed.push_back({std::string(name), constant.scope->place});
      if (needed_.count(name) > 0) part.outputs.emplace_back(name);
    }
    pieces.before.AppendTo(part.model);
    proto::AppendMessage(part.model, [&](auto& model) {
      model.Message(kModelGraph, [&](auto& graph) {
        for (const std::string_view node : nodes) graph.PresentBytes(kGraphNode, node);
        graph.PresentBytes(kGraphName, "constants");
        for (const std::string_view tensor : initializers) {
          graph.PresentBytes(kGraphInitializer, tensor);
        }
        for (const std::string& name : part.outputs) {
          graph.Message(kGraphOutput,
                        [&](auto& value) { value.PresentBytes(kValueInfoName, name); });
        }
      });
    });
    pieces.after.AppendTo(part.model);
    return part;
  }

  std::deque<Scope> scopes_;                                    // Outer scopes come first.
  std::unordered_map<std::string_view, std::size_t> declared_;  // Number of declarations per name.
  std::unordered_map<std::string_view, Constant> constants_;
  std::vector<std::string_view> computed_;  // In the order of execution.
  std::size_t bytes_ = 0;                   // Size of the computed constants.
  std::unordered_set<std::string_view> needed_;
};

}  // namespace

Result<ConstantPart> FindConstantPart(std::string_view model, std::span<const std::string> captured,
                                      std::size_t max_bytes) {
  return ConstantFinder().Run(model, captured, max_bytes);
}

}  // namespace cboard::runtime
