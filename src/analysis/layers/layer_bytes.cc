#include "cboard/analysis/layer_bytes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "cboard/analysis/layers.h"

namespace cboard::analysis {
namespace {

constexpr std::string_view kBytes = "bytes";

void LargestSavingFirst(std::vector<LayerBytes>& layers) {
  const auto place = [](const LayerBytes& layer) {
    const bool both = layer.a && layer.b;
    const double size =
        both ? *layer.a - *layer.b : std::max(layer.a.value_or(0), layer.b.value_or(0));
    return std::tuple(!both, -size);
  };
  std::ranges::stable_sort(layers, {}, place);
}

}  // namespace

std::vector<LayerBytes> LoggedLayerBytes(const reader::Snapshot& snapshot, std::string_view model,
                                         std::string_view a, std::string_view b) {
  struct Newest {
    double bytes = 0;
    double wall_time_seconds = 0;
  };
  struct Sides {
    std::optional<Newest> a = {};
    std::optional<Newest> b = {};
  };
  std::map<std::string, Sides> by_layer;
  for (const auto& run : snapshot.runs) {
    for (const reader::Tag& tag : run->tags) {
      if (tag.kind() != reader::TagKind::kScalar || tag.scalars.empty()) continue;
      // Skips most tags by their names, because parsing a tag takes longer.
      if (tag.name().find("/bytes/") == std::string::npos) continue;
      const auto figure = ParseLayerTag(tag);
      if (!figure || figure->model != model || figure->parameter != kBytes) continue;
      if (figure->variant != a && figure->variant != b) continue;
      Sides& sides = by_layer[figure->layer];
      const reader::ScalarPoint last = tag.scalars.back();
      const auto take = [&](std::optional<Newest>& side) {
        if (side && side->wall_time_seconds > last.wall_time_seconds) return;
        side = {.bytes = last.value, .wall_time_seconds = last.wall_time_seconds};
      };
      if (figure->variant == a) take(sides.a);
      if (figure->variant == b) take(sides.b);
    }
  }
  std::vector<LayerBytes> layers;
  for (const auto& [layer, sides] : by_layer) {
    LayerBytes bytes{.layer = layer};
    if (sides.a) bytes.a = sides.a->bytes;
    if (sides.b) bytes.b = sides.b->bytes;
    layers.push_back(std::move(bytes));
  }
  LargestSavingFirst(layers);
  return layers;
}

std::vector<LayerBytes> GraphLayerBytes(const GraphScene& scene, NodeWeight weight) {
  const auto bytes_of = [&](const NodeFacts& facts) {
    if (weight == NodeWeight::kConstants) return static_cast<double>(facts.weight_bytes);
    return static_cast<double>(facts.memory_bytes.value_or(0));
  };
  std::vector<LayerBytes> by_node(scene.diff.nodes.size());
  for (std::uint32_t i = 0; i < by_node.size(); ++i) {
    const DiffNode& node = scene.diff.nodes[i];
    LayerBytes& layer = by_node[node.change == NodeChange::kFused ? node.fused_into : i];
    const auto add = [&](const reader::GraphNode* in_graph, const NodeFacts* facts,
                         std::optional<double>& side) {
      // Counts the size of a dequantized weight at the node that uses it.
      const bool passes_on = weight == NodeWeight::kConstants && in_graph != nullptr &&
                             IsDequantizeOperation(in_graph->op);
      if (facts == nullptr || facts->constant || facts->annotates || passes_on) return;
      const double bytes = bytes_of(*facts);
      if (bytes > 0) side = side.value_or(0) + bytes;
    };
    add(scene.NodeInA(i), scene.FactsInA(i), layer.a);
    add(scene.NodeInB(i), scene.FactsInB(i), layer.b);
  }
  std::vector<LayerBytes> layers;
  for (std::uint32_t i = 0; i < by_node.size(); ++i) {
    if (!by_node[i].a && !by_node[i].b) continue;
    by_node[i].layer = scene.outline.nodes[i].path;
    layers.push_back(std::move(by_node[i]));
  }
  LargestSavingFirst(layers);
  return layers;
}

}  // namespace cboard::analysis
