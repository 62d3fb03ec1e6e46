// Which boxes a view has, before they are laid out.
#pragma once

#include <cstdint>
#include <vector>

#include "cboard/analysis/graph_view.h"

namespace cboard::analysis {

// Which groups are open: by group, 1 where it is and all groups around it are.
std::vector<char> OpenGroups(const GraphScene& scene, const std::vector<char>& hidden,
                             const GraphViewOptions& options);

struct VisibleBoxes {
  std::vector<GraphBox> boxes = {};             // Without places.
  std::vector<std::uint32_t> box_of_node = {};  // kNoBox for hidden ones outside closed groups.
};

// Fails with kResourceExhausted when there are more than `options.max_boxes`.
Result<VisibleBoxes> CollectBoxes(const GraphScene& scene, const std::vector<char>& hidden,
                                  const std::vector<char>& open, const GraphViewOptions& options);

// Adds up what is in each box, and says how it changed.
void AddFacts(const GraphScene& scene, const std::vector<char>& hidden, VisibleBoxes& visible,
              std::vector<std::string>& devices);

}  // namespace cboard::analysis
