#include "compare/fixes/ranked_fixes.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace cboard::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Weights with an SQNR of `sqnr_db` in every channel.
tensor::Comparison WithSqnr(double sqnr_db) {
  tensor::Comparison comparison;
  comparison.total.count = comparison.total.reference.count = 100;
  comparison.total.reference.sum_squares = 1;
  comparison.total.sum_squared_error = std::pow(10, -sqnr_db / 10);
  comparison.channels = {comparison.total};
  comparison.worst_channel = 0;
  return comparison;
}

std::vector<std::string> Actions(const std::vector<Fix>& fixes) {
  std::vector<std::string> actions;
  for (const Fix& fix : fixes) actions.push_back(fix.action);
  return actions;
}

TEST(RankFixes, TheSmallestThatIsGoodEnoughComesFirst) {
  LayerComparison layer{
      .precision = "int8", .weight = WithSqnr(12), .diagnosis = {.level = Level::kRed}};
  const std::vector<Fix> tried = {{.action = "16 bits", .sqnr_db = 90, .size_bytes = 200},
                                  {.action = "no better", .sqnr_db = 12.5, .size_bytes = 100},
                                  {.action = "half way", .sqnr_db = 25, .size_bytes = 100},
                                  {.action = "per channel", .sqnr_db = 40, .size_bytes = 110}};
  EXPECT_THAT(Actions(RankFixes(layer, tried, {}, {})),
              ElementsAre("per channel", "16 bits", "half way", "keep the layer in float32"));
}

TEST(RankFixes, GreenLayersNeedNone) {
  EXPECT_TRUE(
      RankFixes({.weight = WithSqnr(45)}, {{.action = "16 bits", .sqnr_db = 90}}, {}, {}).empty());
}

TEST(RankFixes, AnOutputThatIsHurtBesidesIsMendedToo) {
  LayerComparison layer{
      .precision = "int8", .weight = WithSqnr(12), .diagnosis = {.level = Level::kRed}};
  EXPECT_THAT(Actions(RankFixes(layer, {{.action = "per channel", .sqnr_db = 40}},
                                {{.action = "16 bits for this output", .sqnr_db = 90}}, {})),
              ElementsAre("per channel", "16 bits for this output", "keep the layer in float32"));
}

// One channel of two reaches 100 and has 1 % of the importance, the other reaches 1.
TEST(FixOutput, EqualizingGivesEveryChannelItsOwnSteps) {
  constexpr double kStep = 100.0 / 255, kCount = 100;
  LayerComparison layer{
      .local = tensor::Comparison{}, .useful_output_db = 10, .accumulated = tensor::Comparison{}};
  layer.local->channels.resize(2);
  tensor::PairStatistics& total = layer.local->total;
  for (const double size : {100.0, 1.0}) {
    tensor::PairStatistics& channel = layer.local->channels[size == 1 ? 1 : 0];
    channel.count = channel.reference.count = 100;
    channel.reference.max = size;
    channel.reference.min = 0;
    channel.reference.sum_squares = kCount * size * size / 3;
    channel.sum_squared_error = kCount * kStep * kStep / 12;
    total.reference.sum_squares += channel.reference.sum_squares;
    total.sum_squared_error += channel.sum_squared_error;
  }
  total.count = total.reference.count = 200;
  total.reference.max = 100;
  layer.accumulated->total = total;
  ValueBins values;  // Evenly over both ranges.
  for (int i = 0; i < 1000; ++i) {
    values.Add(std::array{static_cast<float>(i + 1) / 10, static_cast<float>(i + 1) / 1000});
  }
  const tensor::QuantizationGrid grid{
      .scale = kStep, .zero_point = 0, .code_min = 0, .code_max = 255};
  const std::vector<Fix> fixes = FixOutput(layer, {1e-4, 1}, values, grid);
  EXPECT_THAT(Actions(fixes),
              ElementsAre("equalize the output's channels with the layers that follow",
                          "16 bits for this output"));
  // Σx² / Σ(step²/12) of values that are spread evenly over their range: 4 * 255².
  EXPECT_NEAR(fixes[0].sqnr_db, 10 * std::log10(4 * 255.0 * 255), 0.01);
}

// A layer whose output is quantized with this grid.
LayerComparison LayerOn(const std::vector<float>& values, const tensor::QuantizationGrid& grid) {
  std::vector<float> rounded;
  for (const float value : values) {
    const double code = std::clamp<double>(std::nearbyint(value / grid.scale) + grid.zero_point,
                                           grid.code_min, grid.code_max);
    rounded.push_back(static_cast<float>((code - grid.zero_point) * grid.scale));
  }
  LayerComparison layer;
  layer.local = *Compare(TensorView(values), TensorView(rounded));
  layer.accumulated = layer.local;
  return layer;
}

std::vector<Fix> FixesOf(const std::vector<float>& values, const tensor::QuantizationGrid& grid) {
  ValueBins bins;
  bins.Add(values);
  return FixOutput(LayerOn(values, grid), {}, bins, grid);
}

// SQNR after the fix was applied.
double Tried(const std::vector<float>& values, const Fix& fix) {
  const int codes = 1 << fix.output->bits, lowest = fix.output->is_signed ? -codes / 2 : 0;
  const CodeScheme scheme{lowest, lowest + codes - 1, fix.output->is_symmetric};
  return LayerOn(values, GridFor({fix.output->low, fix.output->high}, scheme))
      .local->total.SqnrDb();
}

std::vector<float> LongTail() {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> values(200'000);
  for (float& value : values) value = normal(random);
  values[0] = 150;
  return values;
}

TEST(FixOutput, APredictionIsWhatQuantizingThatWayGives) {
  const std::vector<float> values = LongTail();
  const std::vector<Fix> fixes =
      FixesOf(values, {.scale = 500.0 / 255, .zero_point = 100, .code_min = 0, .code_max = 255});
  ASSERT_EQ(fixes.size(), 3u);
  EXPECT_THAT(fixes[0].action, StartsWith("calibrate the output's range again"));
  EXPECT_THAT(fixes[1].action, StartsWith("narrow the output's range to ["));
  EXPECT_THAT(fixes[1].action, HasSubstr(", which cuts off 0.0"));
  EXPECT_EQ(fixes[2].action, "16 bits for this output");
  for (const Fix& fix : fixes) EXPECT_NEAR(fix.sqnr_db, Tried(values, fix), 0.2) << fix.action;
  EXPECT_GT(fixes[1].sqnr_db, fixes[0].sqnr_db + 1);
}

TEST(FixOutput, OneSidedValuesNeedAZeroPoint) {
  std::vector<float> values = LongTail();
  for (float& value : values) value = std::min(std::abs(value), 20.0f);
  const std::vector<Fix> fixes =
      FixesOf(values, {.scale = 20.0 / 127, .zero_point = 0, .code_min = -128, .code_max = 127});
  const auto shifted = std::ranges::find_if(fixes, [](const Fix& fix) {
    return fix.action.starts_with("give the output's codes a zero point");
  });
  ASSERT_NE(shifted, fixes.end());
  EXPECT_FALSE(shifted->output->is_symmetric);
  for (const Fix& fix : fixes) EXPECT_NEAR(fix.sqnr_db, Tried(values, fix), 0.2) << fix.action;
}

TEST(FixOutput, WhatIsAsGoodAsItGetsNeedsMoreBits) {
  std::mt19937 random(3);
  std::vector<float> values(20'000);
  for (float& value : values) value = std::uniform_real_distribution<float>(-1, 1)(random);
  const auto fixes =
      FixesOf(values, {.scale = 2.0 / 15, .zero_point = 7, .code_min = 0, .code_max = 15});
  EXPECT_THAT(Actions(fixes), ElementsAre("8 bits for this output", "16 bits for this output"));
  for (const Fix& fix : fixes) EXPECT_NEAR(fix.sqnr_db, Tried(values, fix), 0.2) << fix.action;
}

TEST(RankFixes, KeepingAnOutputNamesTheNodesThatTakeIt) {
  LayerComparison layer{.name = "mul",
                        .op_type = "Mul",
                        .diagnosis = {.level = Level::kRed, .part = Part::kOutput},
                        .float_nodes = {"mul", "conv1", "conv2"}};
  EXPECT_THAT(
      Actions(RankFixes(
          layer, {}, {{.action = "half way", .sqnr_db = 25}, {.action = "16 bits", .sqnr_db = 60}},
          {})),
      ElementsAre("16 bits", "half way", "keep the layer in float32, with 'conv1', 'conv2'"));
}

TEST(RankFixes, ABiasIsTakenFromTheBaseline) {
  const LayerComparison layer{.weight = WithSqnr(45),
                              .diagnosis = {.level = Level::kRed, .part = Part::kBias}};
  EXPECT_THAT(
      Actions(RankFixes(layer, {}, {}, {})),
      ElementsAre("take the bias from the baseline, or correct it", "keep the layer in float32"));
}

}  // namespace
}  // namespace cboard::compare
