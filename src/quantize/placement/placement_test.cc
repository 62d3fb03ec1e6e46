#include "quantize/placement/placement.h"

#include <gmock/gmock.h>

#include "quantize/graph/prepare_graph.h"
#include "quantize/testing/test_models.h"
#include "testing/matchers.h"

namespace cboard::quantize {
namespace {

using testing::OnnxBuilder;

Placement PlacementOf(const OnnxBuilder& builder, const QuantizeOptions& options = {}) {
  auto graph = ParseGraph(builder.Bytes(), "m.onnx");
  EXPECT_THAT(graph, testing::Succeeds());
  PreparationCounts counts;
  FoldIntoWeights(*graph, counts);
  return PlaceQuantizers(*graph, options);
}

TEST(PlaceQuantizers, QuantizesBehindReluInsteadOfBeforeIt) {
  const Placement placement = PlacementOf(ResidualNet());
  EXPECT_TRUE(placement.tensors.contains("r2"));
  EXPECT_FALSE(placement.tensors.contains("a2"));
}

TEST(PlaceQuantizers, SharesTheScaleOfPooledValues) {
  const Placement placement = PlacementOf(ResidualNet());
  EXPECT_EQ(placement.tensors.at("p2").shares, "r2");
}

TEST(PlaceQuantizers, LeavesTheOutputOfTheLastGemmFloat) {
  EXPECT_FALSE(PlacementOf(ResidualNet()).tensors.contains("logits"));
}

// A Concat of boxes in pixels and scores below one: the scores need their own scale.
TEST(PlaceQuantizers, KeepsTheConcatOfADetectionHeadFloat) {
  OnnxBuilder builder;
  builder.Input("x", {1, 4, 8, 8})
      .Weight("wb", {4, 4, 1, 1}, NormalValues(16, 1))
      .Weight("ws", {2, 4, 1, 1}, NormalValues(8, 2))
      .Weight("stride", {}, {32})
      .Node("Conv", {"x", "wb"}, {"boxes"})
      .Node("Conv", {"x", "ws"}, {"logits"})
      .Node("Mul", {"boxes", "stride"}, {"pixels"})
      .Node("Sigmoid", {"logits"}, {"scores"})
      .Node("Concat", {"pixels", "scores"}, {"y"}, OnnxBuilder::IntAttribute("axis", 1))
      .Output("y", {1, 6, 8, 8});
  const Placement placement = PlacementOf(builder);
  EXPECT_FALSE(placement.tensors.contains("y"));
  EXPECT_FALSE(placement.tensors.contains("scores"));
  EXPECT_TRUE(placement.tensors.contains("logits"));
}

TEST(PlaceQuantizers, KeepsNodesThatMatchAPatternFloat) {
  const Placement placement = PlacementOf(ResidualNet(), {.keep_float = {"conv?"}});
  EXPECT_FALSE(placement.tensors.contains("image"));
  EXPECT_EQ(placement.nodes[0].role, NodeRole::kFloat);
  EXPECT_EQ(placement.nodes[0].reason, "kept in float by --keep-float conv?");
  EXPECT_TRUE(placement.tensors.contains("f"));
}

TEST(MatchesPattern, KnowsWildcards) {
  EXPECT_TRUE(MatchesPattern("/head/*", "/head/conv/Conv"));
  EXPECT_TRUE(MatchesPattern("*conv?", "/a/conv1"));
  EXPECT_FALSE(MatchesPattern("conv", "conv1"));
  EXPECT_FALSE(MatchesPattern("*x", "/a/conv1"));
}

}  // namespace
}  // namespace cboard::quantize
