// Diagnoses of an output's quantizer, even for few values.
#include <gmock/gmock.h>

#include <cmath>

#include "compare/diagnosis/diagnosis.h"
#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::HasSubstr;
using testing::Succeeds;

tensor::QuantizationGrid Codes8(double scale = 1, std::int32_t zero_point = 0) {
  return {.scale = scale, .zero_point = zero_point, .code_min = 0, .code_max = 255};
}

// Samples of an output with one value of each channel, as dense layers have them, and what a
// quantizer with codes of 8 bits makes of it.
struct Output {
  std::vector<float> x;
  std::int64_t channels = 1;
  tensor::QuantizationGrid grid = Codes8();
  float dequantized_by = 0;  // Another scale than the grid's.

  Diagnosis Diagnosed() const {
    const double scale = dequantized_by == 0 ? grid.scale : double{dequantized_by};
    std::vector<float> y;
    for (const float value : x) {
      const double code = std::clamp(std::nearbyint(value / grid.scale) + grid.zero_point,
                                     double(grid.code_min), double(grid.code_max));
      y.push_back(static_cast<float>((code - grid.zero_point) * scale));
    }
    const std::vector<std::int64_t> shape = {std::ssize(x) / channels, channels};
    const auto comparison = Compare(TensorView(x, shape), TensorView(y, shape),
                                    {.channel_axis = std::size_t{1}, .grid = grid});
    EXPECT_THAT(comparison, Succeeds());
    ClippingResidual left;
    left.Add(x, y, static_cast<float>((grid.code_min - grid.zero_point) * grid.scale),
             static_cast<float>((grid.code_max - grid.zero_point) * grid.scale));
    return Diagnose({.part = Part::kOutput,
                     .comparison = &*comparison,
                     .step = grid.scale,
                     .clipping_residual = left},
                    {});
  }
};

// Values from 0 to `high`, other ones in each channel and sample.
std::vector<float> Spread(std::size_t count, float high) {
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(high * static_cast<float>((i * 37) % 101) / 101);
  }
  return values;
}

TEST(OutputCauses, ChannelsThatStandAtTheLastCodeAreCutOffAndNotDead) {
  for (const std::size_t samples : {2u, 4u, 100u}) {
    Output output{.x = Spread(samples * 64, 1), .channels = 64, .grid = Codes8(1.0 / 255)};
    for (std::size_t i = 44; i < output.x.size(); i += 64) output.x[i] += 2;
    const Diagnosis diagnosis = output.Diagnosed();
    EXPECT_EQ(diagnosis.level, Level::kRed);
    EXPECT_EQ(diagnosis.cause, Cause::kOverClipped) << samples << ": " << diagnosis.explanation;
  }
}

TEST(OutputCauses, ChannelsThatStandAtTheFirstCodeAreCutOff) {
  Output output{.x = Spread(128, 50), .channels = 64, .grid = Codes8(1, 28)};
  for (std::size_t i = 3; i < output.x.size(); i += 64) output.x[i] = -60 - output.x[i];
  const Diagnosis diagnosis = output.Diagnosed();
  EXPECT_EQ(diagnosis.cause, Cause::kOverClipped) << diagnosis.explanation;
}

TEST(OutputCauses, ChannelsThatVaryByLessThanAStepAreRounded) {
  Output output{.x = {}, .channels = 4};
  for (int i = 0; i < 100; ++i) {
    for (const float base : {3.f, 2.f, 1.f, 0.f}) {
      output.x.push_back(base + 0.4f * static_cast<float>(i) / 100);
    }
  }
  const Diagnosis diagnosis = output.Diagnosed();
  EXPECT_EQ(diagnosis.level, Level::kRed);
  EXPECT_EQ(diagnosis.cause, Cause::kOutliers) << diagnosis.explanation;
}

// A factor and an offset explain all of the error of one value, and a size is all there is of it.
TEST(OutputCauses, OneValueOfEachChannelShowsNeitherScalesNorSizesOfChannels) {
  Output rounded{.x = Spread(64, 10), .channels = 64};
  rounded.x[5] = 255;
  for (const std::size_t i : {7u, 8u, 9u}) rounded.x[i] = 120.5f;
  EXPECT_EQ(rounded.Diagnosed().cause, Cause::kNone);
  for (float& value : rounded.x) value /= 20;
  const Diagnosis diagnosis = rounded.Diagnosed();
  EXPECT_EQ(diagnosis.level, Level::kRed);
  EXPECT_EQ(diagnosis.cause, Cause::kOutliers) << diagnosis.explanation;
}

TEST(OutputCauses, OneValueIsRoundedOrCutOff) {
  const Diagnosis rounded = Output{.x = {4.4f}}.Diagnosed();
  EXPECT_EQ(rounded.cause, Cause::kOutliers) << rounded.explanation;
  EXPECT_THAT(rounded.explanation, HasSubstr("too wide for these values: its codes span 256, they "
                                             "span 4.4"));
  const Diagnosis clipped = Output{.x = {300}}.Diagnosed();
  EXPECT_EQ(clipped.cause, Cause::kOverClipped) << clipped.explanation;
}

// Next to no deviation, half a step is an endless shift.
TEST(OutputCauses, WhatIsAlwaysTheSameMayBeRounded) {
  EXPECT_EQ((Output{.x = {200.4f}}.Diagnosed().level), Level::kGreen);
  EXPECT_EQ((Output{.x = {200.4f, 200.41f, 200.4f}}.Diagnosed().level), Level::kGreen);
}

TEST(OutputCauses, ALargeChannelIsNamedWhereManyValuesShowIt) {
  const auto explained = [](std::size_t samples) {
    Output output{.x = Spread(samples * 64, 1), .channels = 64, .grid = Codes8(0.4)};
    for (std::size_t i = 2; i < output.x.size(); i += 64) output.x[i] *= 10;
    output.x[2] = 30;
    return output.Diagnosed().explanation;
  };
  EXPECT_THAT(explained(50), HasSubstr("channel 2 is"));
  EXPECT_THAT(explained(4), HasSubstr("outliers stretch the range: it reaches 30"));
}

TEST(OutputCauses, AScaleThatIsNotTheQuantizersIsStillWrong) {
  Output output{.x = Spread(800, 200), .channels = 8};
  output.dequantized_by = 0.7f;
  const Diagnosis diagnosis = output.Diagnosed();
  EXPECT_EQ(diagnosis.level, Level::kRed);
  EXPECT_EQ(diagnosis.cause, Cause::kWrongScale) << diagnosis.explanation;
}

// Weights are all there is of a channel, however few they are.
TEST(OutputCauses, WeightsMayBeFewAndDead) {
  const std::vector<float> x = Gaussian(32 * 3, 5, 1);
  std::vector<float> y = x;
  std::fill_n(y.begin() + 12, 3, 0.0f);
  const auto comparison =
      Compare(TensorView(x, {32, 3}), TensorView(y, {32, 3}), {.channel_axis = std::size_t{0}});
  ASSERT_THAT(comparison, Succeeds());
  const Diagnosis diagnosis = Diagnose({.comparison = &*comparison}, {});
  EXPECT_EQ(diagnosis.cause, Cause::kDeadChannel) << diagnosis.explanation;
  EXPECT_THAT(diagnosis.explanation, HasSubstr("channel 4 are 0"));
}

}  // namespace
}  // namespace cboard::compare
