#include "cboard/analysis/graph_view.h"

#include <gmock/gmock.h>

#include <map>

#include "analysis/testing/graph_builder.h"
#include "testing/matchers.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// The graph net/b1/{conv, relu}, net/b2/{conv, relu}, with a shortcut around b2.
std::vector<TestNode> TwoBlocks() {
  return {{"x", "Placeholder"},
          {"net/b1/conv", "Conv", {"x", "net/b1/w"}},
          {"net/b1/w", "Const"},
          {"net/b1/relu", "Relu", {"net/b1/conv"}},
          {"net/b2/conv", "Conv", {"net/b1/relu"}},
          {"net/b2/relu", "Relu", {"net/b2/conv"}},
          {"y", "Add", {"net/b2/relu", "net/b1/relu"}}};
}

std::string PathOf(const GraphScene& scene, const GraphBox& box) {
  return box.kind == BoxKind::kNode ? scene.outline.nodes[box.index].path
                                    : scene.outline.groups[box.index].path;
}

std::vector<std::string> Paths(const GraphScene& scene, const GraphView& view) {
  std::vector<std::string> paths;
  for (const GraphBox& box : view.boxes) paths.push_back(PathOf(scene, box));
  return paths;
}

const GraphBox& BoxAt(const GraphScene& scene, const GraphView& view, std::string_view path) {
  for (const GraphBox& box : view.boxes) {
    if (PathOf(scene, box) == path) return box;
  }
  ADD_FAILURE() << "no box " << path;
  return view.boxes.front();
}

GraphView Look(const GraphScene& scene, GraphViewOptions options) {
  auto view = ViewScene(scene, options);
  EXPECT_THAT(view, testing::Succeeds());
  return view ? *std::move(view) : GraphView();
}

void ExpectInside(const GraphScene& scene, const GraphView& view) {
  for (const GraphBox& box : view.boxes) {
    const std::string path = PathOf(scene, box);
    EXPECT_GE(box.x, 0) << path;
    EXPECT_LE(box.x + box.width, view.width + 1) << path;
    EXPECT_LE(box.y + box.height, view.height + 1) << path;
    if (box.parent == kNoBox) continue;
    const GraphBox& around = view.boxes[box.parent];
    EXPECT_GE(box.x, around.x) << path;
    EXPECT_GE(box.y, around.y) << path;
    EXPECT_LE(box.x + box.width, around.x + around.width) << path;
    EXPECT_LE(box.y + box.height, around.y + around.height) << path;
  }
}

// Quantization traces the model with another name; nodes that it adds are placed among the others.
TEST(MakeScene, GathersBothSidesBelowTheNameOfA) {
  const GraphScene scene =
      MakeScene(Measured({{"x", "Input"}, {"Net/Conv2d[conv1]/conv", "conv", {"x"}}}),
                Measured({{"x", "Input"},
                          {"GraphModule/quantize", "quantize", {"x"}},
                          {"GraphModule/Conv2d[conv1]/conv", "conv", {"GraphModule/quantize"}}}));
  std::vector<std::string> paths;
  for (const OutlineNode& node : scene.outline.nodes) paths.push_back(node.path);
  EXPECT_THAT(paths, ElementsAre("x", "Net/Conv2d[conv1]/conv", "Net/quantize"));
}

TEST(ViewScene, DrawsNoLineFromAGroupOfHiddenConstants) {
  const GraphScene scene = MakeScene(Measured({{"x", "Placeholder"},
                                               {"net/a", "Conv", {"x", "net/weights/w"}},
                                               {"net/b", "Conv", {"net/a"}},
                                               {"net/weights/w", "Const"}}));
  const GraphView view = Look(scene, {.open = {"net"}});
  EXPECT_THAT(Paths(scene, view), UnorderedElementsAre("x", "net", "net/a", "net/b"));
  for (const GraphLink& link : view.links) {
    EXPECT_NE(PathOf(scene, view.boxes[link.source]), "net");
  }
}

TEST(ViewScene, ShowsClosedGroupsAsOneBox) {
  const GraphScene scene = MakeScene(Measured(TwoBlocks()));
  const GraphView view = Look(scene, {});
  EXPECT_THAT(Paths(scene, view), UnorderedElementsAre("x", "y", "net"));
  EXPECT_EQ(BoxAt(scene, view, "net").a.node_count, 4u) << "without the weight";
  ASSERT_EQ(view.links.size(), 2u);
  EXPECT_EQ(view.links[1].value_count, 2u) << "two values reach y";
}

TEST(ViewScene, PutsWhatIsInAGroupInsideOfIt) {
  const GraphScene scene = MakeScene(Measured(TwoBlocks()));
  for (const std::vector<std::string>& open :
       std::vector<std::vector<std::string>>{{"net"}, {"net", "net/b1"}, {"*"}}) {
    const GraphView view = Look(scene, {.open = open});
    ExpectInside(scene, view);
  }
  EXPECT_THAT(
      Paths(scene, Look(scene, {.open = {"net", "net/b2"}})),
      UnorderedElementsAre("x", "y", "net", "net/b1", "net/b2", "net/b2/conv", "net/b2/relu"));
  EXPECT_THAT(Paths(scene, Look(scene, {.open = {"net/b2"}})),
              UnorderedElementsAre("x", "y", "net"))
      << "what is around it is closed";
}

// Each piece starts where the previous one ends, from the source's lower edge to the target's upper
// edge.
TEST(ViewScene, CutsLinesAtBordersWithoutGaps) {
  const GraphScene scene = MakeScene(Measured(TwoBlocks()));
  const GraphView view = Look(scene, {.open = {"*"}});
  std::size_t pieces = 0;
  for (const GraphLink& link : view.links) {
    ASSERT_GE(link.points.size(), 2u);
    const GraphBox& source = view.boxes[link.source];
    if (link.before == kNoBox) {
      EXPECT_NEAR(link.points.front().x, source.x + source.width / 2, 1);
      EXPECT_NEAR(link.points.front().y, source.y + source.height, 1);
    } else {
      ++pieces;
      EXPECT_NEAR(view.links[link.before].points.back().x, link.points.front().x, 1);
      EXPECT_NEAR(view.links[link.before].points.back().y, link.points.front().y, 1);
    }
    const GraphBox& end = view.boxes[link.end];
    if (end.kind == BoxKind::kNode) {
      EXPECT_NEAR(link.points.back().x, end.x + end.width / 2, 1);
      EXPECT_NEAR(link.points.back().y, end.y, 1);
    }
    for (std::size_t i = 1; i < link.points.size(); ++i) {
      EXPECT_LE(link.points[i - 1].y, link.points[i].y);
    }
  }
  EXPECT_GE(pieces, 4u);
}

TEST(ViewScene, SharesOneCrossingPerValue) {
  // One value has three users in the same group.
  const GraphScene scene = MakeScene(
      Measured({{"x"}, {"g/a", "Op", {"x"}}, {"g/b", "Op", {"x"}}, {"g/c", "Op", {"x"}}}));
  const GraphView view = Look(scene, {.open = {"g"}});
  std::size_t into_group = 0;
  for (const GraphLink& link : view.links)
    into_group += view.boxes[link.end].kind == BoxKind::kOpenGroup ? 1u : 0u;
  EXPECT_EQ(into_group, 1u);
  EXPECT_EQ(view.links.size(), 4u);
}

TEST(ViewScene, LetsAGroupsOnlyNodeStandForIt) {
  const GraphScene scene =
      MakeScene(Measured({{"x"},
                          {"layer1/conv1/weight", "Const"},
                          {"layer1/conv1/Conv_out", "Conv", {"x", "layer1/conv1/weight"}},
                          {"Conv2D_3/conv2", "Conv2D", {"x"}},
                          {"head/scores", "MatMul", {"x"}}}));
  const GraphView view = Look(scene, {});
  std::vector<std::string> labels;
  for (const GraphBox& box : view.boxes) labels.push_back(LabelOf(scene, box));
  EXPECT_THAT(labels, UnorderedElementsAre("x", "layer1", "conv2", "head/scores"));
}

TEST(ViewScene, OpensAboutAsMuchAsAScreenShows) {
  std::vector<TestNode> nodes;
  for (int block = 0; block < 10; ++block) {
    for (int op = 0; op < 20; ++op) {
      nodes.push_back(
          {"net/block" + std::to_string(block) + "/op" + std::to_string(op), "Op",
           nodes.empty() ? std::vector<std::string>() : std::vector{nodes.back().name}});
    }
  }
  const GraphScene scene = MakeScene(Measured(nodes));
  const GraphView view = Look(scene, {.automatic_boxes = 48});
  EXPECT_THAT(view.open, ::testing::Contains("net"));
  EXPECT_LE(view.boxes.size(), 52u);
  EXPECT_GE(view.boxes.size(), 11u);
}

TEST(ViewScene, RefusesMoreBoxesThanAllowed) {
  const GraphScene scene = MakeScene(Measured(TwoBlocks()));
  EXPECT_THAT(ViewScene(scene, {.open = {"*"}, .max_boxes = 5}),
              testing::FailsSaying(ErrorCode::kResourceExhausted, "open fewer groups"));
}

TEST(ViewScene, AddsUpWhatIsInABox) {
  const auto weight = [](proto::DataType type) {
    return std::vector<std::pair<std::string, proto::Attribute>>{
        {"dtype", proto::Attribute::Type(type)},
        {"shape", proto::Attribute::EncodedShape({64, 3, 3, 3})}};
  };
  std::vector<TestNode> nodes = TwoBlocks();
  nodes[2].attributes = weight(proto::DataType::kInt8);
  const GraphScene scene = MakeScene(
      Measured(nodes, {{.node_name = "net/b1/conv", .all_end_rel_micros = 7, .total_bytes = 100},
                       {.node_name = "net/b2/conv", .all_end_rel_micros = 5, .total_bytes = 20}}));
  const GraphView view = Look(scene, {});
  const GraphBox& net = BoxAt(scene, view, "net");
  EXPECT_EQ(net.a.memory_bytes, 120u);
  EXPECT_EQ(net.a.compute_micros, 12u);
  EXPECT_EQ(net.a.weight_bytes, 64u * 27);
  EXPECT_EQ(net.a.min_weight_bits, 8);
}

TEST(ViewScene, ShowsConstantsWhenAskedOrAlone) {
  const GraphScene scene = MakeScene(Measured(TwoBlocks()));
  const GraphView view = Look(scene, {.open = {"*"}, .hide_constants = false});
  EXPECT_THAT(Paths(scene, view), ::testing::Contains("net/b1/w"));
  const GraphScene empty = MakeScene(Measured({}));
  EXPECT_TRUE(Look(empty, {}).boxes.empty());
}

TEST(ViewScene, FoldsQuantizationIntoTheNodeOfItsTensor) {
  const GraphScene scene =
      MakeScene(Measured({{"x"}, {"conv", "Conv", {"x"}}, {"relu", "Relu", {"conv"}}}),
                Measured({{"x"},
                          {"x_q", "QuantizeLinear", {"x"}},
                          {"x_dq", "DequantizeLinear", {"x_q"}},
                          {"conv", "Conv", {"x_dq"}},
                          {"conv_q", "QuantizeLinear", {"conv"}},
                          {"conv_dq", "DequantizeLinear", {"conv_q"}},
                          {"relu", "Relu", {"conv_dq"}}}));
  const GraphView view = Look(scene, {.open = {"*"}});
  EXPECT_THAT(Paths(scene, view), ::testing::UnorderedElementsAre("x", "conv", "relu"));
  ASSERT_EQ(view.links.size(), 2u);
  for (const GraphLink& link : view.links) EXPECT_EQ(link.sides, kInBoth);
  const GraphView whole = Look(scene, {.open = {"*"}, .fold_quantization = false});
  EXPECT_THAT(Paths(scene, whole), ::testing::IsSupersetOf({"x_q", "x_dq", "conv_q", "conv_dq"}));
}

TEST(ViewScene, DoesNotFoldQuantizationInACircle) {
  const GraphScene scene = MakeScene(Measured({{"x"},
                                               {"q", "QuantizeLinear", {"dq"}},
                                               {"dq", "DequantizeLinear", {"q"}},
                                               {"y", "Relu", {"x"}}}));
  EXPECT_THAT(Paths(scene, Look(scene, {.open = {"*"}})), ::testing::IsSupersetOf({"q", "dq"}));
}

TEST(ViewScene, MarksBothSidesOfAPair) {
  const GraphScene scene =
      MakeScene(Measured({{"x"}, {"conv", "Conv", {"x"}}, {"relu", "Relu", {"conv"}}}),
                Measured({{"x"}, {"conv", "QLinearConv", {"x"}}}));
  const GraphView view = Look(scene, {});
  const GraphBox& relu = BoxAt(scene, view, "relu");
  EXPECT_EQ(relu.change, NodeChange::kFused);
  EXPECT_EQ(PathOf(scene, view.boxes[relu.fused_into]), "conv");
  EXPECT_EQ(relu.b.node_count, 0u);
  EXPECT_EQ(BoxAt(scene, view, "conv").b.min_activation_bits, 8);
}

TEST(Trace, FollowsLinesBackToWhereTheyComeFrom) {
  const GraphScene scene = MakeScene(Measured(TwoBlocks()));
  const std::uint32_t b1 = scene.outline.node_of_path.at("net/b1/relu");
  const auto names = [&](TraceDirection direction) {
    std::vector<std::string> reached;
    const std::vector<char> traced = Trace(scene, std::vector{b1}, direction);
    for (std::uint32_t i = 0; i < traced.size(); ++i) {
      if (traced[i]) reached.push_back(scene.outline.nodes[i].path);
    }
    return reached;
  };
  EXPECT_THAT(names(TraceDirection::kInputs),
              ElementsAre("x", "net/b1/conv", "net/b1/w", "net/b1/relu"));
  EXPECT_THAT(names(TraceDirection::kOutputs),
              ElementsAre("net/b1/relu", "net/b2/conv", "net/b2/relu", "y"));
}

TEST(MakeScene, GivesGroupsThatAreAlikeTheSameNumber) {
  const GraphScene scene = MakeScene(Measured({{"a/conv", "Conv"},
                                               {"a/relu", "Relu", {"a/conv"}},
                                               {"b/c", "Conv"},
                                               {"b/r", "Relu", {"b/c"}},
                                               {"c/conv", "Conv"},
                                               {"c/add", "Add", {"c/conv"}}}));
  std::map<std::string, std::uint32_t> structures;
  for (std::size_t i = 0; i < scene.outline.groups.size(); ++i) {
    structures[scene.outline.groups[i].path] = scene.structures[i];
  }
  EXPECT_EQ(structures["a"], structures["b"]);
  EXPECT_NE(structures["a"], 0u);
  EXPECT_EQ(structures["c"], 0u);
}

TEST(FindLayers, KnowsTheNamesThatExportersGive) {
  const auto found = [](const std::string& node, std::string_view layer) {
    const GraphScene scene =
        MakeScene(Measured({{"x"}, {node, "Conv", {"x"}}, {"other/Conv", "Conv", {"x"}}}));
    const auto nodes = FindLayers(scene, std::vector{layer});
    return nodes.front() == kNoNode ? std::string() : scene.outline.nodes[nodes.front()].path;
  };
  for (const std::string node :
       {"layer1.0.conv1", "resnet/layer1/0/conv1/Conv", "/layer1/layer1.0/conv1/Conv",
        "ResNet/Sequential[layer1]/BasicBlock[0]/Conv2d[conv1]", "layer1/0/conv1"}) {
    EXPECT_EQ(found(node, "layer1.0.conv1"), node);
  }
  EXPECT_EQ(found("v0/cg/conv0/Relu", "v0/cg/conv0/Relu"), "v0/cg/conv0/Relu");
  EXPECT_EQ(found("layer1.0.conv1", "layer1.0.conv2"), "");
}

}  // namespace
}  // namespace cboard::analysis
