#include "compare/diagnosis/diagnosis.h"

#include <gmock/gmock.h>

#include <functional>
#include <numeric>

#include "cboard/verdict/number_text.h"
#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using testing::Succeeds;

constexpr std::int64_t kChannels = 32, kRowLength = 300;

// Weights of 32 channels, and what an 8-bit quantizer with one scale makes of them.
struct Case {
  std::vector<float> x = Gaussian(kChannels * kRowLength, 7, 1);
  float scale = 0;
  std::vector<std::int8_t> codes;

  void Quantize(float range) {
    scale = range / 127;
    codes.clear();
    for (const float value : x) {
      codes.push_back(
          static_cast<std::int8_t>(std::clamp(std::lround(value / scale), -127l, 127l)));
    }
  }
  void Quantize() {
    Quantize(*std::ranges::max_element(x, {}, [](float v) { return std::abs(v); }));
  }

  tensor::Comparison Compared() const {
    TensorView y(codes, {kChannels, kRowLength});
    y.quantization = Quantization::PerTensor({&scale, 1});
    const auto comparison =
        Compare(TensorView(x, {kChannels, kRowLength}), y, {.channel_axis = std::size_t{0}});
    EXPECT_THAT(comparison, Succeeds());
    return *comparison;
  }

  std::vector<float> Medians() const {
    std::vector<float> medians;
    for (auto row = x.begin(); row != x.end(); row += kRowLength) {
      std::vector<float> magnitudes;
      std::transform(row, row + kRowLength, std::back_inserter(magnitudes),
                     [](float v) { return std::abs(v); });
      std::ranges::nth_element(magnitudes, magnitudes.begin() + kRowLength / 2);
      medians.push_back(magnitudes[kRowLength / 2]);
    }
    return medians;
  }

  // With channels `permuted` found elsewhere, which have this share of the error.
  Diagnosis Diagnosed(std::size_t permuted = 0, double share = 1) const {
    const tensor::Comparison comparison = Compared();
    return Diagnose({.part = Part::kWeight,
                     .comparison = &comparison,
                     .step = double{scale},
                     .channel_medians = Medians(),
                     .permuted = {permuted, share * comparison.total.sum_squared_error}},
                    {});
  }
};

TEST(Diagnosis, HealthyWeightsAreGreen) {
  Case healthy;
  healthy.Quantize();
  const Diagnosis diagnosis = healthy.Diagnosed();
  EXPECT_EQ(diagnosis.level, Level::kGreen);
  EXPECT_EQ(diagnosis.cause, Cause::kNone);
  EXPECT_EQ(diagnosis.explanation, "");
  EXPECT_GT(diagnosis.severity_db, 38);
}

TEST(Diagnosis, AWrongScaleIsNamedWithItsFactor) {
  Case fault;
  fault.Quantize();
  fault.scale *= 0.8f;
  const Diagnosis diagnosis = fault.Diagnosed();
  EXPECT_EQ(diagnosis.level, Level::kRed);
  EXPECT_EQ(diagnosis.cause, Cause::kWrongScale);
  EXPECT_THAT(diagnosis.severity_db, DoubleNear(14.0, 0.1));  // 20 log10 (1 / 0.2)
  EXPECT_THAT(diagnosis.explanation, HasSubstr("weights are 0.800"));
}

TEST(Diagnosis, AWrongScaleOfOneChannelIsFound) {
  Case fault;
  fault.Quantize();
  for (std::int64_t i = 0; i < kRowLength; ++i) {
    auto& code = fault.codes[static_cast<std::size_t>(5 * kRowLength + i)];
    code = static_cast<std::int8_t>(std::lround(code * 0.4));
  }
  const Diagnosis diagnosis = fault.Diagnosed();
  EXPECT_EQ(diagnosis.cause, Cause::kWrongScale);
  EXPECT_THAT(diagnosis.explanation, HasSubstr("in 1 of 32 channels"));
  EXPECT_THAT(diagnosis.explanation, HasSubstr("channel 5"));
}

TEST(Diagnosis, AnOffsetIsABiasShift) {
  Case fault;
  fault.Quantize(6);
  for (auto& code : fault.codes) {
    code = static_cast<std::int8_t>(std::min(127l, code + std::lround(0.5 / fault.scale)));
  }
  const Diagnosis diagnosis = fault.Diagnosed();
  EXPECT_EQ(diagnosis.level, Level::kRed);
  EXPECT_EQ(diagnosis.cause, Cause::kBiasShift);
  EXPECT_THAT(diagnosis.severity_db, DoubleNear(6.0, 0.5));
}

TEST(Diagnosis, OutliersStretchTheRange) {
  Case fault;
  for (const std::size_t i : {100u, 2000u, 4000u, 9000u}) fault.x[i] = 120;
  fault.Quantize();
  const Diagnosis diagnosis = fault.Diagnosed();
  EXPECT_EQ(diagnosis.level, Level::kRed);
  EXPECT_EQ(diagnosis.cause, Cause::kOutliers);
  EXPECT_THAT(diagnosis.explanation, HasSubstr("it reaches 120"));
}

TEST(Diagnosis, OverClippingIsNoWrongScale) {
  for (const float range : {0.7f, 1.0f, 1.5f}) {
    Case fault;
    fault.Quantize(range);
    const Diagnosis diagnosis = fault.Diagnosed();
    EXPECT_EQ(diagnosis.level, Level::kRed) << range;
    EXPECT_EQ(diagnosis.cause, Cause::kOverClipped) << range;
    EXPECT_THAT(diagnosis.explanation, HasSubstr("lie outside ["));
  }
}

TEST(Diagnosis, ChannelsOfVeryDifferentSizeUnderOneScaleAreASpread) {
  Case fault;
  for (std::size_t i = 0; i < 4 * kRowLength; ++i) fault.x[i] *= 1000;
  fault.Quantize();
  const Diagnosis diagnosis = fault.Diagnosed();
  EXPECT_GT(fault.Compared().total.SqnrDb(), 30);  // The total does not see it.
  EXPECT_EQ(diagnosis.level, Level::kRed);
  EXPECT_EQ(diagnosis.cause, Cause::kChannelSpread);
}

// Their values are zero times what they were, and no factor would bring them back.
TEST(Diagnosis, ChannelsThatRoundToZeroAreNoWrongScale) {
  Case weights;
  const auto rows = weights.x.begin() + 10 * kRowLength;
  std::for_each(weights.x.begin(), rows, [](float& v) { v = v > 0 ? 5000.0f : -5000.0f; });
  weights.Quantize(5000);  // Exact for these; the others are below one step.
  const Diagnosis diagnosis = weights.Diagnosed();
  EXPECT_EQ(diagnosis.level, Level::kRed);
  EXPECT_EQ(diagnosis.cause, Cause::kChannelSpread) << diagnosis.explanation;
}

TEST(Diagnosis, ADeadChannelIsNamed) {
  Case fault;
  fault.Quantize();
  std::fill_n(fault.codes.begin() + 11 * kRowLength, kRowLength, std::int8_t{0});
  const Diagnosis diagnosis = fault.Diagnosed();
  EXPECT_EQ(diagnosis.level, Level::kRed);
  EXPECT_EQ(diagnosis.cause, Cause::kDeadChannel);
  EXPECT_THAT(diagnosis.explanation, HasSubstr("1 of 32 channels is dead"));
  EXPECT_THAT(diagnosis.explanation, HasSubstr("channel 11"));
}

TEST(Diagnosis, PermutedChannelsAreBelievedFirst) {
  Case fault;
  fault.Quantize();
  std::ranges::rotate(fault.codes, fault.codes.begin() + kRowLength);
  const Diagnosis diagnosis = fault.Diagnosed(32);
  EXPECT_EQ(diagnosis.level, Level::kRed);
  EXPECT_EQ(diagnosis.cause, Cause::kPermutedChannels);
  EXPECT_NE(fault.Diagnosed(32, 0.1).cause, Cause::kPermutedChannels);
}

TEST(Diagnosis, WhatNothingExplainsIsSaidToHaveChanged) {
  Case fault;
  fault.Quantize();
  std::mt19937 random(1);
  std::ranges::shuffle(fault.codes, random);
  EXPECT_EQ(fault.Diagnosed().cause, Cause::kChanged);
}

TEST(Diagnosis, FewerBitsHaveLowerLimits) {
  const std::vector<float> x = Gaussian(kChannels * kRowLength, 7, 1);
  const float scale = 0.5f;
  std::vector<std::int8_t> codes;
  for (const float value : x) {
    codes.push_back(static_cast<std::int8_t>(std::clamp(std::lround(value / scale), -7l, 7l)));
  }
  TensorView y(codes, {kChannels, kRowLength});
  y.quantization = Quantization::PerTensor({&scale, 1});
  const auto comparison = Compare(
      TensorView(x, {kChannels, kRowLength}), y,
      {.channel_axis = std::size_t{0}, .code_range = tensor::ComparisonOptions::CodeRange{-7, 7}});
  ASSERT_THAT(comparison, Succeeds());
  EXPECT_LT(comparison->total.SqnrDb(), 20);
  EXPECT_EQ(Diagnose({.comparison = &*comparison, .bits = 8}, {}).level, Level::kRed);
  EXPECT_NE(Diagnose({.comparison = &*comparison, .bits = 4}, {}).level, Level::kRed);
}

// Codes of four bits with one scale, and the diagnosis of what is done to them.
Diagnosis DiagnosedAtFourBits(const std::vector<float>& x, float scale, float dequantized_scale) {
  std::vector<std::int8_t> codes;
  for (const float value : x) {
    codes.push_back(static_cast<std::int8_t>(std::clamp(std::lround(value / scale), -7l, 7l)));
  }
  TensorView y(codes, {kChannels, kRowLength});
  y.quantization = Quantization::PerTensor({&dequantized_scale, 1});
  const auto comparison = Compare(
      TensorView(x, {kChannels, kRowLength}), y,
      {.channel_axis = std::size_t{0}, .code_range = tensor::ComparisonOptions::CodeRange{-7, 7}});
  EXPECT_THAT(comparison, Succeeds());
  return Diagnose({.comparison = &*comparison, .bits = 4, .step = double{dequantized_scale}}, {});
}

TEST(Diagnosis, FaultsOfFourBitsAreToldFromTheirRounding) {
  std::vector<float> x = Gaussian(kChannels * kRowLength, 7, 1);
  EXPECT_EQ(DiagnosedAtFourBits(x, 0.5f, 0.5f).level, Level::kGreen);

  // A fifth of the error is rounding, which the right scale would leave.
  const Diagnosis wrong = DiagnosedAtFourBits(x, 0.5f, 0.32f);
  EXPECT_EQ(wrong.level, Level::kRed);
  EXPECT_EQ(wrong.cause, Cause::kWrongScale) << wrong.explanation;

  // All that is below half a step became zero: 0 dB, which six decibels for each bit would forgive.
  for (std::size_t i = 5 * kRowLength; i < 6 * kRowLength; ++i) x[i] *= 0.01f;
  const Diagnosis lost = DiagnosedAtFourBits(x, 0.5f, 0.5f);
  EXPECT_EQ(lost.level, Level::kRed);
  EXPECT_EQ(lost.cause, Cause::kChannelSpread) << lost.explanation;
}

TEST(Diagnosis, AQuantizerIsNotBlamedForWhatLayersBeforeLost) {
  // Steps of 0.5 suit values of 100, and 0.2 is what a broken layer before has left of them.
  std::vector<float> before = Gaussian(1000, 3, 0.2f), after;
  for (const float value : before) after.push_back(std::round(value / 0.5f) * 0.5f);
  const auto comparison = Compare(TensorView(before, {1000}), TensorView(after, {1000}), {});
  ASSERT_THAT(comparison, Succeeds());
  Evidence evidence{.part = Part::kOutput, .comparison = &*comparison, .step = 0.5};
  EXPECT_EQ(Diagnose(evidence, {}).level, Level::kRed);
  evidence.baseline_energy = 1000 * 100.0 * 100.0;
  EXPECT_EQ(Diagnose(evidence, {}).level, Level::kGreen);
}

TEST(Diagnosis, OutputsMayHaveChannelsThatHardlyEverFire) {
  Case outputs;
  for (std::size_t i = 0; i < kRowLength; ++i) outputs.x[i] /= 100;
  outputs.Quantize();
  const tensor::Comparison comparison = outputs.Compared();
  EXPECT_LT(comparison.channels[0].SqnrDb(), 10);
  Evidence evidence{.part = Part::kOutput, .comparison = &comparison};
  EXPECT_EQ(Diagnose(evidence, {}).level, Level::kGreen);
  evidence.part = Part::kWeight;
  EXPECT_EQ(Diagnose(evidence, {}).level, Level::kRed);
}

TEST(Diagnosis, ValuesThatHardlyVaryAreRoundedAndNotShifted) {
  std::vector<float> x = Gaussian(kChannels * kRowLength, 7, 2), y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 10 != 0) x[i] = 0.3f;
    y.push_back(std::nearbyint(x[i]));
  }
  const auto comparison =
      Compare(TensorView(x, {kChannels, kRowLength}), TensorView(y, {kChannels, kRowLength}),
              {.channel_axis = std::size_t{0}, .grid = tensor::QuantizationGrid{1, 128, 0, 255}});
  ASSERT_THAT(comparison, Succeeds());
  const auto cause = [&](double step) {
    return Diagnose({.part = Part::kOutput, .comparison = &*comparison, .step = step}, {}).cause;
  };
  EXPECT_EQ(cause(0.1), Cause::kBiasShift);  // Three steps would be an offset.
  EXPECT_NE(cause(1), Cause::kBiasShift);
}

TEST(Diagnosis, ThresholdsMove) {
  Case fault;
  fault.Quantize();
  fault.scale *= 0.8f;
  const tensor::Comparison comparison = fault.Compared();
  const Evidence evidence{.comparison = &comparison, .step = double{fault.scale}};
  EXPECT_EQ(Diagnose(evidence, {.sqnr_amber_db = 20, .sqnr_red_db = 10}).level, Level::kAmber);
}

TEST(Diagnosis, AShiftedBiasIsMeasuredInDeviationsOfTheOutput) {
  EXPECT_EQ(DiagnoseBias(0.01, 0.02, 3, {}).level, Level::kGreen);
  const Diagnosis diagnosis = DiagnoseBias(0.5, 1.25, 3, {});
  EXPECT_EQ(diagnosis.level, Level::kRed);
  EXPECT_EQ(diagnosis.cause, Cause::kBiasShift);
  EXPECT_EQ(diagnosis.part, Part::kBias);
  EXPECT_THAT(diagnosis.explanation, HasSubstr("most in channel 3 (1.25)"));
}

TEST(ShortNumber, KeepsTheDigitsThatMatter) {
  EXPECT_EQ(verdict::ShortNumber(1.0 / 3), "0.3333");
  EXPECT_EQ(verdict::ShortNumber(12.5), "12.5");
  EXPECT_EQ(verdict::ShortNumber(1234567), "1.235e+06");
}

// A large channel whose weights are small further on takes the steps from the one that matters.
TEST(Diagnose, ChannelsOfAnOutputCountByWhatFollows) {
  constexpr float kScale = 100.0f / 127;
  std::vector<float> x = Gaussian(2000, 3, 1);
  for (std::size_t i = 0; i < 1000; ++i) x[i] *= 30;
  std::vector<float> y = x;
  for (float& value : y) value = std::round(value / kScale) * kScale;
  const auto comparison = Compare(
      TensorView(x, {2, 1000}), TensorView(y, {2, 1000}),
      {.channel_axis = std::size_t{0}, .grid = tensor::QuantizationGrid{kScale, 0, -127, 127}});
  ASSERT_THAT(comparison, Succeeds());
  Evidence evidence{.part = Part::kOutput, .comparison = &*comparison, .step = kScale};
  EXPECT_EQ(Diagnose(evidence, {}).level, Level::kGreen);  // 39 dB of the large channel.
  evidence.channel_importance = {1, 900};
  const Diagnosis diagnosis = Diagnose(evidence, {});
  EXPECT_EQ(diagnosis.level, Level::kRed);
  EXPECT_EQ(diagnosis.cause, Cause::kChannelSpread);
  // Both signals count 900; rounding gives the small one kScale²/12, and the large one nothing.
  EXPECT_NEAR(diagnosis.severity_db, 10 * std::log10(2 * 12 / (kScale * kScale)), 0.5);
}

TEST(Diagnose, WhatIsOnlyClippedIsNotCalledAnOutlier) {
  std::vector<float> x = Gaussian(10000, 5, 1), y;
  for (std::size_t i = 0; i < 30; ++i) x[i] = 4.05f;
  for (const float value : x) {
    y.push_back(std::clamp(std::round(value / 0.032f), -127.0f, 125.0f) * 0.032f);
  }
  const auto comparison = Compare(
      TensorView(x, {1, 10000}), TensorView(y, {1, 10000}),
      {.channel_axis = std::size_t{0}, .grid = tensor::QuantizationGrid{0.032, 0, -127, 125}});
  ASSERT_THAT(comparison, Succeeds());
  const Diagnosis diagnosis =
      Diagnose({.part = Part::kOutput, .comparison = &*comparison, .step = 0.032}, {});
  EXPECT_EQ(diagnosis.level, Level::kAmber);
  EXPECT_EQ(diagnosis.cause, Cause::kOverClipped);
}

}  // namespace
}  // namespace cboard::compare
