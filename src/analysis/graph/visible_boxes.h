// Selects the boxes of a view before the layout.
#pragma once

#include <cstdint>
#include <vector>

#include "cboard/analysis/graph_view.h"

namespace cboard::analysis {

// Returns 1 for each group that is open together with all enclosing groups, by index of the group.
std::vector<char> OpenGroups(const GraphScene& scene, const std::vector<char>& hidden,
                             const GraphViewOptions& options);

struct VisibleBoxes {
  std::vector<GraphBox> boxes = {};             // Without places.
  std::vector<std::uint32_t> box_of_node = {};  // kNoBox for hidden nodes outside closed groups.
};

// Selects the boxes. Fails with kResourceExhausted if there are more than `options.max_boxes`.
Result<VisibleBoxes> CollectBoxes(const GraphScene& scene, const std::vector<char>& hidden,
                                  const std::vector<char>& open, const GraphViewOptions& options);

// Combines the facts of the nodes in each box, and how the box changed.
void AddFacts(const GraphScene& scene, const std::vector<char>& hidden, VisibleBoxes& visible,
              std::vector<std::string>& devices);

}  // namespace cboard::analysis
