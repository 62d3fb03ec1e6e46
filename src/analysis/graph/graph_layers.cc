// Finds the layers of a log in a graph.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "analysis/graph/graph_names.h"
#include "cboard/analysis/graph_scene.h"
#include "cboard/base/strings.h"

namespace cboard::analysis {
namespace {

// Splits a path into parts: "/layer1/layer1.0/conv1" and "layer1.0.conv1" both give layer1, 0,
// conv1.
std::vector<std::string_view> PartsOf(std::string_view path) {
  std::vector<std::string_view> parts;
  std::string_view before;
  for (const std::string_view step : Split(path, '/')) {
    std::string_view rest = InsideBrackets(step);
    if (rest.empty()) continue;
    // Exporters repeat the name of the enclosing module, as in layer1/layer1.0. The repetition is
    // removed.
    const bool repeats = !before.empty() && rest.size() > before.size() + 1 &&
                         rest.starts_with(before) && rest[before.size()] == '.';
    before = rest;
    if (repeats) {
      rest.remove_prefix(rest.find_last_of('.') + 1);
      parts.push_back(rest);
      continue;
    }
    for (const std::string_view part : Split(rest, '.')) parts.push_back(part);
  }
  return parts;
}

std::string Joined(std::span<const std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts) (key += part) += '\n';
  return key;
}

// Number of leading parts of a node name that may be dropped: node names begin with the names of
// the model and of the graph, layer names do not.
constexpr std::size_t kMaxDroppedScopes = 2;
constexpr std::uint32_t kSeveral = kNoNode - 1;

// Finds the node that represents a layer in its group: the node with the largest weights, or the
// first node if there are no weights.
class Representatives {
 public:
  explicit Representatives(const GraphScene& scene)
      : scene_(scene), nodes_(scene.outline.groups.size(), kNoNode) {
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      const OutlineGroup& group = scene.outline.groups[i];
      for (const std::uint32_t node : group.nodes) Consider(i, node);
      for (const std::uint32_t child : group.groups) Consider(i, nodes_[child]);
    }
  }
  std::uint32_t operator[](std::size_t group) const { return nodes_[group]; }

 private:
  std::uint64_t WeightOf(std::uint32_t node) const {
    const NodeFacts* const facts =
        scene_.FactsInA(node) ? scene_.FactsInA(node) : scene_.FactsInB(node);
    return facts->weight_bytes;
  }
  void Consider(std::size_t group, std::uint32_t node) {
    if (node == kNoNode || scene_.hidden[node]) return;
    std::uint32_t& best = nodes_[group];
    if (best == kNoNode || WeightOf(node) > WeightOf(best)) best = node;
  }

  const GraphScene& scene_;
  std::vector<std::uint32_t> nodes_;
};

}  // namespace

std::vector<std::uint32_t> FindLayers(const GraphScene& scene,
                                      std::span<const std::string_view> layers) {
  // Layers by name, sorted by the number of leading parts that were dropped from the name: a name
  // with fewer dropped parts is preferred.
  std::unordered_map<std::string, std::uint32_t> known[kMaxDroppedScopes + 1];
  const auto learn = [&](std::string_view path, std::uint32_t node) {
    const auto parts = PartsOf(path);
    for (std::size_t dropped = 0; dropped <= kMaxDroppedScopes && dropped < parts.size();
         ++dropped) {
      const auto [found, is_new] =
          known[dropped].emplace(Joined(std::span(parts).subspan(dropped)), node);
      if (!is_new && found->second != node) found->second = kSeveral;
    }
  };
  for (std::uint32_t i = 0; i < scene.diff.nodes.size(); ++i) {
    if (!scene.hidden[i]) learn(scene.AnyNode(i).name, i);
  }
  const Representatives representatives(scene);
  for (std::size_t i = 1; i < scene.outline.groups.size(); ++i) {
    if (representatives[i] != kNoNode) learn(scene.outline.groups[i].path, representatives[i]);
  }
  std::vector<std::uint32_t> nodes;
  for (const std::string_view layer : layers) {
    const std::string key = Joined(PartsOf(layer));
    std::uint32_t node = kNoNode;
    for (const auto& by_name : known) {
      const auto found = by_name.find(key);
      if (found == by_name.end()) continue;
      node = found->second == kSeveral ? kNoNode : found->second;
      break;
    }
    nodes.push_back(node);
  }
  return nodes;
}

}  // namespace cboard::analysis
