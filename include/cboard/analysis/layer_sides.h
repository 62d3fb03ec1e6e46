// Who can be compared layer by layer: every variant of every model whose tensors were logged.
//
//   const auto sides = FindLayerSides(*snapshot);
//   const LayerSide* fp32 = FindSide(sides, "resnet18", "fp32");
//   RankSides(snapshot, fp32, *FindSide(sides, "resnet18", "int8"));  // layer_ranking.h
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

struct LayerSide {
  std::string model = {};    // As in the comparison table; empty when the log names none.
  std::string variant = {};  // fp32, int8, baseline, tune_1, or the name of a stage.
  std::string run = {};
  std::string variant_in_tags = {};  // What CollectLayers takes; empty when only the run says it.
  std::size_t tensor_count = 0;
};

// By model, then in the order of the runs. A run that logs several variants is several sides. A
// variant of which only figures per layer were logged is a side without tensors; so is fp32, which
// they compare with, when the run has nothing else of the model.
std::vector<LayerSide> FindLayerSides(const Snapshot& snapshot);

// The side of this model and variant; a model that the log does not name matches any. nullptr if
// there is none.
const LayerSide* FindSide(std::span<const LayerSide> sides, std::string_view model,
                          std::string_view variant);

}  // namespace cboard::analysis
