#include <algorithm>
#include <limits>
#include <numeric>

#include "analysis/graph/layered_graph.h"

namespace cboard::analysis {
namespace {

// Maximum number of sweeps over all ranks, alternately down and up; fewer for large graphs.
constexpr int kSweeps = 12;
constexpr int kSweepsOfLargeGraphs = 4;
constexpr std::size_t kLargeGraph = 40'000;
constexpr int kPatience = 3;  // Ends after this many sweeps without improvement.

void SetPlaces(LayeredGraph& graph) {
  graph.places.resize(graph.size());
  for (const auto& rank : graph.order) {
    for (std::uint32_t i = 0; i < rank.size(); ++i) graph.places[rank[i]] = i;
  }
}

// Visits nodes depth first, so that connected nodes are near each other.
void OrderByDepth(LayeredGraph& graph) {
  std::uint32_t rank_count = 0;
  for (const std::uint32_t rank : graph.ranks) rank_count = std::max(rank_count, rank + 1);
  graph.order.assign(rank_count, {});
  std::vector<char> seen(graph.size(), 0);
  std::vector<std::uint32_t> by_rank(graph.size());
  std::iota(by_rank.begin(), by_rank.end(), 0u);
  std::ranges::stable_sort(by_rank, {}, [&](std::uint32_t node) { return graph.ranks[node]; });
  std::vector<std::uint32_t> stack;
  for (const std::uint32_t start : by_rank) {
    if (seen[start]) continue;
    stack.push_back(start);
    while (!stack.empty()) {
      const std::uint32_t node = stack.back();
      stack.pop_back();
      if (seen[node]) continue;
      seen[node] = 1;
      graph.order[graph.ranks[node]].push_back(node);
      const auto below = graph.below[node];
      for (auto link = below.rbegin(); link != below.rend(); ++link) {
        if (!seen[link->node]) stack.push_back(link->node);
      }
    }
  }
  SetPlaces(graph);
}

// Sorts the nodes of a rank by the mean place of their neighbours in the previous rank.
class RankSorter {
 public:
  explicit RankSorter(const LayeredGraph& graph) : means_(graph.size(), 0) {}

  void Sort(LayeredGraph& graph, std::vector<std::uint32_t>& rank, const Neighbours& neighbours) {
    for (const std::uint32_t node : rank) {
      const auto links = neighbours[node];
      if (links.empty()) {
        means_[node] = graph.places[node];  // A node without neighbours keeps its place.
        continue;
      }
      double sum = 0;
      for (const auto& link : links) sum += graph.places[link.node];
      means_[node] = sum / static_cast<double>(links.size());
    }
    std::ranges::stable_sort(rank, {}, [&](std::uint32_t node) { return means_[node]; });
    for (std::uint32_t i = 0; i < rank.size(); ++i) graph.places[rank[i]] = i;
  }

 private:
  std::vector<double> means_;
};

// Counts pairs (i < j) with sequence[i] > sequence[j], with a binary indexed tree.
std::uint64_t CountInversions(std::span<const std::uint32_t> sequence, std::size_t values,
                              std::vector<std::uint32_t>& tree) {
  tree.assign(values + 1, 0);
  std::uint64_t inversions = 0;
  for (std::size_t seen = 0; seen < sequence.size(); ++seen) {
    std::uint32_t not_above = 0;
    for (std::size_t i = sequence[seen] + 1; i > 0; i &= i - 1) not_above += tree[i];
    inversions += seen - not_above;
    for (std::size_t i = sequence[seen] + 1; i <= values; i += i & (~i + 1)) ++tree[i];
  }
  return inversions;
}

void SortByPlace(const LayeredGraph& graph, Neighbours& neighbours) {
  for (std::size_t node = 0; node < graph.size(); ++node) {
    std::ranges::sort(neighbours[node], {}, [&](const Neighbours::Link& link) {
      return std::pair(graph.places[link.node], link.line);
    });
  }
}

}  // namespace

std::uint64_t CountCrossings(const LayeredGraph& graph) {
  std::uint64_t crossings = 0;
  std::vector<std::uint32_t> ends, tree;
  for (std::size_t rank = 0; rank + 1 < graph.order.size(); ++rank) {
    ends.clear();
    for (const std::uint32_t node : graph.order[rank]) {
      const std::size_t first = ends.size();
      for (const auto& link : graph.below[node]) ends.push_back(graph.places[link.node]);
      std::sort(ends.begin() + static_cast<std::ptrdiff_t>(first), ends.end());
    }
    crossings += CountInversions(ends, graph.order[rank + 1].size(), tree);
  }
  return crossings;
}

void OrderRanks(LayeredGraph& graph) {
  OrderByDepth(graph);
  RankSorter sorter(graph);
  auto best = graph.order;
  std::uint64_t best_crossings = CountCrossings(graph);
  const int sweeps = graph.size() > kLargeGraph ? kSweepsOfLargeGraphs : kSweeps;
  int since_best = 0;
  for (int sweep = 0; sweep < sweeps && best_crossings > 0 && since_best < kPatience; ++sweep) {
    if (sweep % 2 == 0) {
      for (std::size_t rank = 1; rank < graph.order.size(); ++rank) {
        sorter.Sort(graph, graph.order[rank], graph.above);
      }
    } else {
      for (std::size_t rank = graph.order.size() - 1; rank-- > 0;) {
        sorter.Sort(graph, graph.order[rank], graph.below);
      }
    }
    const std::uint64_t crossings = CountCrossings(graph);
    ++since_best;
    if (crossings < best_crossings) {
      best_crossings = crossings;
      best = graph.order;
      since_best = 0;
    }
  }
  graph.order = std::move(best);
  SetPlaces(graph);
  SortByPlace(graph, graph.above);
  SortByPlace(graph, graph.below);
}

}  // namespace cboard::analysis
