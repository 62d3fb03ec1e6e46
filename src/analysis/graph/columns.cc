// Computes x coordinates with the algorithm of Brandes and Köpf, "Fast and Simple Horizontal
// Coordinate Assignment" (2001). Each node is aligned with the median of its neighbours, which
// makes columns. Columns are packed four times: from the left and from the right, by the ranks
// above and below. The four results are balanced. A column is packed after the columns that must be
// beside it, as in dagre, so the correction of 2020 to the algorithm is not needed.
#include <algorithm>
#include <array>
#include <limits>

#include "analysis/graph/layered_graph.h"

namespace cboard::analysis {
namespace {

struct Direction {
  bool from_below = false;
  bool from_right = false;
};

class ColumnPacker {
 public:
  ColumnPacker(const LayeredGraph& graph, double node_gap, double line_gap)
      : graph_(graph), node_gap_(node_gap), line_gap_(line_gap) {
    MarkConflicts();
  }

  // Computes the x coordinate of each node for one of the four directions.
  std::vector<double> Pack(Direction direction) {
    direction_ = direction;
    Align();
    std::vector<double> columns = Compact();
    std::vector<double> xs(graph_.size());
    for (std::size_t node = 0; node < xs.size(); ++node) {
      xs[node] = direction.from_right ? -columns[roots_[node]] : columns[roots_[node]];
    }
    return xs;
  }

 private:
  // A line between two bends must stay straight, so lines that cross it are not aligned.
  void MarkConflicts() {
    conflicts_.assign(graph_.line_count, 0);
    for (std::size_t rank = 1; rank < graph_.order.size(); ++rank) {
      const auto& upper = graph_.order[rank - 1];
      const auto& lower = graph_.order[rank];
      std::size_t scanned = 0;
      std::uint32_t left = 0;
      for (std::size_t i = 0; i < lower.size(); ++i) {
        const std::uint32_t* straight = nullptr;
        if (graph_.IsDummyNode(lower[i])) {
          for (const auto& link : graph_.above[lower[i]]) {
            if (graph_.IsDummyNode(link.node)) straight = &link.node;
          }
        }
        if (straight == nullptr && i + 1 < lower.size()) continue;
        const std::uint32_t right = straight != nullptr ? graph_.places[*straight]
                                                        : static_cast<std::uint32_t>(upper.size());
        for (; scanned <= i; ++scanned) {
          for (const auto& link : graph_.above[lower[scanned]]) {
            const bool inner = graph_.IsDummyNode(link.node) && graph_.IsDummyNode(lower[scanned]);
            const std::uint32_t place = graph_.places[link.node];
            if (!inner && (place < left || place > right)) conflicts_[link.line] = 1;
          }
        }
        left = right;
      }
    }
  }

  std::span<const Neighbours::Link> NeighboursOf(std::uint32_t node) const {
    return direction_.from_below ? graph_.below[node] : graph_.above[node];
  }

  std::uint32_t PlaceOf(std::uint32_t node) const {
    const std::uint32_t place = graph_.places[node];
    if (!direction_.from_right) return place;
    return static_cast<std::uint32_t>(graph_.order[graph_.ranks[node]].size()) - 1 - place;
  }

  // Calls `visit` with each rank and its nodes, both in the order of the current direction.
  template <typename Visit>
  void ForEachRank(const Visit& visit) {
    std::vector<std::uint32_t> nodes;
    for (std::size_t i = 0; i < graph_.order.size(); ++i) {
      const std::size_t rank = direction_.from_below ? graph_.order.size() - 1 - i : i;
      nodes = graph_.order[rank];
      if (direction_.from_right) std::ranges::reverse(nodes);
      visit(nodes);
    }
  }

  void Align() {
    roots_.resize(graph_.size());
    aligned_.resize(graph_.size());
    for (std::uint32_t node = 0; node < graph_.size(); ++node) roots_[node] = aligned_[node] = node;
    ForEachRank([&](const std::vector<std::uint32_t>& nodes) {
      std::int64_t last = -1;
      for (const std::uint32_t node : nodes) {
        const auto links = NeighboursOf(node);
        if (links.empty()) continue;
        // A node with an even number of neighbours has two medians, sorted by place. In passes from
        // the right, their order is reversed.
        const std::size_t low = (links.size() - 1) / 2, high = links.size() / 2;
        for (const std::size_t i : {low, high}) {
          const auto& link = links[direction_.from_right ? links.size() - 1 - i : i];
          if (aligned_[node] != node) break;
          const std::int64_t place = PlaceOf(link.node);
          if (place <= last || conflicts_[link.line]) continue;
          aligned_[link.node] = node;
          roots_[node] = roots_[link.node];
          aligned_[node] = roots_[node];
          last = place;
        }
      }
    });
  }

  double LeftOf(std::uint32_t node) const {
    return direction_.from_right ? graph_.rights[node] : graph_.lefts[node];
  }
  double RightOf(std::uint32_t node) const {
    return direction_.from_right ? graph_.lefts[node] : graph_.rights[node];
  }
  double GapBetween(std::uint32_t a, std::uint32_t b) const {
    return graph_.IsDummyNode(a) && graph_.IsDummyNode(b) ? line_gap_ : node_gap_;
  }

  // Moves columns to the left as far as their neighbours allow. Then moves them to the right as far
  // as the columns on the right allow.
  std::vector<double> Compact() {
    std::vector<std::uint32_t> lefts, rights;
    std::vector<double> distances;
    ForEachRank([&](const std::vector<std::uint32_t>& nodes) {
      for (std::size_t i = 1; i < nodes.size(); ++i) {
        lefts.push_back(roots_[nodes[i - 1]]);
        rights.push_back(roots_[nodes[i]]);
        distances.push_back(RightOf(nodes[i - 1]) + GapBetween(nodes[i - 1], nodes[i]) +
                            LeftOf(nodes[i]));
      }
    });
    const Neighbours to_right(graph_.size(), lefts, rights);
    std::vector<std::uint32_t> waiting(graph_.size(), 0);
    for (const std::uint32_t column : rights) ++waiting[column];
    std::vector<std::uint32_t> order;
    for (std::uint32_t node = 0; node < graph_.size(); ++node) {
      if (roots_[node] == node && waiting[node] == 0) order.push_back(node);
    }
    std::vector<double> xs(graph_.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const auto& link : to_right[order[i]]) {
        xs[link.node] = std::max(xs[link.node], xs[order[i]] + distances[link.line]);
        if (--waiting[link.node] == 0) order.push_back(link.node);
      }
    }
    for (auto column = order.rbegin(); column != order.rend(); ++column) {
      double limit = std::numeric_limits<double>::infinity();
      for (const auto& link : to_right[*column]) {
        limit = std::min(limit, xs[link.node] - distances[link.line]);
      }
      if (limit < std::numeric_limits<double>::infinity())
        xs[*column] = std::max(xs[*column], limit);
    }
    return xs;
  }

  const LayeredGraph& graph_;
  double node_gap_;
  double line_gap_;
  Direction direction_;
  std::vector<char> conflicts_;  // By line.
  std::vector<std::uint32_t> roots_;
  std::vector<std::uint32_t> aligned_;
};

}  // namespace

std::vector<double> AlignColumns(const LayeredGraph& graph, double node_gap, double line_gap) {
  ColumnPacker packer(graph, node_gap, line_gap);
  std::array<std::vector<double>, 4> candidates;
  std::array<double, 4> lows{}, highs{};
  for (std::size_t i = 0; i < 4; ++i) {
    candidates[i] = packer.Pack({.from_below = i >= 2, .from_right = i % 2 == 1});
    lows[i] = std::numeric_limits<double>::infinity();
    highs[i] = -lows[i];
    for (std::size_t node = 0; node < graph.size(); ++node) {
      lows[i] = std::min(lows[i], candidates[i][node] - graph.lefts[node]);
      highs[i] = std::max(highs[i], candidates[i][node] + graph.rights[node]);
    }
  }
  // Aligns the four layouts with the narrowest layout. Layouts that were packed from the left are
  // aligned by their left ends, and layouts that were packed from the right by their right ends.
  std::size_t narrowest = 0;
  for (std::size_t i = 1; i < 4; ++i) {
    if (highs[i] - lows[i] < highs[narrowest] - lows[narrowest]) narrowest = i;
  }
  std::vector<double> xs(graph.size());
  for (std::size_t node = 0; node < graph.size(); ++node) {
    std::array<double, 4> values{};
    for (std::size_t i = 0; i < 4; ++i) {
      const double shift = i % 2 == 0 ? lows[narrowest] - lows[i] : highs[narrowest] - highs[i];
      values[i] = candidates[i][node] + shift;
    }
    std::ranges::sort(values);
    // Balancing does not change the gaps within a rank, because all four layouts have these gaps.
    xs[node] = (values[1] + values[2]) / 2;
  }
  return xs;
}

}  // namespace cboard::analysis
