#include "cboard/analysis/graph_diff.h"

#include <gmock/gmock.h>

#include "analysis/testing/graph_builder.h"

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
  // Formats an edge as "a>b 3"; the number is a bit mask of the sides.
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
                          "drop>fc 3",             // B's path from relu to fc, past drop.
                          "q>conv1 3",             // A's path from x to conv1, past q.
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
                         "fused 1 BatchNormalization QLinearConv", "fused 1 Relu QLinearConv"));
}

TEST(DiffGraphs, DoesNotCallFusedWhatOthersStillNeed) {
  // The input of bn is used twice, so bn cannot have been fused into conv.
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

// A log of stages: a node's name contains the operator, and the last node has another name.
TEST(DiffGraphs, KnowsLayersOfStagesWhenTheirOperationChanges) {
  const Names names = Diff({{"Input/x", "Placeholder"},
                            {"Net/Conv2d_0/conv1", "Conv2d", {"Input/x"}},
                            {"Net/BatchNorm2d_0/bn1", "BatchNorm2d", {"Net/Conv2d_0/conv1"}},
                            {"Net/relu_0/relu", "relu", {"Net/BatchNorm2d_0/bn1"}},
                            {"Net/Conv2d_1/conv2", "Conv2d", {"Net/relu_0/relu"}},
                            {"Output/fc", "Linear", {"Net/Conv2d_1/conv2"}}},
                           {{"Input/x", "Placeholder"},
                            {"Net/quantize_0/quantize", "quantize", {"Input/x"}},
                            {"Net/ConvReLU2d_0/conv1", "ConvReLU2d", {"Net/quantize_0/quantize"}},
                            {"Net/Conv2d_0/conv2", "Conv2d", {"Net/ConvReLU2d_0/conv1"}},
                            {"Net/Linear_0/fc", "Linear", {"Net/Conv2d_0/conv2"}},
                            {"Output/dequantize", "dequantize", {"Net/Linear_0/fc"}}});
  EXPECT_EQ(names.Find("Net/Conv2d_0/conv1").b, 2u) << "not Conv2d_0 of the other, which is conv2";
  EXPECT_EQ(names.Find("Net/Conv2d_1/conv2").b, 3u);
  EXPECT_EQ(names.Find("Output/fc").b, 4u);
  for (const char* fused : {"Net/BatchNorm2d_0/bn1", "Net/relu_0/relu"}) {
    EXPECT_EQ(names.Find(fused).change, NodeChange::kFused);
    EXPECT_EQ(names.Of(names.Find(fused).fused_into), "Net/Conv2d_0/conv1");
  }
  EXPECT_EQ(names.Find("Net/quantize_0/quantize").change, NodeChange::kAdded);
  EXPECT_EQ(names.Find("Output/dequantize").change, NodeChange::kAdded);
}

// Traces of PyTorch: the class names of the model and of fused modules differ, and values have
// generated names.
TEST(DiffGraphs, KnowsLayersOfStagesWhoseNamesHaveSlashes) {
  const Names names =
      Diff({{"Input/x", "Input"},
            {"net/Transpose_0/m/Conv_0/Conv2D__120", "Transpose", {"Input/x"}},
            {"net/Conv_0/m/Conv_0/Conv2D", "Conv", {"net/Transpose_0/m/Conv_0/Conv2D__120"}}},
           {{"Input/x", "Input"},
            {"net_int8/Transpose_0/m/Conv_0/Conv2D__120", "Transpose", {"Input/x"}},
            {"net_int8/QuantizeLinear_0/q",
             "QuantizeLinear",
             {"net_int8/Transpose_0/m/Conv_0/Conv2D__120"}},
            {"net_int8/Conv_0/m/Conv_0/Conv2D", "Conv", {"net_int8/QuantizeLinear_0/q"}}});
  EXPECT_EQ(names.Find("net/Conv_0/m/Conv_0/Conv2D").b, 3u);
  EXPECT_NE(names.Find("net/Conv_0/m/Conv_0/Conv2D").change, NodeChange::kFused);
}

TEST(DiffGraphs, KnowsLayersOfTracesByTheirModules) {
  const Names names =
      Diff({{"input/x.1", "IO Node"},
            {"Net/Conv2d[conv1]/stride", "prim::Constant"},
            {"Net/Conv2d[conv1]/strides", "prim::ListConstruct", {"Net/Conv2d[conv1]/stride"}},
            {"Net/Conv2d[conv1]/_convolution",
             "aten::_convolution",
             {"input/x.1", "Net/Conv2d[conv1]/strides"}},
            {"Net/ReLU[relu1]/relu", "aten::relu", {"Net/Conv2d[conv1]/_convolution"}},
            {"Net/flatten", "aten::flatten", {"Net/ReLU[relu1]/relu"}},
            {"Net/Linear[fc]/linear", "aten::linear", {"Net/flatten"}},
            {"output/68", "IO Node", {"Net/Linear[fc]/linear"}}},
           {{"input/x", "IO Node"},
            {"GraphModule/quantize", "aten::quantize_per_tensor", {"input/x"}},
            {"GraphModule/ConvReLU2d[conv1]/conv2d_relu",
             "quantized::conv2d_relu",
             {"GraphModule/quantize"}},
            {"GraphModule/flatten", "aten::flatten", {"GraphModule/ConvReLU2d[conv1]/conv2d_relu"}},
            {"GraphModule/Linear[fc]/linear", "quantized::linear", {"GraphModule/flatten"}},
            {"output/19", "IO Node", {"GraphModule/Linear[fc]/linear"}}});
  EXPECT_EQ(names.Find("input/x.1").b, 0u);
  EXPECT_EQ(names.Find("Net/Conv2d[conv1]/_convolution").b, 2u);
  EXPECT_EQ(names.Of(names.Find("Net/ReLU[relu1]/relu").fused_into),
            "Net/Conv2d[conv1]/_convolution");
  EXPECT_EQ(names.Find("Net/flatten").b, 3u);
  EXPECT_EQ(names.Find("Net/Linear[fc]/linear").b, 4u);
  EXPECT_EQ(names.Find("output/68").b, 5u);
  EXPECT_EQ(names.Find("GraphModule/quantize").change, NodeChange::kAdded);
}

TEST(DiffGraphs, FusesNothingIntoAnInput) {
  const Names names = Diff({{"x", "Placeholder"}, {"relu", "Relu", {"x"}}, {"y", "Conv", {"relu"}}},
                           {{"x", "Placeholder"}, {"y", "Conv", {"x"}}});
  EXPECT_EQ(names.Find("relu").change, NodeChange::kGone);
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
  EXPECT_THAT(diff.summary[0].whats, ElementsAre("weight bits"));
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
