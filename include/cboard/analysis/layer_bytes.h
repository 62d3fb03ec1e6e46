// Where the bytes went: what each layer takes in two variants of a model.
//
//   for (const LayerBytes& layer : LoggedLayerBytes(snapshot, "resnet18", "fp32", "int8")) …
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/graph_scene.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

struct LayerBytes {
  std::string layer = {};
  std::optional<double> a = {};  // Nothing where a side has no such layer, or says nothing of it.
  std::optional<double> b = {};
};

// By the scalars <model>/layers/<layer>/bytes/<variant>, of each the newest. Layers that both have
// come first, the largest saving before smaller ones, then the others, the largest first.
std::vector<LayerBytes> LoggedLayerBytes(const reader::Snapshot& snapshot, std::string_view model,
                                         std::string_view a, std::string_view b);

// Source of a node's size: the constants that it uses, or run metadata, which stage logs and
// comparisons write under "Resources".
enum class NodeWeight { kConstants, kMetadata };

// Sizes by layer in both graphs, in the same order. A fused node counts at its target.
std::vector<LayerBytes> GraphLayerBytes(const GraphScene& scene, NodeWeight weight);

}  // namespace cboard::analysis
