#include <algorithm>
#include <map>

#include "cboard/analysis/node_comparer.h"
#include "cboard/analysis/node_weights.h"
#include "server/api/graph_json.h"
#include "server/content/json_columns.h"

namespace cboard::server {
namespace {

using analysis::GraphScene;
using analysis::kNoNode;
using analysis::NodeFacts;

// Maximum number of neighbours in a response. The response also contains the number of all
// neighbours.
constexpr std::size_t kMaxNeighbours = 200;

void WriteShapes(JsonWriter& json, const reader::GraphNode& node) {
  json.Key("output_shapes").BeginArray();
  for (const auto& shape : node.output_shapes) {
    if (!shape) {
      json.Null();
      continue;
    }
    json.BeginArray();
    for (const std::int64_t size : *shape) json.Value(size);
    json.EndArray();
  }
  json.EndArray();
}

void WriteOptional(JsonWriter& json, std::string_view key,
                   const std::optional<std::int64_t>& value) {
  json.Key(key);
  if (value) {
    json.Value(*value);
  } else {
    json.Null();
  }
}

void WriteSide(JsonWriter& json, std::string_view key, const reader::GraphNode* node,
               const NodeFacts* facts) {
  json.Key(key);
  if (node == nullptr) {
    json.Null();
    return;
  }
  json.BeginObject().Key("name").Value(node->name).Key("op").Value(node->op);
  json.Key("device").Value(node->device);
  WriteShapes(json, *node);
  json.Key("attributes").BeginObject();
  WriteValues(json, "keys", node->attributes, &reader::GraphAttribute::key);
  WriteValues(json, "texts", node->attributes, &reader::GraphAttribute::text);
  WriteValues(json, "elided", node->attributes, &reader::GraphAttribute::elided);
  json.EndObject();
  json.Key("weight_bits").Value(facts->weight_bits);
  json.Key("activation_bits").Value(facts->activation_bits);
  json.Key("weight_bytes").Value(facts->weight_bytes);
  json.Key("output_bytes").Value(facts->output_bytes);
  WriteOptional(json, "memory_bytes", facts->memory_bytes);
  WriteOptional(json, "compute_micros", facts->compute_micros);
  json.EndObject();
}

struct Neighbour {
  std::uint32_t node = 0;
  std::uint8_t sides = 0;
  bool control = false;
};

void WriteNeighbours(JsonWriter& json, std::string_view key, const GraphScene& scene,
                     std::vector<Neighbour> neighbours) {
  std::ranges::stable_sort(neighbours, {}, &Neighbour::node);
  const auto repeated = std::ranges::unique(neighbours, {}, &Neighbour::node);
  neighbours.erase(repeated.begin(), repeated.end());
  json.Key(key).BeginObject().Key("total").Value(neighbours.size());
  if (neighbours.size() > kMaxNeighbours) neighbours.resize(kMaxNeighbours);
  WriteValues(json, "paths", neighbours,
              [&](const Neighbour& n) { return scene.outline.nodes[n.node].path; });
  WriteValues(json, "ops", neighbours,
              [&](const Neighbour& n) { return scene.AnyNode(n.node).op; });
  WriteValues(json, "hidden", neighbours,
              [&](const Neighbour& n) { return scene.hidden[n.node] != 0; });
  WriteValues(json, "sides", neighbours, &Neighbour::sides);
  WriteValues(json, "controls", neighbours, &Neighbour::control);
  json.EndObject();
}

// Writes the edges that enter or leave a set of nodes.
template <typename IsInside>
void WriteInputsAndOutputs(JsonWriter& json, const GraphScene& scene, const IsInside& is_inside) {
  std::vector<Neighbour> inputs, outputs;
  for (const analysis::DiffEdge& edge : scene.diff.edges) {
    const bool from_inside = is_inside(edge.from), to_inside = is_inside(edge.to);
    if (from_inside == to_inside) continue;
    if (to_inside) inputs.push_back({edge.from, edge.sides, edge.control});
    if (from_inside) outputs.push_back({edge.to, edge.sides, edge.control});
  }
  WriteNeighbours(json, "inputs", scene, std::move(inputs));
  WriteNeighbours(json, "outputs", scene, std::move(outputs));
}

// Annotations that stage logs write beside a node are shown with that node.
void WriteNotes(JsonWriter& json, const GraphScene& scene, std::uint32_t node) {
  json.Key("notes").BeginArray();
  const auto write = [&](const analysis::MeasuredGraph* graph, std::uint32_t about,
                         std::string_view side) {
    if (graph == nullptr || about == kNoNode) return;
    for (std::size_t i = 0; i < graph->facts.size(); ++i) {
      if (graph->facts[i].annotates != about) continue;
      const reader::GraphNode& note = graph->graph.nodes[i];
      json.BeginObject().Key("side").Value(side).Key("name").Value(note.name);
      WriteValues(json, "keys", note.attributes, &reader::GraphAttribute::key);
      WriteValues(json, "texts", note.attributes, &reader::GraphAttribute::text);
      json.EndObject();
    }
  };
  write(scene.a.get(), scene.diff.nodes[node].a, "a");
  write(scene.b.get(), scene.diff.nodes[node].b, "b");
  json.EndArray();
}

// Writes the operators that quantize and dequantize the output of a node, with their parameters.
void WriteFolded(JsonWriter& json, const GraphScene& scene, std::uint32_t node) {
  json.Key("quantization").BeginArray();
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < scene.folded_into.size() && count < kMaxNeighbours; ++i) {
    if (scene.folded_into[i] != node) continue;
    ++count;
    const bool in_b = scene.NodeInB(i) != nullptr;
    const reader::GraphNode& one = in_b ? *scene.NodeInB(i) : *scene.NodeInA(i);
    json.BeginObject().Key("path").Value(scene.outline.nodes[i].path).Key("op").Value(one.op);
    json.Key("side").Value(in_b ? "b" : "a");
    WriteValues(json, "keys", one.attributes, &reader::GraphAttribute::key);
    WriteValues(json, "texts", one.attributes, &reader::GraphAttribute::text);
    json.EndObject();
  }
  json.EndArray();
}

void WriteWeights(JsonWriter& json, const GraphScene& scene, std::uint32_t node) {
  json.Key("weights").BeginArray();
  const auto write = [&](const analysis::MeasuredGraph* graph, std::uint32_t about,
                         std::string_view side) {
    if (graph == nullptr || about == kNoNode) return;
    for (const analysis::NodeValues& weight : analysis::WeightsOf(*graph, about)) {
      json.BeginObject().Key("side").Value(side).Key("name").Value(weight.name);
      json.Key("values").Value(weight.values).EndObject();
    }
  };
  write(scene.a.get(), scene.diff.nodes[node].a, "a");
  write(scene.b.get(), scene.diff.nodes[node].b, "b");
  json.EndArray();
}

}  // namespace

void WriteSceneNode(JsonWriter& json, const GraphScene& scene, std::uint32_t node) {
  const analysis::DiffNode& diff = scene.diff.nodes[node];
  json.Key("kind").Value("node").Key("path").Value(scene.outline.nodes[node].path);
  json.Key("change").Value(NameOf(diff.change));
  json.Key("fused_into");
  if (diff.fused_into == kNoNode) {
    json.Null();
  } else {
    json.Value(scene.outline.nodes[diff.fused_into].path);
  }
  std::vector<std::uint32_t> fused;
  for (std::uint32_t i = 0; i < scene.diff.nodes.size(); ++i) {
    if (scene.diff.nodes[i].fused_into == node) fused.push_back(i);
  }
  WriteValues(json, "fused", fused, [&](std::uint32_t i) { return scene.outline.nodes[i].path; });
  WriteFolded(json, scene, node);
  WriteWeights(json, scene, node);
  WriteSide(json, "a", scene.NodeInA(node), scene.FactsInA(node));
  WriteSide(json, "b", scene.NodeInB(node), scene.FactsInB(node));
  std::vector<analysis::NodeDifference> differences;
  if (scene.NodeInA(node) != nullptr && scene.NodeInB(node) != nullptr) {
    differences = analysis::NodeComparer(*scene.a, *scene.b).Compare(diff.a, diff.b);
  }
  json.Key("differences").BeginObject();
  WriteValues(json, "whats", differences, &analysis::NodeDifference::what);
  WriteValues(json, "a", differences, &analysis::NodeDifference::a);
  WriteValues(json, "b", differences, &analysis::NodeDifference::b);
  json.EndObject();
  WriteNotes(json, scene, node);
  WriteInputsAndOutputs(json, scene, [&](std::uint32_t other) { return other == node; });
}

void WriteSceneGroup(JsonWriter& json, const GraphScene& scene, std::uint32_t group) {
  const auto& groups = scene.outline.groups;
  std::vector<char> inside(groups.size(), 0);
  inside[group] = 1;
  for (std::size_t i = group + 1; i < groups.size(); ++i) inside[i] = inside[groups[i].parent];
  const auto is_inside = [&](std::uint32_t node) {
    return inside[scene.outline.nodes[node].group] != 0;
  };
  std::map<std::string_view, std::pair<std::size_t, std::size_t>> operations;
  for (std::uint32_t i = 0; i < scene.diff.nodes.size(); ++i) {
    if (!is_inside(i) || scene.hidden[i]) continue;
    if (const reader::GraphNode* node = scene.NodeInA(i)) ++operations[node->op].first;
    if (const reader::GraphNode* node = scene.NodeInB(i)) ++operations[node->op].second;
  }
  json.Key("kind").Value("group").Key("path").Value(groups[group].path);
  json.Key("operations").BeginObject();
  WriteValues(json, "names", operations, [](const auto& entry) { return entry.first; });
  WriteValues(json, "a", operations, [](const auto& entry) { return entry.second.first; });
  WriteValues(json, "b", operations, [](const auto& entry) { return entry.second.second; });
  json.EndObject();
  WriteInputsAndOutputs(json, scene, is_inside);
}

}  // namespace cboard::server
