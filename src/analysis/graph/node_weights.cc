#include "cboard/analysis/node_weights.h"

#include <algorithm>

namespace cboard::analysis {
namespace {

constexpr std::string_view kFirstValues = "first_values/";
constexpr std::string_view kSeparator = " = ";

}  // namespace

bool IsFirstValues(std::string_view key) { return key.starts_with(kFirstValues); }

const std::string* ValueOf(const reader::GraphNode& constant) {
  const auto found =
      std::ranges::lower_bound(constant.attributes, "value", {}, &reader::GraphAttribute::key);
  return found != constant.attributes.end() && found->key == "value" ? &found->text : nullptr;
}

std::vector<NodeValues> WeightsOf(const MeasuredGraph& measured, std::uint32_t node) {
  std::vector<NodeValues> weights;
  for (const reader::GraphAttribute& attribute : measured.graph.nodes[node].attributes) {
    if (!IsFirstValues(attribute.key)) continue;
    const std::size_t at = attribute.text.rfind(kSeparator);  // A name may have one, too.
    if (at == std::string::npos) continue;
    weights.push_back(
        {attribute.text.substr(0, at), attribute.text.substr(at + kSeparator.size())});
  }
  for (const reader::GraphEdge& edge : measured.graph.edges) {
    if (edge.to != node || edge.control || !measured.facts[edge.from].constant) continue;
    const reader::GraphNode& constant = measured.graph.nodes[edge.from];
    if (const std::string* value = ValueOf(constant)) weights.push_back({constant.name, *value});
  }
  return weights;
}

}  // namespace cboard::analysis
