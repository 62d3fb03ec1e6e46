#include "compare/layers/weight_rows.h"

#include <gmock/gmock.h>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::ElementsAre;
using testing::OnnxBuilder;
using testing::Succeeds;

TEST(WeightRows, RowsAreOutputChannelsHoweverTheFileOrdersThem) {
  // 2 outputs, 2 inputs, 3 pixels: value = 100 output + 10 input + pixel.
  const std::vector<float> want = {0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112};
  const auto read = [](std::vector<std::int64_t> shape, const std::vector<float>& values,
                       std::size_t channel_axis, std::optional<std::size_t> input_axis) {
    const model::ModelGraph model = OpenedSafetensors({{"w", std::move(shape), values}});
    const ModelLayer layer{.weight = model::TensorId{0},
                           .layout = {.channel_axis = channel_axis, .input_axis = input_axis}};
    const auto rows = ReadRows(model, layer);
    EXPECT_THAT(rows, Succeeds());
    EXPECT_EQ(ToStoredOrder(model, layer, *rows), values);  // And back.
    EXPECT_EQ(rows->channels, 2u);
    EXPECT_EQ(rows->row, 6u);
    return rows->values;
  };
  EXPECT_EQ(read({2, 2, 3, 1}, want, 0, {}), want);
  EXPECT_EQ(read({2, 3, 1, 2}, {0, 10, 1, 11, 2, 12, 100, 110, 101, 111, 102, 112}, 0, 3), want);
  EXPECT_EQ(read({3, 1, 2, 2}, {0, 100, 10, 110, 1, 101, 11, 111, 2, 102, 12, 112}, 3, 2), want);
  EXPECT_EQ(read({2, 2, 3, 1}, {0, 1, 2, 100, 101, 102, 10, 11, 12, 110, 111, 112}, 1, {}), want);
}

TEST(WeightRows, ReadInPartsOrAllTheyAreTheSame) {
  constexpr std::size_t kHeight = 600, kWidth = 70;  // More than one tile, and not whole ones.
  const std::vector<float> values = Gaussian(kHeight * kWidth, 1);
  const model::ModelGraph model = OpenedSafetensors({{"w", {kHeight, kWidth}, values}});
  for (const std::size_t axis : {0u, 1u}) {
    const ModelLayer layer{.weight = model::TensorId{0}, .layout = {.channel_axis = axis}};
    const std::size_t channels = axis == 0 ? kHeight : kWidth, row = values.size() / channels;
    for (const std::vector<double>& factors :
         {std::vector<double>(), std::vector<double>(channels, 2)}) {
      std::vector<float> want(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t place = axis == 0 ? i : i % kWidth * kHeight + i / kWidth;
        want[place] = factors.empty() ? values[i] : 2 * values[i];
      }
      auto rows = RowReader::Open(model, layer, factors);
      ASSERT_THAT(rows, Succeeds());
      const auto some = rows->Read(3, 20);
      EXPECT_TRUE(std::ranges::equal(some, std::span(want).subspan(3 * row, 20 * row)));
      EXPECT_TRUE(std::ranges::equal(rows->ReadAll(), want));
      EXPECT_TRUE(std::ranges::equal(rows->Read(5, 1), std::span(want).subspan(5 * row, row)));
    }
  }
}

// Two directions, two gates' rows, three inputs: value = 100 direction + 10 row + input.
const std::vector<float> kRecurrent = {0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112};

WeightRows RowsOf(std::vector<std::int64_t> shape, const std::vector<float>& values,
                  const WeightLayout& layout) {
  const model::ModelGraph model = OpenedSafetensors({{"w", std::move(shape), values}});
  const ModelLayer layer{.weight = model::TensorId{0}, .layout = layout};
  const auto rows = ReadRows(model, layer);
  EXPECT_THAT(rows, Succeeds());
  EXPECT_EQ(ToStoredOrder(model, layer, *rows), values);  // And back.
  return *rows;
}

TEST(WeightRows, EachDirectionHasChannelsOfItsOwn) {
  const WeightRows rows = RowsOf({2, 2, 3}, kRecurrent, {.channel_axis = 1, .direction_axis = 0});
  EXPECT_EQ(rows.channels, 4u);
  EXPECT_EQ(rows.row, 3u);
  EXPECT_EQ(rows.values, kRecurrent);
}

TEST(WeightRows, DirectionsMayHaveChannelsLast) {
  const WeightRows rows = RowsOf({2, 3, 2}, {0, 10, 1, 11, 2, 12, 100, 110, 101, 111, 102, 112},
                                 {.channel_axis = 2, .direction_axis = 0});
  EXPECT_EQ(rows.channels, 4u);
  EXPECT_EQ(rows.values, kRecurrent);
}

TEST(WeightRows, ChannelsAreInTheOrderOfTheOperator) {
  const WeightLayout layout{.channel_axis = 0, .channel_order = {{0, 1}, {3, 1}, {1, 2}}};
  EXPECT_THAT(RowsOf({4, 1}, {1, 2, 3, 4}, layout).values, ElementsAre(1, 4, 2, 3));
  const WeightLayout turned{.channel_axis = 1, .channel_order = {{2, 2}, {0, 2}}};
  EXPECT_THAT(RowsOf({2, 4}, {1, 2, 3, 4, 10, 20, 30, 40}, turned).values,
              ElementsAre(3, 30, 4, 40, 1, 10, 2, 20));
}

TEST(WeightRows, EachWeightHasItsHalfOfTheBias) {
  OnnxBuilder builder;
  builder.Input("x", {5, 1, 1})
      .Weight("w", {2, 1, 1}, {1, 2})
      .Weight("r", {2, 1, 1}, {3, 4})
      .Weight("b", {2, 2}, {10, 20, 11, 21})
      .Node("RNN", {"x", "w", "r", "b"}, {"y"}, {}, "rnn")
      .Output("y", {5, 2, 1, 1});
  const model::ModelGraph model = Opened(builder);
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 2u);
  const auto forward = ReadBias(model, layers[0]), recurrent = ReadBias(model, layers[1]);
  ASSERT_THAT(forward, Succeeds());
  ASSERT_THAT(recurrent, Succeeds());
  EXPECT_THAT(*forward, ElementsAre(10, 11));
  EXPECT_THAT(*recurrent, ElementsAre(20, 21));
}

}  // namespace
}  // namespace cboard::compare
