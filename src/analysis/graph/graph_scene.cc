#include "cboard/analysis/graph_scene.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "analysis/graph/graph_names.h"
#include "analysis/graph/layered_graph.h"
#include "cboard/base/check.h"

namespace cboard::analysis {
namespace {

std::uint64_t Mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15u + (hash << 6) + (hash >> 2);
  return hash;
}

// Gives equal groups the same number. Groups are equal if they have the same number of nodes of
// each operator, of equal groups, and of lines. Equal groups get a common number above 0. All other
// groups get 0.
std::vector<std::uint32_t> FindStructures(const GraphScene& scene) {
  const auto& groups = scene.outline.groups;
  std::vector<std::uint64_t> hashes(groups.size(), 0);
  std::vector<std::uint64_t> lines(groups.size(), 0);
  for (const DiffEdge& edge : scene.diff.edges) {
    const std::uint32_t group = scene.outline.nodes[edge.from].group;
    if (group == scene.outline.nodes[edge.to].group) ++lines[group];
  }
  std::vector<std::uint64_t> parts;
  for (std::size_t i = groups.size(); i-- > 0;) {  // Children come after their parents.
    parts.clear();
    for (const std::uint32_t node : groups[i].nodes) {
      parts.push_back(std::hash<std::string_view>()(scene.AnyNode(node).op));
    }
    for (const std::uint32_t group : groups[i].groups) parts.push_back(hashes[group]);
    std::ranges::sort(parts);
    hashes[i] = Mix(lines[i], parts.size());
    for (const std::uint64_t part : parts) hashes[i] = Mix(hashes[i], part);
  }
  std::unordered_map<std::uint64_t, std::uint32_t> uses, numbers;
  for (const std::uint64_t hash : hashes) ++uses[hash];
  std::vector<std::uint32_t> structures(groups.size(), 0);
  for (std::size_t i = 1; i < groups.size(); ++i) {
    if (uses[hashes[i]] < 2 || groups[i].total_nodes < 2) continue;
    structures[i] =
        numbers.emplace(hashes[i], static_cast<std::uint32_t>(numbers.size() + 1)).first->second;
  }
  return structures;
}

std::vector<char> FindHidden(const GraphScene& scene) {
  const std::size_t count = scene.diff.nodes.size();
  std::vector<char> used(count, 0), hidden(count, 0);
  for (const DiffEdge& edge : scene.diff.edges) used[edge.from] = 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    const NodeFacts* const facts = scene.FactsInA(i) ? scene.FactsInA(i) : scene.FactsInB(i);
    hidden[i] = (facts->constant && used[i]) || facts->annotates;
  }
  return hidden;
}

// Returns true if a node only quantizes or dequantizes, in each graph that has it.
bool OnlyRounds(const GraphScene& scene, std::uint32_t node) {
  const auto rounds = [](const reader::GraphNode* in) {
    return in == nullptr || IsQuantizeOperation(in->op) || IsDequantizeOperation(in->op);
  };
  return rounds(scene.NodeInA(node)) && rounds(scene.NodeInB(node));
}

std::vector<std::uint32_t> FindFolded(const GraphScene& scene) {
  const std::size_t count = scene.diff.nodes.size();
  constexpr std::uint32_t kSeveral = kNoNode - 1;
  std::vector<std::uint32_t> sources(count, kNoNode);
  for (const DiffEdge& edge : scene.diff.edges) {
    if (edge.control || scene.hidden[edge.from] || edge.from == edge.to) continue;
    std::uint32_t& source = sources[edge.to];
    source = source == kNoNode || source == edge.from ? edge.from : kSeveral;
  }
  std::vector<std::uint32_t> folded(count, kNoNode);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!scene.hidden[i] && sources[i] < kSeveral && OnlyRounds(scene, i)) folded[i] = sources[i];
  }
  // A quantize node behind a dequantize node belongs to the node in front of the dequantize node.
  // Nodes in a cycle stay separate.
  std::vector<char> done(count, 0);
  std::vector<std::uint32_t> path;
  for (std::uint32_t i = 0; i < count; ++i) {
    path.clear();
    std::uint32_t at = i;
    for (; folded[at] != kNoNode && !done[at] && path.size() <= count; at = folded[at]) {
      path.push_back(at);
    }
    const bool circle = path.size() > count;
    const std::uint32_t root = circle ? kNoNode : folded[at] != kNoNode ? folded[at] : at;
    for (const std::uint32_t node : path) {
      folded[node] = root;
      done[node] = 1;
    }
  }
  return folded;
}

std::string_view FirstPart(std::string_view name) { return name.substr(0, name.find('/')); }

// Maps the names of the outermost groups of B to the names of the corresponding groups of A,
// because tracing and quantization rename the model. A group is mapped only if all its nodes have
// partners in the same group of A.
std::unordered_map<std::string_view, std::string_view> FindRenamedRoots(const GraphScene& scene) {
  std::unordered_map<std::string_view, std::string_view> in_a;
  for (const DiffNode& node : scene.diff.nodes) {
    if (node.a == kNoNode || node.b == kNoNode) continue;
    const std::string_view a = FirstPart(scene.a->graph.nodes[node.a].name);
    const std::string_view b = FirstPart(scene.b->graph.nodes[node.b].name);
    const auto [found, is_new] = in_a.emplace(b, a);
    if (!is_new && found->second != a) found->second = b;  // Ambiguous, so it keeps its name.
  }
  return in_a;
}

// Returns the names that decide the groups of nodes: the name in A. A node that only B has is
// placed in the group of its neighbours.
std::vector<std::string> NamesOf(const GraphScene& scene) {
  const auto roots = FindRenamedRoots(scene);
  std::vector<std::string> names;
  names.reserve(scene.diff.nodes.size());
  for (std::uint32_t i = 0; i < scene.diff.nodes.size(); ++i) {
    std::string& name = names.emplace_back(scene.AnyNode(i).name);
    if (scene.NodeInA(i) != nullptr || name.find('/') == std::string::npos) continue;
    const std::string_view root = FirstPart(name);
    const auto found = roots.find(root);
    if (found != roots.end()) name.replace(0, root.size(), found->second);
  }
  return names;
}

}  // namespace

const reader::GraphNode* GraphScene::NodeInA(std::uint32_t node) const {
  const std::uint32_t index = diff.nodes[node].a;
  return index == kNoNode ? nullptr : &a->graph.nodes[index];
}

const reader::GraphNode* GraphScene::NodeInB(std::uint32_t node) const {
  const std::uint32_t index = diff.nodes[node].b;
  return index == kNoNode ? nullptr : &b->graph.nodes[index];
}

const NodeFacts* GraphScene::FactsInA(std::uint32_t node) const {
  const std::uint32_t index = diff.nodes[node].a;
  return index == kNoNode ? nullptr : &a->facts[index];
}

const NodeFacts* GraphScene::FactsInB(std::uint32_t node) const {
  const std::uint32_t index = diff.nodes[node].b;
  return index == kNoNode ? nullptr : &b->facts[index];
}

const reader::GraphNode& GraphScene::AnyNode(std::uint32_t node) const {
  const reader::GraphNode* const in_a = NodeInA(node);
  return in_a != nullptr ? *in_a : *NodeInB(node);
}

GraphScene MakeScene(std::shared_ptr<const MeasuredGraph> a,
                     std::shared_ptr<const MeasuredGraph> b) {
  CBOARD_CHECK(a != nullptr);
  GraphScene scene;
  scene.diff = b == nullptr ? DiffOfOne(a->graph) : DiffGraphs(*a, *b);
  scene.a = std::move(a);
  scene.b = std::move(b);
  const std::vector<std::string> names = NamesOf(scene);
  scene.outline = MakeOutline(std::vector<std::string_view>(names.begin(), names.end()));
  scene.hidden = FindHidden(scene);
  scene.folded_into = FindFolded(scene);
  scene.structures = FindStructures(scene);
  return scene;
}

std::vector<char> Trace(const GraphScene& scene, std::span<const std::uint32_t> start,
                        TraceDirection direction) {
  std::vector<std::uint32_t> froms, tos;
  for (const DiffEdge& edge : scene.diff.edges) {
    froms.push_back(direction == TraceDirection::kInputs ? edge.to : edge.from);
    tos.push_back(direction == TraceDirection::kInputs ? edge.from : edge.to);
  }
  const Neighbours next(scene.diff.nodes.size(), froms, tos);
  std::vector<char> reached(scene.diff.nodes.size(), 0);
  std::vector<std::uint32_t> waiting(start.begin(), start.end());
  for (const std::uint32_t node : waiting) reached[node] = 1;
  while (!waiting.empty()) {
    const std::uint32_t node = waiting.back();
    waiting.pop_back();
    for (const auto& link : next[node]) {
      if (reached[link.node]) continue;
      reached[link.node] = 1;
      waiting.push_back(link.node);
    }
  }
  return reached;
}

}  // namespace cboard::analysis
