#include "cboard/analysis/graph_diff.h"

#include <gmock/gmock.h>

#include "analysis/graph/graph_builder.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<TestNode> kFloat = {
    {"x", "Placeholder"},
    {"conv1/weight", "Const"},
    {"conv1", "Conv", {"x", "conv1/weight"}},
    {"bn1", "BatchNormalization", {"conv1"}},
    {"relu", "Relu", {"bn1"}},
    {"drop", "Dropout", {"relu"}},
    {"fc", "Gemm", {"drop"}},
};
const std::vector<TestNode> kQuantized = {
    {"x", "Placeholder"},
    {"q", "QuantizeLinear", {"x"}},
    {"conv1/weight", "Const"},
    {"conv1_quantized", "QLinearConv", {"q", "conv1/weight"}},
    {"fc", "Gemm", {"conv1_quantized"}},
};

struct Names {
  GraphDiff diff;
  std::shared_ptr<const MeasuredGraph> a, b;

  std::string Of(std::uint32_t node) const {
    const DiffNode& n = diff.nodes[node];
    return n.a != kNoNode ? a->graph.nodes[n.a].name : b->graph.nodes[n.b].name;
  }
  const DiffNode& Find(std::string_view name) const {
    for (std::uint32_t i = 0; i < diff.nodes.size(); ++i) {
      if (Of(i) == name) return diff.nodes[i];
    }
    ADD_FAILURE() << "no node " << name;
    return diff.nodes.front();
  }
  // "a>b 3", the number being the sides.
  std::vector<std::string> Edges() const {
    std::vector<std::string> texts;
    for (const DiffEdge& edge : diff.edges) {
      texts.push_back(Of(edge.from) + ">" + Of(edge.to) + " " + std::to_string(edge.sides));
    }
    std::ranges::sort(texts);
    return texts;
  }
};

Names Diff(const std::vector<TestNode>& a, const std::vector<TestNode>& b) {
  Names names{.diff = {}, .a = Measured(a), .b = Measured(b)};
  names.diff = DiffGraphs(*names.a, *names.b);
  return names;
}

TEST(DiffGraphs, SaysWhatWasFusedAddedGoneAndChanged) {
  const Names names = Diff(kFloat, kQuantized);
  EXPECT_EQ(names.Find("x").change, NodeChange::kSame);
  EXPECT_EQ(names.Find("conv1").change, NodeChange::kChanged) << "another op under a longer name";
  EXPECT_EQ(names.Find("conv1").b, 3u);
  EXPECT_EQ(names.Find("bn1").change, NodeChange::kFused);
  EXPECT_EQ(names.Find("relu").change, NodeChange::kFused);
  EXPECT_EQ(names.Of(names.Find("relu").fused_into), "conv1");
  EXPECT_EQ(names.Find("drop").change, NodeChange::kGone)
      << "does nothing, so nothing does its work";
  EXPECT_EQ(names.Find("q").change, NodeChange::kAdded);
  EXPECT_EQ(names.Find("fc").change, NodeChange::kSame);
}

TEST(DiffGraphs, LeadsLinesThroughWhatTheOtherSideLacks) {
  const Names names = Diff(kFloat, kQuantized);
  EXPECT_THAT(names.Edges(),
              ElementsAre("bn1>relu 3",            // Inside of what was fused.
                          "conv1/weight>conv1 3",  //
                          "conv1>bn1 3",           //
                          "drop>fc 3",             // B's way from relu to fc, past drop.
                          "q>conv1 3",             // A's way from x to conv1, past q.
                          "relu>drop 3", "x>q 3"));
}

TEST(DiffGraphs, SummarizesByOperation) {
  const auto summary = Diff(kFloat, kQuantized).diff.summary;
  std::vector<std::string> lines;
  for (const DiffSummaryLine& line : summary) {
    lines.push_back(std::string(NameOf(line.change)) + " " + std::to_string(line.count) + " " +
                    line.op + " " + line.other);
  }
  EXPECT_THAT(
      lines, ElementsAre("changed 1 Conv QLinearConv", "added 1 QuantizeLinear ", "gone 1 Dropout ",
                         "fused 1 BatchNormalization Conv", "fused 1 Relu Conv"));
}

TEST(DiffGraphs, DoesNotCallFusedWhatOthersStillNeed) {
  // bn's input is used twice, so nothing can have taken its place inside conv.
  const Names names =
      Diff({{"conv", "Conv"}, {"bn", "BatchNormalization", {"conv"}}, {"y", "Add", {"conv", "bn"}}},
           {{"conv", "Conv"}, {"y", "Add", {"conv"}}});
  EXPECT_EQ(names.Find("bn").change, NodeChange::kGone);
}

TEST(DiffGraphs, RecognisesRenamedNodesByTheirNeighbours) {
  const Names names =
      Diff({{"x"},
            {"input.1", "Conv", {"x"}},
            {"input.2", "Relu", {"input.1"}},
            {"input.3", "Conv", {"input.2"}}},
           {{"x"}, {"v7", "Conv", {"x"}}, {"v8", "Relu", {"v7"}}, {"v9", "Conv", {"v8"}}});
  for (const DiffNode& node : names.diff.nodes) {
    EXPECT_EQ(node.a, node.b);
    EXPECT_EQ(node.change, NodeChange::kSame);
  }
}

TEST(DiffGraphs, FindsNothingBetweenAGraphAndItself) {
  const Names names = Diff(kFloat, kFloat);
  EXPECT_THAT(names.diff.summary, IsEmpty());
  for (const DiffEdge& edge : names.diff.edges) EXPECT_EQ(edge.sides, kInBoth);
  EXPECT_EQ(names.diff.nodes.size(), kFloat.size());
}

TEST(DiffGraphs, TakesEveryNodeOfBothExactlyOnce) {
  const Names names = Diff(kFloat, kQuantized);
  std::vector<int> seen_a(names.a->graph.nodes.size()), seen_b(names.b->graph.nodes.size());
  for (const DiffNode& node : names.diff.nodes) {
    if (node.a != kNoNode) ++seen_a[node.a];
    if (node.b != kNoNode) ++seen_b[node.b];
  }
  EXPECT_THAT(seen_a, ::testing::Each(1));
  EXPECT_THAT(seen_b, ::testing::Each(1));
}

TEST(DiffGraphs, SaysWhatChangedInOperationsThatStayed) {
  const auto network = [](std::int64_t bits) {
    return std::vector<TestNode>{
        {"x", "Placeholder"},
        {"conv1", "Conv", {"x"}, {{"weight_bits", proto::Attribute::Int(bits)}}},
        {"conv2", "Conv", {"conv1"}, {{"weight_bits", proto::Attribute::Int(bits)}}},
        {"relu", "Relu", {"conv2"}}};
  };
  const auto diff = Diff(network(32), network(8)).diff;
  ASSERT_EQ(diff.summary.size(), 1u);
  EXPECT_EQ(diff.summary[0].op, "Conv");
  EXPECT_EQ(diff.summary[0].count, 2u);
  EXPECT_THAT(diff.summary[0].whats, ElementsAre("weight bits", "weight_bits"));
}

TEST(DiffGraphs, CountsWhatIsNotedAboutANodeAsItsOwn) {
  const std::vector<TestNode> plain = {{"x", "Placeholder"}, {"conv", "Conv", {"x"}}};
  std::vector<TestNode> quantized = plain;
  quantized.push_back({"conv.weights", "", {}, {{"scale", proto::Attribute::Float(0.5f)}}});
  for (const Names& names : {Diff(plain, quantized), Diff(quantized, plain)}) {
    EXPECT_EQ(names.Find("conv").change, NodeChange::kChanged);
    EXPECT_EQ(names.Find("x").change, NodeChange::kSame);
    ASSERT_EQ(names.diff.summary.size(), 1u) << "the note itself is no operation";
    EXPECT_THAT(names.diff.summary[0].whats, ElementsAre("weights scale"));
  }
}

}  // namespace
}  // namespace cboard::analysis
