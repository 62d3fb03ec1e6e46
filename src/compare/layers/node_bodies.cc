#include "compare/layers/node_bodies.h"

#include <algorithm>

namespace cboard::compare {
namespace {

// The name of a node in the body (subgraph) of an If, Loop or Scan, split into the name of the body
// and the node's own name. Both are empty if the name does not contain a body.
struct BodyName {
  std::string_view body;
  std::string_view own;
};

BodyName TakeApart(const model::ModelGraph& model, const model::ModelNode& node) {
  const std::string& around = model.node(node.parent).name;
  std::string_view name = node.name;
  if (!name.starts_with(around) || !name.substr(around.size()).starts_with('/')) return {};
  name.remove_prefix(around.size() + 1);
  const std::size_t end = name.find('/');
  if (end == std::string_view::npos) return {};
  return {name.substr(0, end), name.substr(end + 1)};
}

}  // namespace

std::string BodiesAround(const model::ModelGraph& model, const model::ModelNode& node) {
  std::string bodies;
  for (const model::ModelNode* at = &node; at->parent != model::kNoNode;
       at = &model.node(at->parent)) {
    const std::string body(TakeApart(model, *at).body);
    bodies = bodies.empty() ? body : body + "/" + bodies;
  }
  return bodies;
}

std::string_view NameInFile(const model::ModelGraph& model, const model::ModelNode& node) {
  if (node.parent == model::kNoNode) return node.name;
  const std::string_view own = TakeApart(model, node).own;
  return own.empty() ? std::string_view(node.name) : own;
}

namespace {

// Returns the node's first output that is not omitted.
model::TensorId FirstOutput(const model::ModelNode& node) {
  const auto first = std::ranges::find_if(
      node.outputs, [](model::TensorId output) { return output != model::kNoTensor; });
  return first == node.outputs.end() ? model::kNoTensor : *first;
}

}  // namespace

TensorInFile FindInFile(const model::ModelGraph& model, model::TensorId tensor,
                        const model::ModelNode& node) {
  const std::string& name = model.tensor(tensor).name;
  for (const model::ModelNode* at = &node; at->parent != model::kNoNode;
       at = &model.node(at->parent)) {
    const model::ModelNode& around = model.node(at->parent);
    const std::string body(TakeApart(model, *at).body);
    const std::string prefix = around.name + "/" + body + "/";
    const model::TensorId output = FirstOutput(around);
    if (body.empty() || !name.starts_with(prefix) || output == model::kNoTensor) continue;
    TensorInFile of_node = FindInFile(model, output, around);
    of_node.in.push_back({.output = std::move(of_node.name), .attribute = body});
    return {.name = name.substr(prefix.size()), .in = std::move(of_node.in)};
  }
  return {.name = name, .in = {}};
}

}  // namespace cboard::compare
