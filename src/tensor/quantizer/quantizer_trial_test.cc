#include "cboard/tensor/quantizer_trial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "testing/every_instruction_set.h"
#include "testing/matchers.h"

namespace cboard::tensor {
namespace {

using testing::FailsSaying;
using testing::Succeeds;
using Granularity = Quantization::Granularity;

QuantizerTrial TryOrDie(const TensorView& weights, const Quantizer& quantizer,
                        std::optional<std::size_t> axis = std::nullopt) {
  auto result = TryQuantizer(weights, quantizer, axis);
  EXPECT_THAT(result, Succeeds());
  return result ? *std::move(result) : QuantizerTrial();
}

std::vector<float> Uniform(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = uniform(random);
  return values;
}

TEST(QuantizerTrial, CountsByHand) {
  // Three bits have the codes -3 to 3, with steps of 2 for the largest value 6. Then 6 -> 6, 1 -> 0
  // (half to even), -5 -> -4 (half to even), 2.5 -> 2.
  const std::vector<float> values = {6, 1, -5, 2.5f};
  const QuantizerTrial three = TryOrDie(values, {.bits = 3});
  EXPECT_DOUBLE_EQ(three.comparison.total.sum_squared_error, 0 + 1 + 1 + 0.25);
  EXPECT_EQ(three.size_bytes, 2u + 4u);  // 12 bits and a scale.
  // Not symmetric: codes 0 to 7 over [-5, 6], steps of 11/7, zero point 3.
  const QuantizerTrial shifted = TryOrDie(values, {.bits = 3, .symmetric = false});
  const double step = static_cast<double>(11.0f / 7);
  EXPECT_DOUBLE_EQ(shifted.comparison.total.compressed.max, 4 * step);
  EXPECT_DOUBLE_EQ(shifted.comparison.total.compressed.min, -3 * step);
  EXPECT_EQ(shifted.size_bytes, 2u + 4u + 1u);
}

TEST(QuantizerTrial, EveryBitIsWorthSixDecibels) {
  const std::vector<float> values = Uniform(100'000, 1);
  for (int bits = 4; bits < 16; ++bits) {
    const double less = TryOrDie(values, {.bits = bits}).comparison.total.SqnrDb();
    const double more = TryOrDie(values, {.bits = bits + 1}).comparison.total.SqnrDb();
    // A symmetric quantizer has 2^bits - 1 codes, slightly more than half as many as with one bit
    // more.
    const double codes = std::exp2(bits) - 2;
    EXPECT_NEAR(more - less, 20 * std::log10((2 * codes + 2) / codes), 0.1) << bits;
  }
}

TEST(QuantizerTrial, ScalesByChannelSaveSmallChannels) {
  std::vector<float> values = Uniform(8 * 500, 2);
  for (std::size_t i = 0; i < 500; ++i) values[i] *= 1e-3f;
  const TensorView rows(values, {8, 500});
  const auto worst = [](const QuantizerTrial& what) {
    return what.comparison.channels[*what.comparison.worst_channel].SqnrDb();
  };
  EXPECT_LT(worst(TryOrDie(rows, {}, 0)), 1);
  EXPECT_GT(worst(TryOrDie(rows, {.granularity = Granularity::kPerChannel}, 0)), 40);
  EXPECT_GT(worst(TryOrDie(rows, {.granularity = Granularity::kPerGroup, .group_size = 32}, 0)),
            40);
  // Quantizes the transposed weights by column.
  std::vector<float> turned(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) turned[i % 500 * 8 + i / 500] = values[i];
  const QuantizerTrial columns = TryOrDie(TensorView(turned, {500, 8}),
                                          {.granularity = Granularity::kPerChannel, .axis = 1}, 1);
  EXPECT_DOUBLE_EQ(worst(columns),
                   worst(TryOrDie(rows, {.granularity = Granularity::kPerChannel}, 0)));
  EXPECT_EQ(columns.size_bytes, 4000u + 8 * 4u);
}

// Computes the sums by definition, for weights that are tried in several parts.
TEST(QuantizerTrial, PartsOfTheWeightsMakeUpTheWhole) {
  constexpr std::size_t kRows = 300, kRow = 1000, kGroup = 48, kGroups = 21;
  const std::vector<float> values = Uniform(kRows * kRow, 4);
  struct Choice {
    Quantizer quantizer;
    std::size_t (*scale_of)(std::size_t element);
  };
  const std::vector<Choice> choices = {
      {{.bits = 4}, [](std::size_t) { return std::size_t{0}; }},
      {{.granularity = Granularity::kPerChannel}, [](std::size_t i) { return i / kRow; }},
      {{.bits = 16, .granularity = Granularity::kPerChannel, .axis = 1},
       [](std::size_t i) { return i % kRow; }},
      {{.bits = 5, .granularity = Granularity::kPerGroup, .group_size = kGroup},
       [](std::size_t i) { return i / kRow * kGroups + i % kRow / kGroup; }}};
  std::vector<Quantizer> quantizers;
  for (const Choice& choice : choices) quantizers.push_back(choice.quantizer);
  for (const std::optional<std::size_t> axis : {std::optional<std::size_t>(), {0}, {1}}) {
    const auto tried = TryQuantizers(TensorView(values, {kRows, kRow}), quantizers, axis);
    ASSERT_THAT(tried, Succeeds());
    for (std::size_t c = 0; c < choices.size(); ++c) {
      const auto codes = static_cast<float>((1 << (quantizers[c].bits - 1)) - 1);
      std::vector<float> steps(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        float& step = steps[choices[c].scale_of(i)];
        step = std::max(step, std::abs(values[i]) / codes);
      }
      double error = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const float step = steps[choices[c].scale_of(i)];
        const double off = double{values[i]} - double{std::nearbyint(values[i] / step)} * step;
        error += off * off;
      }
      const PairStatistics& total = (*tried)[c].comparison.total;
      EXPECT_EQ(total.count, values.size());
      EXPECT_NEAR(total.sum_squared_error, error, 1e-9 * error) << c;
    }
  }
}

TEST(QuantizerTrial, ClippingAnOutlierHelpsTheRest) {
  std::vector<float> values = Uniform(10'000, 3);
  values[77] = 10;
  const QuantizerTrial all = TryOrDie(values, {.bits = 4});
  const QuantizerTrial most = TryOrDie(values, {.bits = 4, .percentile = 99.9});
  EXPECT_LT(most.comparison.total.Mse(), all.comparison.total.Mse() / 4);
  EXPECT_EQ(all.comparison.total.steps->clipped_count, 0u);
  EXPECT_GE(most.comparison.total.steps->clipped_count, 1u);
  EXPECT_LT(most.comparison.total.steps->clipped_count, 12u);
  const QuantizerTrial middle =
      TryOrDie(values, {.bits = 12, .symmetric = false, .percentile = 99});
  EXPECT_NEAR(*middle.comparison.total.ClipRate(), 0.01, 0.001);
}

TEST(QuantizerTrial, ZerosAndNumbersThatAreNotFiniteDoNoHarm) {
  std::vector<float> values(64);
  EXPECT_EQ(TryOrDie(values, {}).comparison.total.sum_squared_error, 0);
  values[3] = std::numeric_limits<float>::quiet_NaN();
  values[4] = std::numeric_limits<float>::infinity();
  values[5] = 1;
  for (const double percentile : {100.0, 99.0}) {
    const QuantizerTrial what = TryOrDie(values, {.percentile = percentile});
    EXPECT_EQ(what.comparison.total.finite_count(), 62u);
    EXPECT_EQ(what.comparison.total.reference.nan_count, 1u);
  }
}

TEST(QuantizerTrial, EveryInstructionSetGivesTheSameCodes) {
  std::vector<float> values = Uniform(1003, 5);
  values[500] = -std::numeric_limits<float>::infinity();
  values[501] = std::numeric_limits<float>::quiet_NaN();
  for (const int bits : {3, 8, 9, 16}) {
    for (const bool symmetric : {true, false}) {
      const Quantizer quantizer{.bits = bits, .symmetric = symmetric, .percentile = 99.5};
      const PairStatistics want = TryOrDie(values, quantizer).comparison.total;
      testing::OnEveryInstructionSet([&] {
        const PairStatistics total = TryOrDie(values, quantizer).comparison.total;
        EXPECT_NEAR(total.sum_squared_error, want.sum_squared_error, 1e-9 * want.sum_squared_error);
        EXPECT_NEAR(total.compressed.sum, want.compressed.sum, 1e-9);
        EXPECT_EQ(total.compressed.max, want.compressed.max);
        EXPECT_EQ(total.steps->clipped_count, want.steps->clipped_count);
      });
    }
  }
}

TEST(QuantizerTrial, QuantizersThatDoNotFitAreRefused) {
  const std::vector<float> values(6);
  const TensorView matrix(values, {2, 3});
  EXPECT_THAT(TryQuantizer(matrix, {.bits = 1}),
              FailsSaying(ErrorCode::kInvalidArgument, "1 bits"));
  EXPECT_THAT(TryQuantizer(matrix, {.percentile = 0}),
              FailsSaying(ErrorCode::kInvalidArgument, "percentile"));
  EXPECT_THAT(TryQuantizer(matrix, {.granularity = Granularity::kPerChannel, .axis = 2}),
              FailsSaying(ErrorCode::kInvalidArgument, "axis 2"));
  EXPECT_THAT(TryQuantizer(matrix, {.granularity = Granularity::kPerGroup}),
              FailsSaying(ErrorCode::kInvalidArgument, "groups of size 0"));
  const std::vector<float> none;
  EXPECT_THAT(TryQuantizer(none, {}), FailsSaying(ErrorCode::kInvalidArgument, "empty tensor"));
}

}  // namespace
}  // namespace cboard::tensor
