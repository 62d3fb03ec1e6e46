#include <algorithm>

#include "analysis/graph/layered_graph.h"

namespace cboard::analysis {
namespace {

std::vector<std::uint32_t> FromsOf(std::span<const RankedEdge> edges) {
  std::vector<std::uint32_t> nodes;
  nodes.reserve(edges.size());
  for (const RankedEdge& edge : edges) nodes.push_back(edge.from);
  return nodes;
}

std::vector<std::uint32_t> TosOf(std::span<const RankedEdge> edges) {
  std::vector<std::uint32_t> nodes;
  nodes.reserve(edges.size());
  for (const RankedEdge& edge : edges) nodes.push_back(edge.to);
  return nodes;
}

// Returns the nodes in topological order.
std::vector<std::uint32_t> TopologicalOrder(std::size_t node_count, const Neighbours& outputs,
                                            std::vector<std::uint32_t> waiting) {
  std::vector<std::uint32_t> order;
  order.reserve(node_count);
  for (std::uint32_t node = 0; node < node_count; ++node) {
    if (waiting[node] == 0) order.push_back(node);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const auto& link : outputs[order[i]]) {
      if (--waiting[link.node] == 0) order.push_back(link.node);
    }
  }
  return order;
}

}  // namespace

std::vector<RankedEdge> WithoutCycles(std::size_t node_count, std::span<const RankedEdge> edges) {
  std::vector<RankedEdge> result(edges.begin(), edges.end());
  const Neighbours outputs(node_count, FromsOf(edges), TosOf(edges));
  enum class State : std::uint8_t { kNew, kOnPath, kDone };
  std::vector<State> states(node_count, State::kNew);
  struct Visit {
    std::uint32_t node;
    std::size_t next;
  };
  std::vector<Visit> path;  // A loop, not recursion: chains may have a million nodes.
  for (std::uint32_t start = 0; start < node_count; ++start) {
    if (states[start] != State::kNew) continue;
    states[start] = State::kOnPath;
    path.push_back({start, 0});
    while (!path.empty()) {
      Visit& visit = path.back();
      const auto links = outputs[visit.node];
      if (visit.next == links.size()) {
        states[visit.node] = State::kDone;
        path.pop_back();
        continue;
      }
      const auto link = links[visit.next++];
      if (states[link.node] == State::kNew) {
        states[link.node] = State::kOnPath;
        path.push_back({link.node, 0});
      } else if (states[link.node] == State::kOnPath && link.node != visit.node) {
        RankedEdge& edge = result[link.line];
        std::swap(edge.from, edge.to);
        edge.turned = !edge.turned;
      }
    }
  }
  return result;
}

std::vector<std::uint32_t> AssignRanks(std::size_t node_count, std::span<const RankedEdge> edges) {
  const Neighbours outputs(node_count, FromsOf(edges), TosOf(edges));
  const Neighbours inputs(node_count, TosOf(edges), FromsOf(edges));
  std::vector<std::uint32_t> waiting(node_count);
  for (std::size_t node = 0; node < node_count; ++node) {
    waiting[node] = static_cast<std::uint32_t>(inputs[node].size());
  }
  const std::vector<std::uint32_t> order = TopologicalOrder(node_count, outputs, waiting);
  std::vector<std::uint32_t> ranks(node_count, 0);
  for (const std::uint32_t node : order) {
    for (const auto& link : outputs[node]) {
      ranks[link.node] = std::max(ranks[link.node], ranks[node] + 1);
    }
  }
  // Places a node with more users than sources (mostly weights) directly above its first user. This
  // keeps the lines of the node short. Goes from the last node to the first, so that chains of such
  // nodes move together.
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    if (outputs[*node].empty() || outputs[*node].size() <= inputs[*node].size()) continue;
    std::uint32_t first_user = ranks[outputs[*node].front().node];
    for (const auto& link : outputs[*node]) first_user = std::min(first_user, ranks[link.node]);
    ranks[*node] = first_user - 1;
  }
  return ranks;
}

}  // namespace cboard::analysis
