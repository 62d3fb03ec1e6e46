#include "analysis/graph/graph_matching.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analysis/graph/graph_names.h"
#include "analysis/graph/layered_graph.h"
#include "cboard/analysis/graph_diff.h"
#include "cboard/analysis/layers.h"

namespace cboard::analysis {
namespace {

// Removes suffixes that graph quantizers append and that OriginalName does not know.
std::string_view WithoutSuffix(std::string_view name) {
  const std::string_view original = OriginalName(name);
  if (original != name) return original;
  for (const std::string_view suffix : {"_quantized", "_quant", "_int8", "_q"}) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) {
      return name.substr(0, name.size() - suffix.size());
    }
  }
  return name;
}

class Matcher {
 public:
  Matcher(const MeasuredGraph& a, const MeasuredGraph& b)
      : a_(a.graph),
        b_(b.graph),
        facts_a_(a.facts),
        facts_b_(b.facts),
        ends_a_(a.graph),
        ends_b_(b.graph),
        of_a_(a_.nodes.size(), kNoNode),
        of_b_(b_.nodes.size(), kNoNode) {}

  std::vector<std::uint32_t> Run() {
    ByName();
    ByLayer(true);
    ByLayer(false);
    ByEnds(&Ends::sources);
    ByEnds(&Ends::users);
    ByNeighbours();
    return std::move(of_a_);
  }

 private:
  struct Ends {
    explicit Ends(const reader::Graph& graph) {
      std::vector<std::uint32_t> froms, tos;
      for (const reader::GraphEdge& edge : graph.edges) {
        if (edge.control) continue;
        froms.push_back(edge.from);
        tos.push_back(edge.to);
      }
      users = Neighbours(graph.nodes.size(), froms, tos);
      sources = Neighbours(graph.nodes.size(), tos, froms);
    }
    Neighbours users, sources;
  };

  void Match(std::uint32_t a, std::uint32_t b) {
    of_a_[a] = b;
    of_b_[b] = a;
  }

  void ByName() {
    std::unordered_map<std::string_view, std::uint32_t> by_name;
    for (std::uint32_t i = 0; i < a_.nodes.size(); ++i) by_name.emplace(a_.nodes[i].name, i);
    for (std::uint32_t i = 0; i < b_.nodes.size(); ++i) {
      const auto found = by_name.find(b_.nodes[i].name);
      if (found != by_name.end() && of_a_[found->second] == kNoNode) Match(found->second, i);
    }
    for (std::uint32_t i = 0; i < b_.nodes.size(); ++i) {
      if (of_b_[i] != kNoNode) continue;
      const auto found = by_name.find(WithoutSuffix(b_.nodes[i].name));
      if (found != by_name.end() && of_a_[found->second] == kNoNode) Match(found->second, i);
    }
  }

  // Unmatched nodes by key: the only node with the key, or kSeveral.
  static constexpr std::uint32_t kSeveral = kNoNode - 1;
  using ByOperation = std::map<std::string_view, std::uint32_t>;
  using ByKey = std::map<std::string, std::uint32_t, std::less<>>;

  static void Learn(auto& nodes, auto key, std::uint32_t node) {
    const auto [found, is_new] = nodes.emplace(std::move(key), node);
    if (!is_new && found->second != node) found->second = kSeveral;
  }

  static bool IsComputation(const NodeFacts& facts) { return !facts.constant && !facts.annotates; }

  // Matches nodes whose key is unique in both graphs; calls `matched` with the node of A.
  template <typename Nodes, typename Matched>
  void MatchOnly(const Nodes& nodes_a, const Nodes& nodes_b, const Matched& matched) {
    for (const auto& [key, node] : nodes_a) {
      const auto other = nodes_b.find(key);
      if (node == kSeveral || other == nodes_b.end() || other->second == kSeveral) continue;
      Match(node, other->second);
      matched(node);
    }
  }

  static ByKey LayersOf(const reader::Graph& graph, const std::vector<NodeFacts>& facts,
                        const std::vector<std::uint32_t>& partners, bool with_operation) {
    ByKey layers;
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
      if (partners[i] != kNoNode || !IsComputation(facts[i])) continue;
      std::string layer = LayerOf(graph.nodes[i]);
      if (layer.empty()) continue;
      if (with_operation) layer.append("\n").append(graph.nodes[i].op);
      Learn(layers, std::move(layer), i);
    }
    return layers;
  }

  // A layer keeps its name when its operator is replaced. If a layer has several operators, the
  // unchanged ones are matched first.
  void ByLayer(bool with_operation) {
    MatchOnly(LayersOf(a_, facts_a_, of_a_, with_operation),
              LayersOf(b_, facts_b_, of_b_, with_operation), [](std::uint32_t) {});
  }

  // Matches inputs and outputs of the graphs without using their names, because the names are often
  // generated: input/x.1, output/68.
  static ByOperation Outermost(const reader::Graph& graph, const std::vector<NodeFacts>& facts,
                               const Neighbours& beyond,
                               const std::vector<std::uint32_t>& partners) {
    ByOperation nodes;
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
      if (partners[i] != kNoNode || !beyond[i].empty() || !IsComputation(facts[i])) continue;
      Learn(nodes, std::string_view(graph.nodes[i].op), i);
    }
    return nodes;
  }

  void ByEnds(Neighbours Ends::*beyond) {
    MatchOnly(Outermost(a_, facts_a_, ends_a_.*beyond, of_a_),
              Outermost(b_, facts_b_, ends_b_.*beyond, of_b_), [](std::uint32_t) {});
  }

  static ByOperation Unmatched(const reader::Graph& graph, std::span<const Neighbours::Link> links,
                               const std::vector<std::uint32_t>& partners) {
    ByOperation nodes;
    for (const auto& link : links) {
      if (partners[link.node] != kNoNode) continue;
      Learn(nodes, std::string_view(graph.nodes[link.node].op), link.node);
    }
    return nodes;
  }

  // Matches renamed nodes: starts at known pairs and compares their neighbours.
  void ByNeighbours() {
    std::vector<std::uint32_t> known;  // Indices in A; grows during the loop.
    for (std::uint32_t i = 0; i < of_a_.size(); ++i) {
      if (of_a_[i] != kNoNode) known.push_back(i);
    }
    for (std::size_t i = 0; i < known.size(); ++i) {
      const std::uint32_t a = known[i], b = of_a_[a];
      for (const auto side : {&Ends::users, &Ends::sources}) {
        const ByOperation beside_a = Unmatched(a_, (ends_a_.*side)[a], of_a_);
        if (beside_a.empty()) continue;
        MatchOnly(beside_a, Unmatched(b_, (ends_b_.*side)[b], of_b_),
                  [&](std::uint32_t node) { known.push_back(node); });
      }
    }
  }

  const reader::Graph& a_;
  const reader::Graph& b_;
  const std::vector<NodeFacts>& facts_a_;
  const std::vector<NodeFacts>& facts_b_;
  const Ends ends_a_, ends_b_;
  std::vector<std::uint32_t> of_a_, of_b_;
};

}  // namespace

std::vector<std::uint32_t> MatchNodes(const MeasuredGraph& a, const MeasuredGraph& b) {
  return Matcher(a, b).Run();
}

}  // namespace cboard::analysis
