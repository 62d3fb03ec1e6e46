#include "quantize/calibration/index_limits.h"

#include <algorithm>
#include <array>

namespace cboard::quantize {
namespace {

// Returns true for operators whose output has the same indices as their input.
bool PassesOn(const Node& node) {
  static constexpr auto kTypes = std::to_array<std::string_view>(
      {"Cast", "Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Slice",
       "Expand", "Concat", "Split"});
  return std::ranges::any_of(kTypes, [&](std::string_view type) { return node.Is(type); });
}

}  // namespace

std::map<std::string, std::int64_t> IndexLimits(const Graph& graph) {
  const GraphIndex index(graph);
  std::map<std::string, std::int64_t> limits;
  for (const Value& input : graph.inputs) {
    if (input.element_type != kInt64 && input.element_type != kInt32) continue;
    std::vector<std::string> tensors = {input.name};
    std::unordered_set<std::string> seen;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const std::string tensor = tensors[i];
      if (!seen.insert(tensor).second) continue;
      for (const std::size_t consumer : index.Consumers(tensor)) {
        const Node& node = graph.nodes[consumer];
        if (node.HasBody()) continue;
        if (PassesOn(node)) tensors.insert(tensors.end(), node.outputs.begin(), node.outputs.end());
        const Constant* const table = graph.FindConstant(node.Input(0));
        if (!node.Is("Gather") || node.Input(1) != tensor || table == nullptr) continue;
        const auto rank = static_cast<std::int64_t>(table->shape.size());
        const std::int64_t axis = node.Int("axis", 0);
        const std::int64_t place = axis < 0 ? axis + rank : axis;
        if (place < 0 || place >= rank) continue;
        const std::int64_t rows = table->shape[static_cast<std::size_t>(place)];
        const auto [found, is_new] = limits.try_emplace(input.name, rows);
        found->second = std::min(found->second, rows);
      }
    }
  }
  return limits;
}

}  // namespace cboard::quantize
