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
  LayerComparison layer{.weight = WithSqnr(12), .diagnosis = {.level = Level::kRed}};
  const std::vector<Fix> tried = {{.action = "16 bits", .sqnr_db = 90, .size_bytes = 200},
                                  {.action = "no better", .sqnr_db = 12.5, .size_bytes = 100},
                                  {.action = "half way", .sqnr_db = 25, .size_bytes = 100},
                                  {.action = "per channel", .sqnr_db = 40, .size_bytes = 110}};
  EXPECT_THAT(Actions(RankFixes(layer, tried, {})),
              ElementsAre("per channel", "16 bits", "half way", "keep the layer in float32"));
}

TEST(RankFixes, GreenLayersNeedNone) {
  EXPECT_TRUE(
      RankFixes({.weight = WithSqnr(45)}, {{.action = "16 bits", .sqnr_db = 90}}, {}).empty());
}

TEST(RankFixes, ABiasIsTakenFromTheBaseline) {
  const LayerComparison layer{.weight = WithSqnr(45),
                              .diagnosis = {.level = Level::kRed, .part = Part::kBias}};
  EXPECT_THAT(
      Actions(RankFixes(layer, {}, {})),
      ElementsAre("take the bias from the baseline, or correct it", "keep the layer in float32"));
}

}  // namespace
}  // namespace cboard::compare
