#include "analysis/graph/computation_order.h"

#include <functional>
#include <queue>

#include "analysis/graph/layered_graph.h"

namespace cboard::analysis {

std::vector<std::uint32_t> OrderOfComputation(const reader::Graph& graph) {
  std::vector<std::uint32_t> froms, tos, waiting(graph.nodes.size(), 0);
  for (const reader::GraphEdge& edge : graph.edges) {
    froms.push_back(edge.from);
    tos.push_back(edge.to);
    ++waiting[edge.to];
  }
  const Neighbours users(graph.nodes.size(), froms, tos);
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < waiting.size(); ++i) {
    if (waiting[i] == 0) ready.push(i);
  }
  std::vector<std::uint32_t> order;
  std::vector<char> done(graph.nodes.size(), 0);
  while (!ready.empty()) {
    const std::uint32_t node = ready.top();
    ready.pop();
    order.push_back(node);
    done[node] = 1;
    for (const auto& link : users[node]) {
      if (--waiting[link.node] == 0) ready.push(link.node);
    }
  }
  for (std::uint32_t i = 0; i < done.size(); ++i) {
    if (!done[i]) order.push_back(i);
  }
  return order;
}

}  // namespace cboard::analysis
