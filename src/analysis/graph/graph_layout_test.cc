#include "cboard/analysis/graph_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "analysis/graph/layered_graph.h"

namespace cboard::analysis {
namespace {

struct TestGraph {
  std::vector<LayoutNode> nodes;
  std::vector<LayoutEdge> edges;

  std::uint32_t Add(double width = 100, double height = 22) {
    nodes.push_back({.left = width / 2, .right = width / 2, .height = height});
    return static_cast<std::uint32_t>(nodes.size() - 1);
  }
  void Connect(std::uint32_t from, std::uint32_t to) { edges.push_back({.from = from, .to = to}); }
  GraphLayout Run() const { return LayOut(nodes, edges); }
};

// Creates layers of up to eight nodes; most edges go to the next layer and some go over several.
TestGraph RandomNetwork(std::uint32_t size, unsigned seed) {
  std::mt19937 engine(seed);
  const auto random = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(engine()) % below;
  };
  TestGraph graph;
  for (std::uint32_t i = 0; i < size; ++i) {
    graph.Add(60 + random(200), 20 + 40 * random(3));
    if (i < 8) continue;
    graph.Connect(i - 1 - random(8), i);
    if (random(2) == 0) graph.Connect(i - 1 - random(std::min(i, 60u)), i);
  }
  return graph;
}

void ExpectNoOverlap(const TestGraph& graph, const GraphLayout& layout) {
  std::map<double, std::vector<std::uint32_t>>
      rows;  // Boxes are compared by their middle, as ranks centre them.
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) rows[layout.ranks[i]].push_back(i);
  for (auto& [rank, row] : rows) {
    std::ranges::sort(row, {}, [&](std::uint32_t i) { return layout.tops[i].x; });
    for (std::size_t k = 1; k < row.size(); ++k) {
      const std::uint32_t a = row[k - 1], b = row[k];
      const bool apart =
          layout.tops[a].x + graph.nodes[a].right <= layout.tops[b].x - graph.nodes[b].left;
      const bool above = layout.tops[a].y + graph.nodes[a].height <= layout.tops[b].y ||
                         layout.tops[b].y + graph.nodes[b].height <= layout.tops[a].y;
      EXPECT_TRUE(apart || above) << "boxes " << a << " and " << b << " of rank " << rank;
    }
  }
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    EXPECT_GE(layout.tops[i].x - graph.nodes[i].left, -1);
    EXPECT_LE(layout.tops[i].x + graph.nodes[i].right, layout.width + 1);
    EXPECT_LE(layout.tops[i].y + graph.nodes[i].height, layout.height);
  }
}

TEST(LayOut, StacksAChainInOneColumn) {
  TestGraph graph;
  for (int i = 0; i < 4; ++i) graph.Add();
  for (std::uint32_t i = 1; i < 4; ++i) graph.Connect(i - 1, i);
  const GraphLayout layout = graph.Run();
  for (std::uint32_t i = 1; i < 4; ++i) {
    EXPECT_EQ(layout.tops[i].x, layout.tops[0].x);
    EXPECT_EQ(layout.tops[i].y, i * (22 + LayoutOptions{}.straight_gap));
  }
  EXPECT_EQ(layout.routes[0], (std::vector<LayoutPoint>{{50, 22}, {50, 34}}));
  EXPECT_EQ(layout.width, 100);
}

TEST(LayOut, KeepsTheSpineStraightBesideAShortcut) {
  TestGraph graph;  // The edges are a -> b -> c -> d, and a -> d past them.
  for (int i = 0; i < 4; ++i) graph.Add();
  for (std::uint32_t i = 1; i < 4; ++i) graph.Connect(i - 1, i);
  graph.Connect(0, 3);
  const GraphLayout layout = graph.Run();
  EXPECT_EQ(layout.tops[1].x, layout.tops[2].x);
  const auto& shortcut = layout.routes[3];
  ASSERT_GE(shortcut.size(), 4u);
  for (const LayoutPoint& point : shortcut) {
    const bool beside_b = point.y >= layout.tops[1].y && point.y <= layout.tops[2].y + 22;
    if (!beside_b) continue;
    EXPECT_GT(std::abs(point.x - layout.tops[1].x), 50) << "runs through a box";
  }
}

TEST(LayOut, NeverLetsBoxesOverlapAndRunsDownward) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const TestGraph graph = RandomNetwork(10 + seed * 20, seed);
    const GraphLayout layout = graph.Run();
    ExpectNoOverlap(graph, layout);
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
      const auto [from, to, from_offset, to_offset] = graph.edges[i];
      EXPECT_LT(layout.ranks[from], layout.ranks[to]);
      ASSERT_FALSE(layout.routes[i].empty());
      EXPECT_EQ(layout.routes[i].front(),
                (LayoutPoint{layout.tops[from].x, layout.tops[from].y + graph.nodes[from].height}));
      EXPECT_EQ(layout.routes[i].back(), layout.tops[to]);
      for (std::size_t k = 1; k < layout.routes[i].size(); ++k) {
        EXPECT_LE(layout.routes[i][k - 1].y, layout.routes[i][k].y);
      }
    }
  }
}

TEST(LayOut, GivesTheSamePictureEveryTime) {
  const TestGraph graph = RandomNetwork(500, 7);
  const GraphLayout first = graph.Run(), second = graph.Run();
  EXPECT_EQ(first.tops, second.tops);
  EXPECT_EQ(first.routes, second.routes);
}

TEST(LayOut, TurnsCirclesAround) {
  TestGraph graph;
  for (int i = 0; i < 3; ++i) graph.Add();
  graph.Connect(0, 1);
  graph.Connect(1, 2);
  graph.Connect(2, 0);
  graph.Connect(1, 1);
  const GraphLayout layout = graph.Run();
  ExpectNoOverlap(graph, layout);
  EXPECT_LT(layout.tops[0].y, layout.tops[2].y);
  EXPECT_GT(layout.routes[2].front().y, layout.routes[2].back().y) << "it still ends at its target";
  EXPECT_TRUE(layout.routes[3].empty());
}

TEST(LayOut, DrawsWeightsRightAboveTheirUser) {
  TestGraph graph;
  const auto input = graph.Add(), conv1 = graph.Add(), conv2 = graph.Add(), weight = graph.Add();
  graph.Connect(input, conv1);
  graph.Connect(conv1, conv2);
  graph.Connect(weight, conv2);
  const GraphLayout layout = graph.Run();
  EXPECT_EQ(layout.ranks[weight], layout.ranks[conv1]);
}

TEST(LayOut, PutsTheBorderAtTopAndBottom) {
  TestGraph graph;
  const auto source = graph.Add(), conv = graph.Add(), in = graph.Add(0, 0), out = graph.Add(0, 0);
  graph.nodes[in].place = LayoutNode::Place::kTop;
  graph.nodes[out].place = LayoutNode::Place::kBottom;
  graph.Connect(source, conv);
  graph.Connect(in, conv);
  graph.Connect(source, out);
  const GraphLayout layout = graph.Run();
  EXPECT_EQ(layout.tops[in].y, 0);
  EXPECT_EQ(layout.tops[out].y, layout.height);
  EXPECT_GT(layout.tops[source].y, 0);
}

TEST(LayOut, EndsLinesWhereTheirOffsetSays) {
  TestGraph graph;
  graph.Add(300), graph.Add();
  graph.edges.push_back({.from = 0, .to = 1, .from_offset = 120, .to_offset = -10});
  const GraphLayout layout = graph.Run();
  EXPECT_EQ(layout.routes[0].front().x, layout.tops[0].x + 120);
  EXPECT_EQ(layout.routes[0].back().x, layout.tops[1].x - 10);
}

TEST(LayOut, UntanglesWhatCanBeUntangled) {
  TestGraph graph;  // Two chains whose nodes alternate.
  for (int i = 0; i < 12; ++i) graph.Add();
  for (std::uint32_t i = 0; i < 10; ++i) graph.Connect(i, i + 2);
  graph.Connect(0, 3);
  const GraphLayout layout = graph.Run();
  for (std::uint32_t i = 2; i < 12; i += 2) {
    EXPECT_EQ(layout.tops[i].x < layout.tops[i + 1].x, layout.tops[2].x < layout.tops[3].x);
  }
}

TEST(LayOut, PacksWhatDoesNotHangTogetherInRows) {
  TestGraph graph;
  for (int i = 0; i < 10'000; ++i) graph.Add();
  const GraphLayout layout = graph.Run();
  EXPECT_LT(layout.width, 100 * 200);
  EXPECT_LT(layout.height, 100 * 200);
  std::map<std::pair<double, double>, int> taken;
  for (const LayoutPoint& top : layout.tops) EXPECT_EQ(++taken[std::pair(top.x, top.y)], 1);
}

// A node that all others use would need a line past each of them.
TEST(LayOut, LeavesOutLinesRatherThanGrowQuadratically) {
  constexpr std::uint32_t kNodes = 50'000;
  TestGraph graph;
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    graph.Add();
    if (i > 0) graph.Connect(i - 1, i);
    if (i > 100) graph.Connect(i - 100, i);
  }
  const GraphLayout layout = graph.Run();
  std::size_t points = 0, left_out = 0;
  for (const auto& route : layout.routes) {
    points += route.size();
    left_out += route.empty() ? 1u : 0u;
  }
  EXPECT_GT(left_out, kNodes / 2);
  EXPECT_LT(points, 20 * graph.edges.size());
  EXPECT_FALSE(layout.routes[0].empty()) << "short lines stay";
}

TEST(LayOut, SharesTheLineOfAValueThatManyUse) {
  TestGraph graph;
  const auto mask = graph.Add();
  auto last = graph.Add();
  for (int i = 0; i < 300; ++i) {
    const auto next = graph.Add();
    graph.Connect(last, next);
    graph.Connect(mask, next);
    last = next;
  }
  const GraphLayout layout = graph.Run();
  // Every branch starts at the same vertical line, so the picture is two columns wide.
  EXPECT_LT(layout.width, 300);
}

TEST(CountCrossings, AgreesWithComparingAllPairs) {
  std::mt19937 random(3);
  LayeredGraph graph;
  const std::uint32_t half = 40;
  graph.ranks.assign(half, 0);
  graph.ranks.resize(2 * half, 1);
  std::vector<std::uint32_t> uppers, lowers;
  for (int i = 0; i < 200; ++i) {
    uppers.push_back(static_cast<std::uint32_t>(random()) % half);
    lowers.push_back(half + static_cast<std::uint32_t>(random()) % half);
  }
  graph.line_count = uppers.size();
  graph.box_count = 2 * half;
  graph.below = Neighbours(2 * half, uppers, lowers);
  graph.above = Neighbours(2 * half, lowers, uppers);
  graph.lefts.assign(2 * half, 1);
  graph.rights.assign(2 * half, 1);
  OrderRanks(graph);
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < uppers.size(); ++i) {
    for (std::size_t k = 0; k < uppers.size(); ++k) {
      const bool crosses = graph.places[uppers[i]] < graph.places[uppers[k]] &&
                           graph.places[lowers[i]] > graph.places[lowers[k]];
      expected += crosses ? 1 : 0;
    }
  }
  EXPECT_EQ(CountCrossings(graph), expected);
}

}  // namespace
}  // namespace cboard::analysis
