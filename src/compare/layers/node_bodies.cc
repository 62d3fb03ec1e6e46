#include "compare/layers/node_bodies.h"

#include <algorithm>

namespace cboard::compare {
namespace {

// The name of a node in a body, taken apart. Both are empty when it does not say where it is.
struct BodyName {
  std::string_view body;
  std::string_view own;
};

BodyName TakeApart(const ModelGraph& model, const ModelNode& node) {
  const std::string& around = model.node(node.parent).name;
  std::string_view name = node.name;
  if (!name.starts_with(around) || !name.substr(around.size()).starts_with('/')) return {};
  name.remove_prefix(around.size() + 1);
  const std::size_t end = name.find('/');
  if (end == std::string_view::npos) return {};
  return {name.substr(0, end), name.substr(end + 1)};
}

}  // namespace

std::string BodiesAround(const ModelGraph& model, const ModelNode& node) {
  std::string bodies;
  for (const ModelNode* at = &node; at->parent != kNoNode; at = &model.node(at->parent)) {
    const std::string body(TakeApart(model, *at).body);
    bodies = bodies.empty() ? body : body + "/" + bodies;
  }
  return bodies;
}

std::string_view NameInFile(const ModelGraph& model, const ModelNode& node) {
  if (node.parent == kNoNode) return node.name;
  const std::string_view own = TakeApart(model, node).own;
  return own.empty() ? std::string_view(node.name) : own;
}

namespace {

// A node's first output that has a name.
TensorId FirstOutput(const ModelNode& node) {
  const auto first =
      std::ranges::find_if(node.outputs, [](TensorId output) { return output != kNoTensor; });
  return first == node.outputs.end() ? kNoTensor : *first;
}

}  // namespace

TensorInFile FindInFile(const ModelGraph& model, TensorId tensor, const ModelNode& node) {
  const std::string& name = model.tensor(tensor).name;
  for (const ModelNode* at = &node; at->parent != kNoNode; at = &model.node(at->parent)) {
    const ModelNode& around = model.node(at->parent);
    const std::string body(TakeApart(model, *at).body);
    const std::string prefix = around.name + "/" + body + "/";
    const TensorId output = FirstOutput(around);
    if (body.empty() || !name.starts_with(prefix) || output == kNoTensor) continue;
    TensorInFile of_node = FindInFile(model, output, around);
    of_node.in.push_back({.output = std::move(of_node.name), .attribute = body});
    return {.name = name.substr(prefix.size()), .in = std::move(of_node.in)};
  }
  return {.name = name, .in = {}};
}

}  // namespace cboard::compare
