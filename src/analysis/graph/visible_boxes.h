// Selects the boxes of a view, before they are laid out.
#pragma once

#include <cstdint>
#include <vector>

#include "cboard/analysis/graph_view.h"

namespace cboard::analysis {

// Open groups: 1 if the group and all groups around it are open, by index of the group.
std::vector<char> OpenGroups(const GraphScene& scene, const std::vector<char>& hidden,
                             const GraphViewOptions& options);

struct VisibleBoxes {
  std::vector<GraphBox> boxes = {};             // Without places.
  std::vector<std::uint32_t> box_of_node = {};  // kNoBox for hidden ones outside closed groups.
};

// Fails with kResourceExhausted when there are more than `options.max_boxes`.
Result<VisibleBoxes> CollectBoxes(const GraphScene& scene, const std::vector<char>& hidden,
                                  const std::vector<char>& open, const GraphViewOptions& options);

// Sums up the facts of each box and how it changed.
void AddFacts(const GraphScene& scene, const std::vector<char>& hidden, VisibleBoxes& visible,
              std::vector<std::string>& devices);

}  // namespace cboard::analysis
