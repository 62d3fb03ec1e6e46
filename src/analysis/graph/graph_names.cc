#include "analysis/graph/graph_names.h"

#include <algorithm>
#include <vector>

#include "cboard/base/strings.h"

namespace cboard::analysis {
namespace {

// "Conv2d_0" of a Conv2d.
bool IsNumberedOperation(std::string_view part, std::string_view op) {
  if (op.empty() || !part.starts_with(op)) return false;
  part.remove_prefix(op.size());
  if (part.size() < 2 || part.front() != '_') return false;
  return std::ranges::all_of(part.substr(1), [](char c) { return c >= '0' && c <= '9'; });
}

// The last part of a node's name in a stage log, where names of nodes have no slashes.
std::string_view OwnNameInStage(const reader::GraphNode& node,
                                const std::vector<std::string_view>& parts) {
  const bool is_end = parts.size() == 2 && (parts[0] == "Input" || parts[0] == "Output");
  const bool is_inside = parts.size() == 3 && IsNumberedOperation(parts[1], node.op);
  return is_end || is_inside ? parts.back() : std::string_view();
}

}  // namespace

std::string_view InsideBrackets(std::string_view part) {
  const std::size_t open = part.find('[');
  if (open == std::string_view::npos || !part.ends_with(']')) return part;
  return part.substr(open + 1, part.size() - open - 2);
}

std::string LayerOf(const reader::GraphNode& node) {
  const std::vector<std::string_view> parts = Split(node.name, '/');
  std::string layer(OwnNameInStage(node, parts));
  if (!layer.empty()) return layer;
  for (const std::string_view part : parts) {
    const std::string_view module = InsideBrackets(part);
    if (module.size() == part.size()) continue;
    if (!layer.empty()) layer += '.';
    layer += module;
  }
  return layer;
}

}  // namespace cboard::analysis
