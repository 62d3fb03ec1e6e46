// Compares the size of each layer in two variants of a model.
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
  std::optional<double> a = {};  // nullopt if A has no such layer, or did not log its size.
  std::optional<double> b = {};
};

// Reads the newest values of the scalars <model>/layers/<layer>/bytes/<variant>. Layers that both
// variants have come first, the largest saving first. The other layers follow, the largest size
// first.
std::vector<LayerBytes> LoggedLayerBytes(const reader::Snapshot& snapshot, std::string_view model,
                                         std::string_view a, std::string_view b);

// Selects the source of a node's size: the constants that the node uses, or the run metadata
// "Resources", which stage logs and comparisons write.
enum class NodeWeight { kConstants, kMetadata };

// Returns the sizes by layer in both graphs, sorted like LoggedLayerBytes. A fused node counts for
// the node that it was fused into.
std::vector<LayerBytes> GraphLayerBytes(const GraphScene& scene, NodeWeight weight);

}  // namespace cboard::analysis
