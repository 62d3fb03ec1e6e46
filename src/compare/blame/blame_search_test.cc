#include "compare/blame/blame_search.h"

#include <gmock/gmock.h>

#include "compare/testing/test_towers.h"

namespace cboard::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using BlameSearch = TowerTest;

TEST_F(BlameSearch, FindsNothingToBlameInASoundModel) {
  const ModelComparison comparison = Compared(Tower(FineScales()));
  EXPECT_EQ(comparison.verdict.level, VerdictLevel::kSound) << comparison.verdict.sentence;
  EXPECT_THAT(comparison.verdict.suspects, IsEmpty());
  EXPECT_EQ(CountOf(comparison, Level::kRed), 0u);
}

// Wherever it is, the search by halves ends at the one quantizer that is coarse.
TEST_F(BlameSearch, NamesTheQuantizerThatAloneBreaksTheEnd) {
  for (std::size_t coarse = 1; coarse < kStages; ++coarse) {
    std::vector<float> scales = FineScales();
    scales[coarse] = 2;
    const ModelComparison comparison = Compared(Tower(scales));
    ASSERT_EQ(comparison.verdict.level, VerdictLevel::kBroken) << comparison.verdict.sentence;
    ASSERT_THAT(comparison.verdict.suspects, Not(IsEmpty()));
    const Suspect& suspect = comparison.verdict.suspects[0];
    EXPECT_EQ(suspect.layer, "stage" + std::to_string(coarse - 1));
    EXPECT_TRUE(suspect.is_measured);
    EXPECT_GT(*suspect.undone_sqnr_db, *suspect.sqnr_db + 10);
    EXPECT_EQ(comparison.layers[0].name, suspect.layer);
    EXPECT_EQ(CountOf(comparison, Level::kRed), 1u);
  }
}

TEST_F(BlameSearch, NamesBothOfTwo) {
  std::vector<float> scales = FineScales();
  scales[2] = 1.5f;
  scales[4] = 2;
  const ModelComparison comparison = Compared(Tower(scales));
  std::vector<std::string> named;
  for (const Suspect& suspect : comparison.verdict.suspects) {
    named.insert(named.end(), suspect.layers.begin(), suspect.layers.end());
  }
  EXPECT_THAT(named, ::testing::UnorderedElementsAre("stage1", "stage3"));
}

// A float constant that differs cannot be undone, and is no quantizer's fault.
TEST_F(BlameSearch, SaysSoIfUndoingEverythingDoesNotHelp) {
  const ModelComparison comparison = Compared(Tower(FineScales(), -1));
  EXPECT_EQ(comparison.verdict.level, VerdictLevel::kBroken);
  EXPECT_THAT(comparison.verdict.blame_note, HasSubstr("outputs stay damaged"));
  for (const Suspect& suspect : comparison.verdict.suspects) EXPECT_FALSE(suspect.is_measured);
}

// The search has fewer runs than this network has quantizers, and all of them cost the same.
TEST_F(BlameSearch, FindsManySmallErrorsInALongNetwork) {
  constexpr std::size_t kLength = 200;
  const auto width = static_cast<std::int64_t>(kWidth);
  const auto chain = [&](bool is_quantized) {
    testing::OnnxBuilder builder;
    builder.Input("x", {1, width})
        .Constant("zero", {}, testing::OnnxBuilder::kUint8, std::vector<std::uint8_t>{128})
        .Weight("step", {}, {0.15f});
    std::string from = "x";
    for (std::size_t i = 0; i < kLength; ++i) {
      const std::string number = std::to_string(i);
      if (is_quantized && i > 0) {
        builder.Node("QuantizeLinear", {from, "step", "zero"}, {from + "_codes"})
            .Node("DequantizeLinear", {from + "_codes", "step", "zero"}, {from + "_rounded"});
        from += "_rounded";
      }
      std::vector<float> gains = Gaussian(kWidth, static_cast<unsigned>(i / 2) + 1, 0.1f);
      for (float& gain : gains) gain = i % 2 == 0 ? 1 + gain : 1 / (1 + gain);
      builder.Weight("gain" + number, {width}, gains)
          .Node("Mul", {from, "gain" + number}, {"t" + number}, {}, "stage" + number);
      from = "t" + number;
    }
    builder.Weight("head_weight", {width, width}, Gaussian(kWidth * kWidth, 9, 0.4f))
        .Node("MatMul", {from, "head_weight"}, {"y"}, {}, "head")
        .Output("y", {1, width});
    return builder;
  };
  Write("float.onnx", chain(false).Bytes());
  // Two large samples use the whole range of the quantizers, so that the ranges fit the data, and
  // all other samples lose most of their SQNR.
  std::vector<float> samples = Gaussian(kTowerSamples * kWidth, 77, 1);
  for (std::size_t i = 0; i < 2 * kWidth; ++i) samples[i] *= 8;
  Write("x.npy",
        testing::Npy<float>(
            "<f4", "(" + std::to_string(kTowerSamples) + ", " + std::to_string(kWidth) + ")",
            samples));
  const ModelComparison comparison = Compared(chain(true));
  ASSERT_EQ(comparison.verdict.level, VerdictLevel::kBroken) << comparison.verdict.sentence;
  ASSERT_THAT(comparison.verdict.suspects, Not(IsEmpty()));
  const Suspect& suspect = comparison.verdict.suspects[0];
  EXPECT_EQ(suspect.cause, "many_small_errors");
  EXPECT_THAT(suspect.sentence, HasSubstr("199 quantized activations share it"));
  ASSERT_THAT(suspect.fixes, Not(IsEmpty()));
  EXPECT_EQ(suspect.fixes[0].action, "quantize only MatMul");
  EXPECT_THAT(suspect.fixes[0].setting, HasSubstr("op_types_to_quantize=['MatMul']"));
  EXPECT_EQ(suspect.fixes[0].level, VerdictLevel::kSound);
}

TEST_F(BlameSearch, SaysSoIfTimeIsUp) {
  std::vector<float> scales = FineScales();
  scales[2] = 2;
  const ModelComparison comparison = Compared(Tower(scales), 1e-6);
  EXPECT_THAT(comparison.verdict.blame_note, HasSubstr("reached its time limit"));
  ASSERT_THAT(comparison.verdict.suspects, Not(IsEmpty()));
  EXPECT_FALSE(comparison.verdict.suspects[0].is_measured);
}

}  // namespace
}  // namespace cboard::compare
