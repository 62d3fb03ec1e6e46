#include "compare/measure/weight_comparison.h"

#include <gmock/gmock.h>

#include "compare/measure/permuted_channels.h"
#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::DoubleNear;
using testing::Succeeds;

constexpr std::int64_t kRowInputs = 40, kOutputs = 8;

std::vector<float> Weights(unsigned seed = 1) { return Gaussian(kRowInputs * kOutputs, seed); }

WeightFindings Compared(const std::vector<float>& before, const Codes& after,
                        bool allow_rescaling = true) {
  const std::vector<MatMulLayer> layers = {{"fc", "w", kRowInputs, kOutputs, before}};
  const model::ModelGraph a = FloatChain(layers), b = QuantizedChain(layers, {after});
  auto findings = CompareWeights(a, FindWeightLayers(a)[0], b, FindWeightLayers(b)[0], {},
                                 {.allow_rescaling = allow_rescaling});
  EXPECT_THAT(findings, Succeeds());
  return *std::move(findings);
}

// Multiplies what a channel's weights are, out of 8, by factors[channel].
std::vector<float> Scaled(std::vector<float> values, const std::vector<float>& factors) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factors[i % kOutputs];
  return values;
}

TEST(WeightComparison, NumbersAreThoseOfTheSumsWrittenOut) {
  const std::vector<float> x = Weights();
  const Codes codes = Quantized(x);
  double signal = 0, error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double y = double{codes.scale} * codes.values[i];
    signal += double{x[i]} * x[i];
    error += (x[i] - y) * (x[i] - y);
  }
  const WeightFindings findings = Compared(x, codes);
  const tensor::PairStatistics& total = findings.comparison.total;
  EXPECT_THAT(total.SqnrDb(), DoubleNear(10 * std::log10(signal / error), 1e-6));
  EXPECT_THAT(total.Mse(), DoubleNear(error / static_cast<double>(x.size()), 1e-12));
  EXPECT_EQ(findings.comparison.channels.size(), 8u);
  EXPECT_EQ(findings.bits, 8);
  EXPECT_FALSE(findings.is_rescaled);
  EXPECT_FLOAT_EQ(static_cast<float>(*findings.step), codes.scale);
  EXPECT_EQ(*total.ClipRate(), 0);
  EXPECT_THAT(*total.RmseSteps(), DoubleNear(0.289, 0.03));
}

TEST(WeightComparison, FactorsOfChannelsAreFoldingAndNotDamage) {
  const std::vector<float> x = Weights();
  const Codes folded = Quantized(Scaled(x, {1, 0.5f, -0.8f, 0.6f, 0.9f, -0.7f, 0.4f, 0.55f}));
  const WeightFindings forgiven = Compared(x, folded);
  EXPECT_TRUE(forgiven.is_rescaled);
  EXPECT_GT(forgiven.comparison.total.SqnrDb(), 30);
  // Where outputs show that nobody undoes them, they are damage.
  const WeightFindings blamed = Compared(x, folded, false);
  EXPECT_FALSE(blamed.is_rescaled);
  EXPECT_LT(blamed.comparison.total.SqnrDb(), 15);
}

TEST(WeightComparison, OneFactorForAllChannelsIsAWrongScale) {
  const std::vector<float> x = Weights();
  Codes codes = Quantized(x);
  codes.scale *= 0.5f;
  EXPECT_FALSE(Compared(x, codes).is_rescaled);
}

TEST(WeightComparison, ChannelsThatAreLostAreNotTakenForRescaledOnes) {
  std::vector<float> x = Weights();
  x[0] = 8;  // 160 deviations: steps of a scale that reaches there are larger than most weights.
  const WeightFindings findings = Compared(x, Quantized(x));
  EXPECT_FALSE(findings.is_rescaled);
  EXPECT_GT(findings.comparison.total.SqnrDb(), 15);
  EXPECT_LT(findings.comparison.channels[*findings.comparison.worst_channel].SqnrDb(), 10);
}

TEST(WeightComparison, PermutedChannelsAreCounted) {
  const std::vector<float> x = Weights();
  std::vector<float> swapped = x;
  for (std::size_t in = 0; in < kRowInputs; ++in) {
    std::swap(swapped[in * kOutputs + 2], swapped[in * kOutputs + 5]);
  }
  EXPECT_EQ(Compared(x, Quantized(swapped)).permuted.channels, 2u);
  EXPECT_EQ(Compared(x, Quantized(x)).permuted.channels, 0u);
  EXPECT_EQ(Compared(x, Quantized(Weights(2))).permuted.channels, 0u);
}

TEST(WeightComparison, CuttingOffExplainsWhatIsCutOff) {
  const std::vector<float> x = Weights();
  Codes clipped;
  clipped.scale = 0.05f / 127;
  for (const float value : x) {
    const long code = std::lround(value / clipped.scale);
    clipped.values.push_back(static_cast<std::int8_t>(std::clamp(code, -127l, 127l)));
  }
  const WeightFindings findings = Compared(x, clipped);
  EXPECT_LT(findings.clipping_residual->sum_squares,
            0.01 * findings.comparison.total.sum_squared_error);
  EXPECT_GT(*findings.comparison.total.ClipRate(), 0.25);
}

TEST(WeightComparison, FixesGiveWhatTheyPromise) {
  const std::vector<float> x = Scaled(Weights(), {1, 1, 1, 300, 1, 1, 1, 1});
  const WeightFindings now = Compared(x, Quantized(x));
  const auto fix = std::ranges::find(now.fixes, "one scale per output channel", &Fix::action);
  ASSERT_NE(fix, now.fixes.end());
  EXPECT_GT(*fix->worst_channel_sqnr_db, 35);
  EXPECT_EQ(fix->size_bytes, std::uint64_t{kRowInputs * kOutputs + 8 * 4});
  const auto same =
      std::ranges::find(now.fixes, "quantize these weights again, as they are", &Fix::action);
  ASSERT_NE(same, now.fixes.end());
  EXPECT_THAT(same->sqnr_db, DoubleNear(now.comparison.total.SqnrDb(), 0.1));
}

TEST(WeightComparison, ShiftsOfTheBiasAreInUnitsOfTheOutput) {
  const auto model = [](const std::vector<float>& bias) {
    testing::OnnxBuilder builder;
    builder.Input("x", {-1, 2})
        .Weight("w", {2, 2}, {1, 2, 3, 4})
        .Weight("b", {2}, bias)
        .Node("Gemm", {"x", "w", "b"}, {"y"})
        .Output("y", {-1, 2});
    return Opened(builder);
  };
  const model::ModelGraph a = model({1, 2}), b = model({1.5f, 2});
  const auto shifts =
      BiasShifts(a, FindWeightLayers(a)[0], b, FindWeightLayers(b)[0], {}, {{0.25, 1}, {}});
  ASSERT_THAT(shifts, Succeeds());
  EXPECT_THAT(**shifts, ::testing::ElementsAre(2, 0));
  // A channel that never varies is no unit: a tenth of what is usual stands for it.
  const auto still = BiasShifts(a, FindWeightLayers(a)[0], b, FindWeightLayers(b)[0], {},
                                {{1e-9, std::sqrt(2.0)}, {}});
  ASSERT_THAT(still, Succeeds());
  EXPECT_THAT(**still, ::testing::ElementsAre(DoubleNear(5, 1e-6), 0));
  // Values that an activation clips are harmless.
  const auto unseen =
      BiasShifts(a, FindWeightLayers(a)[0], b, FindWeightLayers(b)[0], {}, {{0.25, 1}, {0.125, 1}});
  ASSERT_THAT(unseen, Succeeds());
  EXPECT_THAT(**unseen, ::testing::ElementsAre(0.5, 0));
}

std::size_t CountPermuted(const std::vector<float>& before, const std::vector<float>& after,
                          std::size_t row) {
  PermutedChannels permuted(before, row);
  std::size_t count = 0;
  for (std::size_t c = 0; c < after.size() / row; ++c) {
    if (permuted.IsPermuted(c, std::span(after).subspan(c * row, row))) ++count;
  }
  return count;
}

TEST(PermutedChannels, AreFoundAmongManyOfFourBits) {
  constexpr std::size_t kChannels = 2000, kRow = 100;
  const std::vector<float> before = Gaussian(kChannels * kRow, 1);
  std::vector<float> after = before;
  std::ranges::rotate(after, after.begin() + kRow);
  const std::vector<float> noise = Gaussian(after.size(), 2, 0.005f);
  for (std::size_t i = 0; i < noise.size(); ++i) after[i] += noise[i];
  EXPECT_GE(CountPermuted(before, after, kRow), kChannels * 99 / 100);
  EXPECT_EQ(CountPermuted(before, before, kRow), 0u);
  EXPECT_EQ(CountPermuted(before, Gaussian(kChannels * kRow, 3), kRow), 0u);
}

// Among so many short rows, one within a tenth of another is nothing special.
TEST(PermutedChannels, AreNotFoundByChance) {
  constexpr std::size_t kChannels = 4000;
  for (const std::size_t row : std::initializer_list<std::size_t>{1, 2, 4, 9}) {
    const std::vector<float> before = Gaussian(kChannels * row, 1);
    EXPECT_LE(CountPermuted(before, Gaussian(kChannels * row, 2), row), kChannels / 20) << row;
  }
}

TEST(PermutedChannels, AreFoundAmongShortOnesWhereRoundingIsFine) {
  constexpr std::size_t kChannels = 2000, kRow = 9;
  const std::vector<float> before = Gaussian(kChannels * kRow, 1);
  std::vector<float> after = before;
  std::ranges::rotate(after, after.begin() + kRow);
  const std::vector<float> noise = Gaussian(after.size(), 2, 0.0005f);
  for (std::size_t i = 0; i < noise.size(); ++i) after[i] += noise[i];
  EXPECT_GE(CountPermuted(before, after, kRow), kChannels * 9 / 10);
}

}  // namespace
}  // namespace cboard::compare
