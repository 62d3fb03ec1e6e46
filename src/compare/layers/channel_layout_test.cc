#include "compare/layers/channel_layout.h"

#include <gmock/gmock.h>

#include <map>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::IsEmpty;
using testing::OnnxBuilder;
using Shapes = std::map<std::string, std::vector<std::int64_t>>;

std::optional<ChannelLayout> Traced(const OnnxBuilder& builder, const std::string& tensor,
                                    const Shapes& shapes) {
  const model::ModelGraph model = Opened(builder);
  const ChannelTracer tracer(model, [&](model::TensorId id) -> const std::vector<std::int64_t>* {
    const auto found = shapes.find(model.tensor(id).name);
    return found == shapes.end() ? nullptr : &found->second;
  });
  return tracer.Trace(model.FindTensor(tensor));
}

TEST(ChannelLayout, IsThatOfTheProductBehindActivations) {
  OnnxBuilder builder;
  builder.Input("x", {1, 8}).Input("w", {8, 3});
  builder.Node("MatMul", {"x", "w"}, {"product"}).Node("Sigmoid", {"product"}, {"y"});
  builder.Output("y", {1, 3});
  const auto layout = Traced(builder, "y", {{"product", {1, 5, 3}}, {"y", {1, 5, 3}}});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->axis, 2u);
  EXPECT_THAT(layout->branches, IsEmpty());
}

TEST(ChannelLayout, HasTheBranchesOfAConcatOfConvolutions) {
  OnnxBuilder builder;
  builder.Input("x", {1, 8, 10, 10}).Input("w", {4, 8, 1, 1}).Input("v", {14, 8, 1, 1});
  builder.Node("Conv", {"x", "w"}, {"boxes"}).Node("Conv", {"x", "v"}, {"scores"});
  builder.Node("Flatten", {"boxes"}, {"flat_boxes"}).Node("Flatten", {"scores"}, {"flat_scores"});
  builder.Node("Concat", {"flat_boxes", "flat_scores"}, {"y"}).Output("y", {1, 18, 100});
  const auto layout = Traced(builder, "y",
                             {{"boxes", {1, 4, 10, 10}},
                              {"scores", {1, 14, 10, 10}},
                              {"flat_boxes", {1, 4, 100}},
                              {"flat_scores", {1, 14, 100}},
                              {"y", {1, 18, 100}}});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->axis, 1u);
  ASSERT_EQ(layout->branches.size(), 2u);
  EXPECT_EQ(layout->branches[0].channels, 4u);
  EXPECT_EQ(layout->branches[1].channels, 14u);
}

// As YOLOv8 does: a convolution with one output channel gives the mean of each distribution, and
// its result is reshaped so that the four sides of a box become channels.
TEST(ChannelLayout, FollowsTheConcatBehindAReshapedSingleChannel) {
  OnnxBuilder builder;
  builder.Input("x", {1, 16, 4, 21}).Input("w", {1, 16, 1, 1}).Input("sizes", {3});
  builder.Input("scores", {1, 14, 21});
  builder.Node("Conv", {"x", "w"}, {"means"}).Node("Reshape", {"means", "sizes"}, {"boxes"});
  builder.Node("Mul", {"boxes", "boxes"}, {"pixels"});
  builder.Node("Concat", {"pixels", "scores"}, {"y"}).Output("y", {1, 18, 21});
  const auto layout = Traced(builder, "y",
                             {{"means", {1, 1, 4, 21}},
                              {"boxes", {1, 4, 21}},
                              {"pixels", {1, 4, 21}},
                              {"scores", {1, 14, 21}},
                              {"y", {1, 18, 21}}});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->axis, 1u);
  ASSERT_EQ(layout->branches.size(), 2u);
  EXPECT_EQ(layout->branches[0].channels, 4u);
}

TEST(ChannelLayout, IsTheInnerPartOfADividedAxis) {
  OnnxBuilder builder;
  builder.Input("x", {1, 8, 10, 10}).Input("w", {255, 8, 1, 1}).Input("sizes", {5});
  builder.Node("Conv", {"x", "w"}, {"raw"}).Node("Reshape", {"raw", "sizes"}, {"y"});
  builder.Output("y", {1, 3, 85, 10, 10});
  const auto layout = Traced(builder, "y", {{"raw", {1, 255, 10, 10}}, {"y", {1, 3, 85, 10, 10}}});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->axis, 2u);
}

TEST(ChannelLayout, IsUnknownWithoutAnOperatorThatHasChannels) {
  OnnxBuilder builder;
  builder.Input("x", {1, 8}).Node("Relu", {"x"}, {"y"}).Output("y", {1, 8});
  EXPECT_FALSE(Traced(builder, "y", {{"x", {1, 8}}, {"y", {1, 8}}}));
}

}  // namespace
}  // namespace cboard::compare
