#include "cboard/analysis/running_memory.h"

#include <algorithm>

#include "analysis/graph/computation_order.h"
#include "analysis/graph/graph_names.h"

namespace cboard::analysis {
namespace {

// Returns for each node the node that owns the memory of its output: itself or, for a node that
// only dequantizes, the node that computed the codes. `order` is the order of computation.
std::vector<std::uint32_t> OwnersOf(const MeasuredGraph& measured,
                                    const std::vector<std::uint32_t>& order) {
  const reader::Graph& graph = measured.graph;
  std::vector<std::uint32_t> source(graph.nodes.size()), owner(graph.nodes.size());
  for (std::uint32_t i = 0; i < owner.size(); ++i) source[i] = owner[i] = i;
  for (const reader::GraphEdge& edge : graph.edges) {
    if (!edge.control && !measured.facts[edge.from].constant) source[edge.to] = edge.from;
  }
  for (const std::uint32_t node : order) {
    const std::string& op = graph.nodes[node].op;
    const bool reads = IsDequantizeOperation(op) && measured.facts[node].in_codes;
    const bool writes = IsQuantizeOperation(op) && measured.facts[source[node]].in_codes;
    if (reads || writes) owner[node] = owner[source[node]];
  }
  return owner;
}

}  // namespace

RunningMemory RunMemory(const MeasuredGraph& measured) {
  const reader::Graph& graph = measured.graph;
  RunningMemory memory;
  for (const std::uint32_t node : OrderOfComputation(graph)) {
    const NodeFacts& facts = measured.facts[node];
    if (!facts.constant && !facts.annotates) memory.nodes.push_back(node);
  }
  const std::vector<std::uint32_t> owner = OwnersOf(measured, memory.nodes);
  constexpr std::size_t kNever = static_cast<std::size_t>(-1);
  std::vector<std::size_t> place(graph.nodes.size(), kNever), last_use(graph.nodes.size(), kNever);
  for (std::size_t i = 0; i < memory.nodes.size(); ++i) place[memory.nodes[i]] = i;
  for (const reader::GraphEdge& edge : graph.edges) {
    if (edge.control || place[edge.to] == kNever) continue;
    std::size_t& last = last_use[owner[edge.from]];
    last = last == kNever ? place[edge.to] : std::max(last, place[edge.to]);
  }
  std::vector<std::uint64_t> freed(memory.nodes.size(), 0);  // After each node.
  std::uint64_t alive = 0;
  for (std::size_t i = 0; i < memory.nodes.size(); ++i) {
    const std::uint32_t node = memory.nodes[i];
    const std::uint64_t own = owner[node] == node ? measured.facts[node].output_bytes : 0;
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
