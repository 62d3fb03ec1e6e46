#include "analysis/graph/component_layout.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "analysis/graph/layered_graph.h"

namespace cboard::analysis {
namespace {

using Place = LayoutNode::Place;

// Maximum number of bends per box; a small graph may have more. Longer lines are left out.
constexpr std::size_t kBendsPerBox = 4;
constexpr std::size_t kFreeBends = 20'000;

class ComponentLayout {
 public:
  ComponentLayout(std::span<const LayoutNode> nodes, std::span<const LayoutEdge> edges,
                  const Component& component, const std::vector<std::uint32_t>& local,
                  const LayoutOptions& options)
      : nodes_(nodes), edges_(edges), component_(component), options_(options) {
    for (const std::uint32_t index : component.edges) {
      ranked_.push_back({.from = local[edges[index].from], .to = local[edges[index].to]});
    }
  }

  // Writes positions and routes of the component, relative to its upper left corner (0, 0), and the
  // size of the component.
  void Run(GraphLayout& layout, Component& component) {
    ranked_ = WithoutCycles(component_.nodes.size(), ranked_);
    AssignAllRanks();
    LimitSpans();
    InsertDummyNodes();
    OrderRanks(graph_);
    xs_ = AlignColumns(graph_, options_.node_gap, options_.line_gap);
    PlaceRanks();
    Write(layout, component);
  }

 private:
  const LayoutNode& NodeAt(std::size_t local) const { return nodes_[component_.nodes[local]]; }

  void AssignAllRanks() {
    std::vector<RankedEdge> inner;
    for (const RankedEdge& edge : ranked_) {
      const bool on_border =
          NodeAt(edge.from).place != Place::kAnywhere || NodeAt(edge.to).place != Place::kAnywhere;
      if (edge.from != edge.to && !on_border) inner.push_back(edge);
    }
    const std::size_t count = component_.nodes.size();
    graph_.ranks = AssignRanks(count, inner);
    bool has_top = false;
    for (std::size_t i = 0; i < count; ++i) has_top = has_top || NodeAt(i).place == Place::kTop;
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (has_top) graph_.ranks[i] = NodeAt(i).place == Place::kTop ? 0 : graph_.ranks[i] + 1;
      if (NodeAt(i).place != Place::kBottom) last = std::max(last, graph_.ranks[i]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (NodeAt(i).place == Place::kBottom) graph_.ranks[i] = last + 1;
    }
    // Lines to and from the border already run downward, unless an edge of a cycle was
    // reversed.
    for (RankedEdge& edge : ranked_) {
      if (graph_.ranks[edge.from] <= graph_.ranks[edge.to]) continue;
      std::swap(edge.from, edge.to);
      edge.turned = !edge.turned;
    }
  }

  std::uint32_t SpanOf(const RankedEdge& edge) const {
    return graph_.ranks[edge.to] - graph_.ranks[edge.from];
  }

  double UpperOffset(std::size_t i) const {
    const LayoutEdge& edge = edges_[component_.edges[i]];
    return ranked_[i].turned ? edge.to_offset : edge.from_offset;
  }
  double LowerOffset(std::size_t i) const {
    const LayoutEdge& edge = edges_[component_.edges[i]];
    return ranked_[i].turned ? edge.from_offset : edge.to_offset;
  }

  // Groups edges that leave a box at the same place. In each group, the longest edge is the last.
  void LimitSpans() {
    by_source_.clear();
    for (std::uint32_t i = 0; i < ranked_.size(); ++i) {
      if (SpanOf(ranked_[i]) > 0) by_source_.push_back(i);
    }
    std::ranges::stable_sort(by_source_, {}, [&](std::uint32_t i) {
      return std::tuple(ranked_[i].from, UpperOffset(i), SpanOf(ranked_[i]));
    });
    std::vector<std::uint32_t> longest;
    for (std::size_t i = 0; i < by_source_.size(); ++i) {
      if (i + 1 == by_source_.size() || !SameSource(by_source_[i], by_source_[i + 1])) {
        longest.push_back(SpanOf(ranked_[by_source_[i]]));
      }
    }
    const std::size_t budget = std::max(kFreeBends, kBendsPerBox * component_.nodes.size());
    for (longest_span_ = static_cast<std::uint32_t>(graph_.ranks.size());; longest_span_ /= 2) {
      std::size_t bends = 0;
      for (const std::uint32_t span : longest) bends += std::min(span, longest_span_) - 1;
      if (bends <= budget || longest_span_ <= 1) break;
    }
  }

  bool SameSource(std::uint32_t a, std::uint32_t b) const {
    return ranked_[a].from == ranked_[b].from && UpperOffset(a) == UpperOffset(b);
  }

  void InsertDummyNodes() {
    const std::size_t count = component_.nodes.size();
    graph_.box_count = count;
    for (std::size_t i = 0; i < count; ++i) {
      graph_.lefts.push_back(NodeAt(i).left);
      graph_.rights.push_back(NodeAt(i).right);
    }
    chains_.assign(ranked_.size(), {});
    std::vector<std::uint32_t> uppers, lowers;
    const auto connect = [&](std::uint32_t upper, std::uint32_t lower) {
      uppers.push_back(upper);
      lowers.push_back(lower);
    };
    std::uint32_t first_bend = 0, bends = 0;  // First bend and bend count of the current source.
    for (std::size_t i = 0; i < by_source_.size(); ++i) {
      const std::uint32_t index = by_source_[i];
      const RankedEdge& edge = ranked_[index];
      if (i == 0 || !SameSource(by_source_[i - 1], index)) {
        first_bend = static_cast<std::uint32_t>(graph_.ranks.size());
        bends = 0;
      }
      const std::uint32_t span = SpanOf(edge);
      if (span > longest_span_) continue;
      for (; bends + 1 < span; ++bends) {
        connect(bends == 0 ? edge.from : first_bend + bends - 1, first_bend + bends);
        graph_.ranks.push_back(graph_.ranks[edge.from] + bends + 1);
        graph_.lefts.push_back(0);
        graph_.rights.push_back(0);
      }
      connect(span == 1 ? edge.from : first_bend + span - 2, edge.to);
      chains_[index] = {.drawn = true, .first_bend = first_bend, .bends = span - 1};
    }
    graph_.line_count = uppers.size();
    graph_.below = Neighbours(graph_.size(), uppers, lowers);
    graph_.above = Neighbours(graph_.size(), lowers, uppers);
  }

  void PlaceRanks() {
    const std::size_t rank_count = graph_.order.size();
    std::vector<double> heights(rank_count, 0);
    for (std::size_t i = 0; i < graph_.box_count; ++i) {
      heights[graph_.ranks[i]] = std::max(heights[graph_.ranks[i]], NodeAt(i).height);
    }
    std::vector<char> bent(rank_count, 0);
    const auto look = [&](std::uint32_t rank, double upper_x, double lower_x) {
      if (std::abs(upper_x - lower_x) > 0.5) bent[rank] = 1;
    };
    for (std::size_t i = 0; i < ranked_.size(); ++i) {
      const Chain& chain = chains_[i];
      if (!chain.drawn) continue;
      double x = xs_[ranked_[i].from] + UpperOffset(i);
      std::uint32_t rank = graph_.ranks[ranked_[i].from];
      for (std::uint32_t k = 0; k < chain.bends; ++k, ++rank) {
        look(rank, x, xs_[chain.first_bend + k]);
        x = xs_[chain.first_bend + k];
      }
      look(rank, x, xs_[ranked_[i].to] + LowerOffset(i));
    }
    rank_tops_.resize(rank_count);
    rank_bottoms_.resize(rank_count);
    double y = 0;
    for (std::size_t rank = 0; rank < rank_count; ++rank) {
      rank_tops_[rank] = y;
      rank_bottoms_[rank] = y + heights[rank];
      y = rank_bottoms_[rank] + (bent[rank] ? options_.bend_gap : options_.straight_gap);
    }
  }

  double TopOf(std::size_t local) const {
    const std::uint32_t rank = graph_.ranks[local];
    const double room = rank_bottoms_[rank] - rank_tops_[rank] - NodeAt(local).height;
    return rank_tops_[rank] + std::floor(room / 2);
  }

  void Write(GraphLayout& layout, Component& component) {
    double low = 0, high = 0;
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const double left = xs_[i] - graph_.lefts[i], right = xs_[i] + graph_.rights[i];
      low = i == 0 ? left : std::min(low, left);
      high = i == 0 ? right : std::max(high, right);
    }
    for (double& x : xs_) x = std::round(x - low);
    for (std::size_t i = 0; i < graph_.box_count; ++i) {
      layout.tops[component.nodes[i]] = {xs_[i], TopOf(i)};
      layout.ranks[component.nodes[i]] = graph_.ranks[i];
    }
    for (std::size_t i = 0; i < ranked_.size(); ++i) {
      if (chains_[i].drawn) layout.routes[component.edges[i]] = RouteOf(i);
    }
    component.width = std::ceil(high - low);
    component.height = rank_bottoms_.empty() ? 0 : rank_bottoms_.back();
  }

  std::vector<LayoutPoint> RouteOf(std::size_t i) const {
    std::vector<LayoutPoint> points;
    const auto add = [&](double x, double y) {
      if (!points.empty() && points.back() == LayoutPoint{x, y}) return;
      // Removes a point on a vertical line between two other points.
      if (points.size() > 1 && points[points.size() - 2].x == x && points.back().x == x) {
        points.back().y = y;
      } else {
        points.push_back({x, y});
      }
    };
    const auto [from, to, turned] = ranked_[i];
    const double from_x = xs_[from] + UpperOffset(i), to_x = xs_[to] + LowerOffset(i);
    add(from_x, TopOf(from) + NodeAt(from).height);
    add(from_x, rank_bottoms_[graph_.ranks[from]]);
    for (std::uint32_t k = 0; k < chains_[i].bends; ++k) {
      const std::uint32_t bend = chains_[i].first_bend + k;
      add(xs_[bend], rank_tops_[graph_.ranks[bend]]);
      add(xs_[bend], rank_bottoms_[graph_.ranks[bend]]);
    }
    add(to_x, rank_tops_[graph_.ranks[to]]);
    add(to_x, TopOf(to));
    if (turned) std::ranges::reverse(points);
    return points;
  }

  struct Chain {
    bool drawn = false;
    std::uint32_t first_bend = 0;
    std::uint32_t bends = 0;
  };

  std::span<const LayoutNode> nodes_;
  std::span<const LayoutEdge> edges_;
  const Component& component_;
  const LayoutOptions& options_;
  std::vector<RankedEdge> ranked_;
  std::vector<std::uint32_t> by_source_;
  std::uint32_t longest_span_ = 0;
  LayeredGraph graph_;
  std::vector<Chain> chains_;  // By edge.
  std::vector<double> xs_, rank_tops_, rank_bottoms_;
};

}  // namespace

void LayOutComponent(std::span<const LayoutNode> nodes, std::span<const LayoutEdge> edges,
                     const std::vector<std::uint32_t>& local, const LayoutOptions& options,
                     Component& component, GraphLayout& layout) {
  ComponentLayout(nodes, edges, component, local, options).Run(layout, component);
}

}  // namespace cboard::analysis
