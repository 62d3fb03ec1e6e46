#include "cboard/analysis/graph_diff.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analysis/graph/graph_matching.h"
#include "cboard/analysis/node_comparer.h"

namespace cboard::analysis {
namespace {

constexpr auto kIdleOps = std::to_array<std::string_view>(
    {"Identity", "Dropout", "NoOp", "StopGradient", "aten::dropout", "aten::dropout_",
     "aten::detach", "FusedBatchNormGrad", "SpatialDropout2D", "Cast"});

bool IsIdle(const reader::GraphNode& node) {
  return std::ranges::find(kIdleOps, node.op) != kIdleOps.end();
}

bool IsInput(const reader::GraphNode& node) {
  return node.op == "Placeholder" || node.op == "Input" || node.op == "InputLayer" ||
         node.op == "IO Node";
}

class Differ {
 public:
  Differ(const MeasuredGraph& a, const MeasuredGraph& b)
      : a_(a.graph), b_(b.graph), facts_a_(a.facts), facts_b_(b.facts), comparer_(a, b) {}

  // `b_of_a` maps each node of A to its partner in B, or to kNoNode.
  GraphDiff Run(const std::vector<std::uint32_t>& b_of_a) {
    of_b_.assign(b_.nodes.size(), kNoNode);
    for (std::uint32_t i = 0; i < a_.nodes.size(); ++i) {
      DiffNode node{.a = i, .b = b_of_a[i]};
      if (node.b == kNoNode) {
        node.change = NodeChange::kGone;
      } else {
        of_b_[node.b] = i;
        const auto differences = comparer_.Compare(i, node.b);
        node.change = differences.empty() ? NodeChange::kSame : NodeChange::kChanged;
        Count(a_.nodes[i].op, differences);
      }
      diff_.nodes.push_back(node);
    }
    FindFused();
    for (std::uint32_t i = 0; i < b_.nodes.size(); ++i) {
      if (of_b_[i] != kNoNode) continue;
      of_b_[i] = static_cast<std::uint32_t>(diff_.nodes.size());
      diff_.nodes.push_back({.b = i, .change = NodeChange::kAdded});
    }
    AddEdges();
    RouteEdgesThrough(kInA);
    RouteEdgesThrough(kInB);
    Summarize();
    return std::move(diff_);
  }

 private:
  // Maximum number of passes. Most edges of A are in the order of computation. Chains in another
  // order need one more pass each, and are rarely longer than this number.
  static constexpr int kLooks = 4;

  // Counts, for the summary, which properties differ in changed nodes with the same operator.
  void Count(const std::string& op, const std::vector<NodeDifference>& differences) {
    if (differences.empty() || differences.front().what == "op") return;
    std::map<std::string, std::size_t>& whats = whats_[op];
    for (const NodeDifference& difference : differences) ++whats[difference.what];
  }

  std::vector<std::string> DifferencesOf(const std::string& op) const {
    const auto found = whats_.find(op);
    if (found == whats_.end()) return {};
    std::vector<std::pair<std::size_t, std::string>> counts;
    for (const auto& [what, count] : found->second) counts.emplace_back(count, what);
    std::ranges::stable_sort(counts, std::greater<>(), [](const auto& c) { return c.first; });
    std::vector<std::string> whats;
    for (auto& [count, what] : counts) {
      if (whats.size() < kMaxDifferences) whats.push_back(std::move(what));
    }
    return whats;
  }

  void FindFused() {
    std::vector<std::uint32_t> users(a_.nodes.size(), 0), sources(a_.nodes.size(), 0);
    for (const reader::GraphEdge& edge : a_.edges) ++sources[edge.to];
    // Requires that exactly one of the node's inputs is computed; constant inputs such as weights
    // do not count.
    std::vector<std::uint32_t> computed(a_.nodes.size(), 0), before(a_.nodes.size(), kNoNode);
    for (const reader::GraphEdge& edge : a_.edges) {
      if (edge.control) continue;
      ++users[edge.from];
      const bool is_stored = sources[edge.from] == 0 && !IsInput(a_.nodes[edge.from]);
      if (is_stored || facts_a_[edge.from].constant) continue;
      if (before[edge.to] != edge.from) ++computed[edge.to];
      before[edge.to] = edge.from;
    }
    tails_.resize(diff_.nodes.size());
    for (std::uint32_t i = 0; i < tails_.size(); ++i) tails_[i] = i;
    bool changed = true;
    for (int look = 0; look < kLooks && changed; ++look) {
      changed = false;
      for (std::uint32_t i = 0; i < a_.nodes.size(); ++i) {
        DiffNode& node = diff_.nodes[i];
        if (node.change != NodeChange::kGone || IsIdle(a_.nodes[i])) continue;
        if (computed[i] != 1 || users[before[i]] != 1) continue;
        const DiffNode& source = diff_.nodes[before[i]];
        const std::uint32_t into =
            source.change == NodeChange::kFused ? source.fused_into : before[i];
        // Inputs of the graph compute nothing, so no operator was fused into them.
        if (diff_.nodes[into].b == kNoNode || IsInput(a_.nodes[into])) continue;
        node.change = NodeChange::kFused;
        node.fused_into = into;
        tails_[into] = i;
        changed = true;
      }
    }
  }

  void AddEdges() {
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    const auto add = [&](std::uint32_t from, std::uint32_t to, bool control, std::uint8_t side) {
      if (from == to) return;
      const std::uint64_t key = (std::uint64_t{from} << 32) | to;
      const auto [found, is_new] =
          known.emplace(key, static_cast<std::uint32_t>(diff_.edges.size()));
      if (is_new) {
        diff_.edges.push_back({.from = from, .to = to, .sides = side, .control = control});
        return;
      }
      DiffEdge& edge = diff_.edges[found->second];
      edge.sides |= side;
      edge.control = edge.control && control;
    };
    for (const reader::GraphEdge& edge : a_.edges) {
      // An edge inside an operator that is fused in B is an edge of both graphs.
      const DiffNode& to = diff_.nodes[edge.to];
      const bool fused =
          to.change == NodeChange::kFused &&
          (edge.from == to.fused_into || diff_.nodes[edge.from].fused_into == to.fused_into);
      add(edge.from, edge.to, edge.control, fused ? kInBoth : kInA);
    }
    for (const reader::GraphEdge& edge : b_.edges) {
      const std::uint32_t from = of_b_[edge.from];
      add(from < tails_.size() ? tails_[from] : from, of_b_[edge.to], edge.control, kInB);
    }
  }

  // Draws an edge of one graph along the path of the other graph, if the path passes nodes that
  // only the other graph has. For example, an edge of A runs straight through a quantize node that
  // only B has. This also applies to fused operators.
  void RouteEdgesThrough(std::uint8_t side) {
    const std::uint8_t other = kInBoth & ~side;
    const auto is_foreign = [&](std::uint32_t node) {
      const DiffNode& n = diff_.nodes[node];
      return side == kInA ? n.a == kNoNode : n.b == kNoNode && n.change != NodeChange::kFused;
    };
    // For each node that only one graph has: its edge if it has exactly one edge from a source, and
    // likewise its edge to a user.
    constexpr std::uint32_t kSeveral = kNoNode - 1;
    std::vector<std::uint32_t> in(diff_.nodes.size(), kNoNode), out(diff_.nodes.size(), kNoNode);
    const auto is_source = [&](std::uint32_t node) {
      const DiffNode& n = diff_.nodes[node];
      return n.a != kNoNode ? facts_a_[n.a].constant : facts_b_[n.b].constant;
    };
    std::unordered_map<std::uint64_t, std::uint32_t> direct;
    for (std::uint32_t i = 0; i < diff_.edges.size(); ++i) {
      const DiffEdge& edge = diff_.edges[i];
      if (edge.control) continue;
      if (edge.sides == side) direct.emplace((std::uint64_t{edge.from} << 32) | edge.to, i);
      if ((edge.sides & other) == 0 || is_source(edge.from)) continue;
      if (is_foreign(edge.to)) in[edge.to] = in[edge.to] == kNoNode ? i : kSeveral;
      if (is_foreign(edge.from)) out[edge.from] = out[edge.from] == kNoNode ? i : kSeveral;
    }
    constexpr std::size_t kMaxPathNodes = 8;
    std::vector<char> dropped(diff_.edges.size(), 0);
    std::vector<std::uint32_t> way;
    for (std::uint32_t i = 0; i < diff_.edges.size(); ++i) {
      const DiffEdge& first = diff_.edges[i];
      if ((first.sides & other) == 0 || first.control) continue;
      if (is_foreign(first.from) || !is_foreign(first.to)) continue;
      way.assign(1, i);
      std::uint32_t at = first.to;
      while (is_foreign(at) && way.size() < kMaxPathNodes && in[at] < kSeveral &&
             out[at] < kSeveral) {
        way.push_back(out[at]);
        at = diff_.edges[out[at]].to;
      }
      if (is_foreign(at)) continue;
      const auto found = direct.find((std::uint64_t{first.from} << 32) | at);
      if (found == direct.end()) continue;
      dropped[found->second] = 1;
      for (const std::uint32_t step : way) diff_.edges[step].sides |= side;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < diff_.edges.size(); ++i) {
      if (!dropped[i]) diff_.edges[kept++] = diff_.edges[i];
    }
    diff_.edges.resize(kept);
  }

  void Summarize() {
    std::map<std::tuple<NodeChange, std::string, std::string>, std::size_t> counts;
    for (const DiffNode& node : diff_.nodes) {
      if (node.change == NodeChange::kSame) continue;
      const reader::GraphNode& shown = node.a != kNoNode ? a_.nodes[node.a] : b_.nodes[node.b];
      const NodeFacts& facts = node.a != kNoNode ? facts_a_[node.a] : facts_b_[node.b];
      if (shown.op.empty() || facts.constant || facts.annotates) continue;
      std::string other;
      if (node.change == NodeChange::kFused) {
        other = b_.nodes[diff_.nodes[node.fused_into].b].op;
      } else if (node.change == NodeChange::kChanged && b_.nodes[node.b].op != shown.op) {
        other = b_.nodes[node.b].op;
      }
      ++counts[{node.change, shown.op, std::move(other)}];
    }
    for (auto& [key, count] : counts) {
      const auto& [change, op, other] = key;
      DiffSummaryLine line{.change = change, .count = count, .op = op, .other = other};
      if (change == NodeChange::kChanged && other.empty()) line.whats = DifferencesOf(op);
      diff_.summary.push_back(std::move(line));
    }
    std::ranges::stable_sort(diff_.summary, [](const auto& x, const auto& y) {
      return std::tuple(x.change, -static_cast<std::int64_t>(x.count)) <
             std::tuple(y.change, -static_cast<std::int64_t>(y.count));
    });
  }

  const reader::Graph& a_;
  const reader::Graph& b_;
  const std::vector<NodeFacts>& facts_a_;
  const std::vector<NodeFacts>& facts_b_;
  NodeComparer comparer_;
  // Number of nodes per operator.
  std::map<std::string, std::map<std::string, std::size_t>> whats_;
  GraphDiff diff_;
  std::vector<std::uint32_t> of_b_;  // Index of the node in the diff, by B's index.
  // For each node of A, the last node that was fused into it, or the node itself.
  std::vector<std::uint32_t> tails_;
};

}  // namespace

std::string_view NameOf(NodeChange change) {
  switch (change) {
    case NodeChange::kSame:
      return "same";
    case NodeChange::kChanged:
      return "changed";
    case NodeChange::kAdded:
      return "added";
    case NodeChange::kGone:
      return "gone";
    case NodeChange::kFused:
      return "fused";
  }
  return "same";
}

GraphDiff DiffOfOne(const reader::Graph& graph) {
  GraphDiff diff;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) diff.nodes.push_back({.a = i});
  for (const reader::GraphEdge& edge : graph.edges) {
    if (edge.from == edge.to) continue;
    const bool again = !diff.edges.empty() && diff.edges.back().from == edge.from &&
                       diff.edges.back().to == edge.to;
    if (!again) diff.edges.push_back({.from = edge.from, .to = edge.to, .control = edge.control});
  }
  return diff;
}

GraphDiff DiffGraphs(const MeasuredGraph& a, const MeasuredGraph& b) {
  return Differ(a, b).Run(MatchNodes(a, b));
}

}  // namespace cboard::analysis
