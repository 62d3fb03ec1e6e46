#include "analysis/graph/graph_matching.h"

#include <map>
#include <span>
#include <string_view>
#include <unordered_map>

#include "analysis/graph/proper_graph.h"
#include "cboard/analysis/graph_diff.h"
#include "cboard/analysis/layers.h"

namespace cboard::analysis {
namespace {

// What quantizers of whole graphs append, beyond the names of OriginalName.
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
  Matcher(const Graph& a, const Graph& b)
      : a_(a), b_(b), of_a_(a.nodes.size(), kNoNode), of_b_(b.nodes.size(), kNoNode) {}

  std::vector<std::uint32_t> Run() {
    ByName();
    ByNeighbours();
    return std::move(of_a_);
  }

 private:
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

  // Users of a node, or what it uses, that have no partner yet: the only one of each operation, or
  // kSeveral.
  static constexpr std::uint32_t kSeveral = kNoNode - 1;
  using ByOperation = std::map<std::string_view, std::uint32_t>;

  static ByOperation Unmatched(const Graph& graph, std::span<const Neighbours::Link> links,
                               const std::vector<std::uint32_t>& partners) {
    ByOperation nodes;
    for (const auto& link : links) {
      if (partners[link.node] != kNoNode) continue;
      const auto [found, is_new] = nodes.emplace(graph.nodes[link.node].op, link.node);
      if (!is_new && found->second != link.node) found->second = kSeveral;
    }
    return nodes;
  }

  // Renamed nodes: walking from pairs that are known to those beside them.
  void ByNeighbours() {
    const Ends ends_a(a_), ends_b(b_);
    std::vector<std::uint32_t> known;  // Indices in A; grows while it is walked through.
    for (std::uint32_t i = 0; i < of_a_.size(); ++i) {
      if (of_a_[i] != kNoNode) known.push_back(i);
    }
    for (std::size_t i = 0; i < known.size(); ++i) {
      const std::uint32_t a = known[i], b = of_a_[a];
      for (const auto side : {&Ends::users, &Ends::sources}) {
        const ByOperation beside_a = Unmatched(a_, (ends_a.*side)[a], of_a_);
        if (beside_a.empty()) continue;
        const ByOperation beside_b = Unmatched(b_, (ends_b.*side)[b], of_b_);
        for (const auto& [op, node] : beside_a) {
          const auto other = beside_b.find(op);
          if (node == kSeveral || other == beside_b.end() || other->second == kSeveral) continue;
          Match(node, other->second);
          known.push_back(node);
        }
      }
    }
  }

  struct Ends {
    explicit Ends(const Graph& graph) {
      std::vector<std::uint32_t> froms, tos;
      for (const GraphEdge& edge : graph.edges) {
        if (edge.control) continue;
        froms.push_back(edge.from);
        tos.push_back(edge.to);
      }
      users = Neighbours(graph.nodes.size(), froms, tos);
      sources = Neighbours(graph.nodes.size(), tos, froms);
    }
    Neighbours users, sources;
  };

  const Graph& a_;
  const Graph& b_;
  std::vector<std::uint32_t> of_a_, of_b_;
};

}  // namespace

std::vector<std::uint32_t> MatchNodes(const Graph& a, const Graph& b) {
  return Matcher(a, b).Run();
}

}  // namespace cboard::analysis
