#include "compare/measure/channel_importance.h"

#include <gmock/gmock.h>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::OnnxBuilder;
using testing::Succeeds;

std::vector<double> ImportanceOf(const model::ModelGraph& model, std::string_view tensor,
                                 std::size_t channels) {
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  const auto found = ChannelImportance(model, layers).Of(model.FindTensor(tensor), channels);
  EXPECT_THAT(found, Succeeds());
  return *found;
}

TEST(ChannelImportance, IsWhatTheNextWeightsAddUpTo) {
  OnnxBuilder builder;
  builder.Input("x", {-1, 2})
      .Weight("w", {2, 3}, {1, 2, 3, 0, 4, 0})
      .Node("Relu", {"x"}, {"r"})
      .Node("MatMul", {"r", "w"}, {"y"})
      .Output("y", {-1, 3});
  EXPECT_THAT(ImportanceOf(Opened(builder), "x", 2), ElementsAre(14, 16));
}

TEST(ChannelImportance, CountsTheElementsOfAFlattenedChannelTogether) {
  OnnxBuilder builder;
  builder.Input("x", {-1, 2, 1, 2})
      .Weight("w", {4, 1}, {1, 2, 3, 4})
      .Node("Flatten", {"x"}, {"f"})
      .Node("MatMul", {"f", "w"}, {"y"})
      .Output("y", {-1, 1});
  EXPECT_THAT(ImportanceOf(Opened(builder), "x", 2), ElementsAre(5, 25));
}

TEST(ChannelImportance, KnowsGroupsOfConvolutions) {
  OnnxBuilder builder;
  builder.Input("x", {-1, 2, 4, 4})
      .Weight("w", {4, 1, 1, 1}, {1, 2, 3, 4})
      .Node("Conv", {"x", "w"}, {"y"}, OnnxBuilder::IntAttribute("group", 2))
      .Output("y", {-1, 4, 4, 4});
  EXPECT_THAT(ImportanceOf(Opened(builder), "x", 2), ElementsAre(5, 25));
}

TEST(ChannelImportance, AddsUpOverAllLayersThatTakeTheOutput) {
  OnnxBuilder builder;
  builder.Input("x", {-1, 2})
      .Weight("v", {2, 1}, {1, 2})
      .Weight("w", {2, 1}, {3, 0})
      .Node("MatMul", {"x", "v"}, {"y"})
      .Node("MatMul", {"x", "w"}, {"z"})
      .Output("y", {-1, 1})
      .Output("z", {-1, 1});
  EXPECT_THAT(ImportanceOf(Opened(builder), "x", 2), ElementsAre(10, 4));
}

TEST(ChannelImportance, AnInputMeetsWOfARecurrentNode) {
  OnnxBuilder builder;
  builder.Input("x", {5, 1, 2})
      .Weight("w", {2, 1, 2}, {1, 2, 3, 4})
      .Weight("r", {2, 1, 1}, {10, 20})
      .Node("RNN", {"x", "w", "r"}, {"y"})
      .Output("y", {5, 2, 1, 1});
  EXPECT_THAT(ImportanceOf(Opened(builder), "x", 2), ElementsAre(10, 20));
}

TEST(ChannelImportance, IsNotKnownOfWhatABodyTakes) {
  OnnxBuilder then_branch, else_branch, builder;
  then_branch.Node("MatMul", {"x", "w"}, {"t"}).Output("t", {1, 1});
  else_branch.Node("MatMul", {"x", "w"}, {"e"}).Output("e", {1, 1});
  builder.Input("x", {1, 2})
      .Input("c", {}, 9)
      .Weight("w", {2, 1}, {1, 2})
      .NodeWith("If", {"c"}, {"y"},
                {OnnxBuilder::GraphAttribute("then_branch", then_branch),
                 OnnxBuilder::GraphAttribute("else_branch", else_branch)})
      .Output("y", {1, 1});
  EXPECT_THAT(ImportanceOf(Opened(builder), "x", 2), IsEmpty());
}

TEST(ChannelImportance, IsNotKnownWhereOtherNodesTakePart) {
  OnnxBuilder builder;
  builder.Input("x", {-1, 2})
      .Weight("w", {2, 1}, {1, 2})
      .Node("MatMul", {"x", "w"}, {"y"})
      .Node("Sigmoid", {"x"}, {"s"})
      .Output("y", {-1, 1})
      .Output("s", {-1, 2});
  const model::ModelGraph model = Opened(builder);
  EXPECT_THAT(ImportanceOf(model, "x", 2), IsEmpty());
  EXPECT_THAT(ImportanceOf(model, "y", 1), IsEmpty());  // The model's output.
}

}  // namespace
}  // namespace cboard::compare
