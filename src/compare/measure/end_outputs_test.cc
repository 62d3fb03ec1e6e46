#include "compare/measure/end_outputs.h"

#include <gmock/gmock.h>

#include <cmath>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using testing::OnnxBuilder;
using testing::Succeeds;

model::ModelGraph Relu() {
  OnnxBuilder builder;
  builder.Input("x", {1, -1, -1, -1}).Node("Relu", {"x"}, {"y"}).Output("y", {1, -1, -1, -1});
  return Opened(builder);
}

std::vector<float> Waves(std::size_t count, float step) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = std::sin(step * static_cast<float>(i));
  return values;
}

EndFindings FindingsOf(const TensorView& input, const TensorView& baseline,
                       const TensorView& variant) {
  const model::ModelGraph graph = Relu();
  EndGatherer gatherer(graph, graph);
  const auto added =
      gatherer.Add([&](std::size_t side, const std::string& name) -> const TensorView* {
        if (name == "x") return &input;
        return side == 0 ? &baseline : &variant;
      });
  EXPECT_THAT(added, Succeeds());
  return gatherer.Build()[0];
}

TEST(EndGatherer, FindsPicturesThatAreLikeAnInput) {
  const std::vector<std::int64_t> small = {1, 3, 8, 8}, large = {1, 3, 16, 16};
  const std::vector<float> picture = Waves(192, 0.1f), other = Waves(192, 7.3f);
  const std::vector<float> enlarged = Waves(768, 0.3f);
  const TensorView input(picture, small), classes(other, small), more(enlarged, large);
  EXPECT_TRUE(FindingsOf(input, input, input).is_picture);
  EXPECT_TRUE(FindingsOf(input, more, more).is_picture);
  EXPECT_FALSE(FindingsOf(input, classes, classes).is_picture);
}

TEST(EndGatherer, ComparesSequencesOfAnotherLength) {
  const std::vector<float> none(1), words = Waves(6 * 20, 1.7f);
  const std::vector<std::int64_t> one = {1, 1, 1, 1}, all = {1, 6, 20}, fewer = {1, 4, 20};
  const TensorView input(none, one), ours(words, all);
  const std::vector<float> first(words.begin(), words.begin() + 80);
  const EndFindings found = FindingsOf(input, ours, TensorView(first, fewer));
  EXPECT_EQ(found.other_shapes, 0u);
  ASSERT_EQ(found.heads.size(), 1u);
  EXPECT_EQ(found.heads[0].positions, 6u);
  EXPECT_LT(found.heads[0].SqnrDb(), 10);
  // Boxes of four numbers may be a list in another order.
  const std::vector<std::int64_t> boxes = {1, 30, 4}, fewer_boxes = {1, 20, 4};
  EXPECT_EQ(
      FindingsOf(input, TensorView(words, boxes), TensorView(first, fewer_boxes)).other_shapes, 1u);
}

}  // namespace
}  // namespace cboard::compare
