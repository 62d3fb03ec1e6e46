#include "compare/layers/weight_origin.h"

#include <gmock/gmock.h>

#include "compare/layers/weight_rows.h"
#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::ElementsAre;
using testing::OnnxBuilder;
using testing::Succeeds;

// y = x * (what is made of weights w).
OnnxBuilder Product() {
  OnnxBuilder builder;
  builder.Input("x", {1, 3}).Output("y", {1, 2});
  return builder;
}

std::string Order(const std::vector<std::int64_t>& order) {
  return OnnxBuilder::IntsAttribute("perm", order);
}

TEST(WeightOrigin, ATransposedMatrixIsReadWhereItIsStored) {
  OnnxBuilder builder = Product();
  builder.Weight("w", {2, 3}, {1, 2, 3, 4, 5, 6})
      .Node("Transpose", {"w"}, {"t"})
      .Node("MatMul", {"x", "t"}, {"y"}, {}, "product");
  const model::ModelGraph model = Opened(builder);
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(model.tensor(layers[0].weight).name, "w");
  EXPECT_EQ(model.tensor(layers[0].operand).name, "t");
  EXPECT_EQ(layers[0].layout.channel_axis, 0u);
  const auto rows = ReadRows(model, layers[0]);
  ASSERT_THAT(rows, Succeeds());
  EXPECT_EQ(rows->channels, 2u);
  EXPECT_THAT(rows->values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(layers[0].bytes, 6 * sizeof(float));
}

TEST(WeightOrigin, BehindADequantizerItHasItsScales) {
  OnnxBuilder builder = Product();
  builder.Constant("q", {2, 3}, OnnxBuilder::kInt8, std::vector<std::int8_t>{1, 2, 3, 4, 5, 6})
      .Weight("s", {2}, {0.5f, 2})
      .Node("DequantizeLinear", {"q", "s"}, {"w"}, OnnxBuilder::IntAttribute("axis", 0))
      .Node("Transpose", {"w"}, {"t"}, Order({1, 0}))
      .Node("MatMul", {"x", "t"}, {"y"}, {}, "product");
  const model::ModelGraph model = Opened(builder);
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].layout.channel_axis, 0u);
  const auto rows = ReadRows(model, layers[0]);
  ASSERT_THAT(rows, Succeeds());
  EXPECT_THAT(rows->values, ElementsAre(0.5f, 1, 1.5f, 8, 10, 12));
}

TEST(WeightOrigin, InputsThatAreStoredLastAreReadFirst) {
  // [out, width, in] -> [out, in, width], for a convolution along one dimension.
  OnnxBuilder builder;
  builder.Input("x", {1, 2, 4})
      .Weight("w", {1, 3, 2}, {1, 10, 2, 20, 3, 30})
      .Node("Transpose", {"w"}, {"t"}, Order({0, 2, 1}))
      .Node("Conv", {"x", "t"}, {"y"}, {}, "conv")
      .Output("y", {1, 1, 2});
  const model::ModelGraph model = Opened(builder);
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 1u);
  const auto rows = ReadRows(model, layers[0]);
  ASSERT_THAT(rows, Succeeds());
  EXPECT_THAT(rows->values, ElementsAre(1, 2, 3, 10, 20, 30));
}

TEST(WeightOrigin, RowsThatCannotBeReadInOrderAreLeftAlone) {
  // [out, in, width, height] -> [out, in, height, width]
  OnnxBuilder builder;
  builder.Input("x", {1, 2, 4, 4})
      .Weight("w", {1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})
      .Node("Transpose", {"w"}, {"t"}, Order({0, 1, 3, 2}))
      .Node("Conv", {"x", "t"}, {"y"}, {}, "conv")
      .Output("y", {1, 1, 3, 3});
  EXPECT_TRUE(FindWeightLayers(Opened(builder)).empty());
}

TEST(WeightOrigin, DimensionsOfOneComeAndGo) {
  OnnxBuilder builder;
  builder.Input("x", {1, 3})
      .Weight("w", {2, 3}, {1, 2, 3, 4, 5, 6})
      .Node("Transpose", {"w"}, {"t"})
      .Node("Unsqueeze", {"t"}, {"u"}, OnnxBuilder::IntsAttribute("axes", {0}))
      .Node("MatMul", {"x", "u"}, {"y"}, {}, "product")
      .Output("y", {1, 1, 2});
  const model::ModelGraph model = Opened(builder);
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(model.tensor(layers[0].weight).name, "w");
  EXPECT_EQ(layers[0].layout.channel_axis, 0u);
}

TEST(WeightOrigin, OneChannelMayLoseItsDimension) {
  OnnxBuilder builder;
  builder.Input("x", {1, 3})
      .Weight("w", {1, 3}, {1, 2, 3})
      .Node("Transpose", {"w"}, {"t"})
      .Node("Unsqueeze", {"t"}, {"u"}, OnnxBuilder::IntsAttribute("axes", {0}))
      .Node("MatMul", {"x", "u"}, {"y"}, {}, "product")
      .Output("y", {1, 1, 1});
  const model::ModelGraph model = Opened(builder);
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 1u);
  const auto rows = ReadRows(model, layers[0]);
  ASSERT_THAT(rows, Succeeds());
  EXPECT_EQ(rows->channels, 1u);
  EXPECT_THAT(rows->values, ElementsAre(1, 2, 3));
}

// Slice, Slice -> Concat -> MatMul of w [3, 4], which has its channels in rows or columns `along`.
OnnxBuilder Sliced(std::int64_t along, std::vector<std::int64_t> starts,
                   std::vector<std::int64_t> ends) {
  OnnxBuilder builder;
  builder.Input("x", {1, 3})
      .Weight("w", {3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
      .Constant("axis", {1}, OnnxBuilder::kInt64, std::vector<std::int64_t>{along});
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::string number = std::to_string(i);
    builder
        .Constant("start" + number, {1}, OnnxBuilder::kInt64, std::vector<std::int64_t>{starts[i]})
        .Constant("end" + number, {1}, OnnxBuilder::kInt64, std::vector<std::int64_t>{ends[i]})
        .Node("Slice", {"w", "start" + number, "end" + number, "axis"}, {"part" + number});
    parts.push_back("part" + number);
  }
  builder.Node("Concat", parts, {"all"}, OnnxBuilder::IntAttribute("axis", along))
      .Node("MatMul", {"x", "all"}, {"y"}, {}, "product")
      .Output("y", {1, 4});
  return builder;
}

TEST(WeightOrigin, ChannelsMayBePutInAnotherOrder) {
  // Numbers beyond the end are the end, and negative ones count from there.
  const model::ModelGraph model = Opened(Sliced(1, {-2, 0}, {1 << 30, 2}));
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(model.tensor(layers[0].weight).name, "w");
  const auto rows = ReadRows(model, layers[0]);
  ASSERT_THAT(rows, Succeeds());
  EXPECT_THAT(rows->values, ElementsAre(3, 7, 11, 4, 8, 12, 1, 5, 9, 2, 6, 10));
}

TEST(WeightOrigin, ChannelsThatAreMissingOrTwiceThereAreNoOrder) {
  EXPECT_TRUE(FindWeightLayers(Opened(Sliced(1, {0, 1}, {1, 3}))).empty());
  EXPECT_TRUE(FindWeightLayers(Opened(Sliced(1, {0, 1}, {2, 4}))).empty());
  EXPECT_TRUE(FindWeightLayers(Opened(Sliced(1, {2, 0}, {2, 4}))).empty());
}

TEST(WeightOrigin, InputsInAnotherOrderAreLeftAlone) {
  EXPECT_TRUE(FindWeightLayers(Opened(Sliced(0, {1, 0}, {3, 1}))).empty());
}

TEST(WeightOrigin, WhatIsComputedIsNoWeight) {
  OnnxBuilder builder = Product();
  builder.Input("z", {2, 3})
      .Node("Transpose", {"z"}, {"t"})
      .Node("MatMul", {"x", "t"}, {"y"}, {}, "product");
  EXPECT_TRUE(FindWeightLayers(Opened(builder)).empty());
}

// OpenVINO's LSTM has gates f, i, c, o; they are compared as i, o, f, c, in either direction.
TEST(WeightOrigin, GatesOfOpenVinoAreInTheOrderOfOnnx) {
  OnnxBuilder builder;
  builder.Input("x", {1, 5, 1})
      .Weight("w", {2, 4, 1}, {1, 2, 3, 4, 11, 12, 13, 14})
      .Weight("r", {2, 4, 1}, {5, 6, 7, 8, 15, 16, 17, 18})
      .Weight("b", {2, 4}, {-1, -2, -3, -4, -11, -12, -13, -14})
      .Node("LSTMSequence", {"x", "", "", "", "w", "r", "b"}, {"y"}, {}, "lstm")
      .Output("y", {1, 2, 5, 1});
  const model::ModelGraph model = Opened(builder);
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(NameOf(model, layers[0]), "lstm/W");
  const auto w = ReadRows(model, layers[0]), r = ReadRows(model, layers[1]);
  ASSERT_THAT(w, Succeeds());
  ASSERT_THAT(r, Succeeds());
  EXPECT_THAT(w->values, ElementsAre(2, 4, 1, 3, 12, 14, 11, 13));
  EXPECT_THAT(r->values, ElementsAre(6, 8, 5, 7, 16, 18, 15, 17));
  const auto bias = ReadBias(model, layers[0]);
  ASSERT_THAT(bias, Succeeds());
  EXPECT_THAT(*bias, ElementsAre(-2, -4, -1, -3, -12, -14, -11, -13));
  EXPECT_EQ(layers[1].bias, model::kNoTensor);
  // And back again.
  EXPECT_THAT(ToStoredOrder(model, layers[0], *w), ElementsAre(1, 2, 3, 4, 11, 12, 13, 14));
}

TEST(WeightOrigin, AnOrderOfMoreChannelsThanAreStoredIsRefused) {
  OnnxBuilder builder = Product();
  builder.Weight("w", {2, 3}, {1, 2, 3, 4, 5, 6})
      .Node("Transpose", {"w"}, {"t"})
      .Node("MatMul", {"x", "t"}, {"y"}, {}, "product");
  const model::ModelGraph model = Opened(builder);
  for (const char* tensor : {"w", "t"}) {
    const WeightLayout layout{.channel_axis = tensor[0] == 'w' ? 0u : 1u,
                              .channel_order = {{1, 1}, {0, 1}, {2, 100}}};
    EXPECT_FALSE(FindWeightOrigin(model, model.FindTensor(tensor), layout)) << tensor;
  }
}

}  // namespace
}  // namespace cboard::compare
