#include "cboard/analysis/running_memory.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "analysis/graph/proper_graph.h"

namespace cboard::analysis {
namespace {

// Every node after all it uses, of those that could run next the first of the file. What is left is
// in a circle and comes last, in the order of the file.
std::vector<std::uint32_t> OrderOfComputation(const Graph& graph) {
  std::vector<std::uint32_t> froms, tos, waiting(graph.nodes.size(), 0);
  for (const GraphEdge& edge : graph.edges) {
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

}  // namespace

RunningMemory RunMemory(const MeasuredGraph& measured) {
  const Graph& graph = measured.graph;
  RunningMemory memory;
  for (const std::uint32_t node : OrderOfComputation(graph)) {
    const NodeFacts& facts = measured.facts[node];
    if (!facts.constant && !facts.note_about) memory.nodes.push_back(node);
  }
  constexpr std::size_t kNever = static_cast<std::size_t>(-1);
  std::vector<std::size_t> place(graph.nodes.size(), kNever), last_use(graph.nodes.size(), kNever);
  for (std::size_t i = 0; i < memory.nodes.size(); ++i) place[memory.nodes[i]] = i;
  for (const GraphEdge& edge : graph.edges) {
    if (edge.control || place[edge.to] == kNever) continue;
    std::size_t& last = last_use[edge.from];
    last = last == kNever ? place[edge.to] : std::max(last, place[edge.to]);
  }
  std::vector<std::uint64_t> freed(memory.nodes.size(), 0);  // After each operation.
  std::uint64_t alive = 0;
  for (std::size_t i = 0; i < memory.nodes.size(); ++i) {
    const std::uint32_t node = memory.nodes[i];
    const std::uint64_t own = measured.facts[node].output_bytes;
    if (graph.nodes[node].output_shapes.empty()) ++memory.unknown_shapes;
    alive += own;
    if (last_use[node] != kNever) freed[std::max(last_use[node], i)] += own;
    memory.bytes.push_back(alive);
    if (alive > memory.bytes[memory.peak]) memory.peak = i;
    alive -= freed[i];
  }
  return memory;
}

}  // namespace cboard::analysis
