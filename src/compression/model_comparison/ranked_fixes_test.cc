#include "compression/model_comparison/ranked_fixes.h"

#include <gmock/gmock.h>

namespace cboard::compare {
namespace {

using ::testing::ElementsAre;

// Weights with an SQNR of `sqnr_db` in every channel.
Comparison WithSqnr(double sqnr_db) {
  Comparison comparison;
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
  LayerComparison layer{.local = Comparison{}, .useful_output_db = 10, .accumulated = Comparison{}};
  layer.local->channels.resize(2);
  PairStatistics& total = layer.local->total;
  for (const double size : {100.0, 1.0}) {
    PairStatistics& channel = layer.local->channels[size == 1 ? 1 : 0];
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
  const std::vector<Fix> fixes = FixOutput(layer, {1e-4, 1});
  EXPECT_THAT(Actions(fixes),
              ElementsAre("equalize the output's channels with the layers that follow",
                          "16 bits for this output"));
  // Σx² / Σ(step²/12) of values that are spread evenly over their range: 4 * 255².
  EXPECT_NEAR(fixes[0].sqnr_db, 10 * std::log10(4 * 255.0 * 255), 0.01);
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
