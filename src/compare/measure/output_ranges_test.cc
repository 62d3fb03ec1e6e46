#include "compare/measure/output_ranges.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

namespace cboard::compare {
namespace {

constexpr CodeScheme kBytes{.code_min = 0, .code_max = 255};
constexpr CodeScheme kSigned{.code_min = -128, .code_max = 127, .is_symmetric = true};

// Σ(x - y)² by quantizing every value.
double ErrorOn(std::span<const float> values, const tensor::QuantizationGrid& grid) {
  double sum = 0;
  for (const float value : values) {
    const double code = std::clamp<double>(std::nearbyint(value / grid.scale) + grid.zero_point,
                                           grid.code_min, grid.code_max);
    const double error = value - (code - grid.zero_point) * grid.scale;
    sum += error * error;
  }
  return sum;
}

struct Distribution {
  std::string name;
  std::function<float(std::mt19937&)> draw;
};

// Typical outputs of layers.
std::vector<Distribution> Distributions() {
  const auto normal = [](std::mt19937& random) {
    return std::normal_distribution<float>()(random);
  };
  return {
      {"normal", normal},
      {"half of it zero", [=](std::mt19937& random) { return std::max(normal(random), 0.0f); }},
      {"cut off at 1",
       [=](std::mt19937& random) { return std::clamp(normal(random), 0.0f, 1.0f); }},
      {"a long tail", [=](std::mt19937& random) { return std::exp(2 * normal(random)); }},
      {"tails on both sides",
       [=](std::mt19937& random) { return normal(random) * std::exp(normal(random)); }},
      {"outliers on one side",
       [=](std::mt19937& random) {
         return random() % 10000 == 0 ? 300 + normal(random) : normal(random);
       }},
      {"hard swish",
       [=](std::mt19937& random) {
         const float x = 3 * normal(random);
         return x * std::clamp(x / 6 + 0.5f, 0.0f, 1.0f);
       }},
  };
}

std::vector<float> Draw(const Distribution& distribution) {
  std::mt19937 random(7);
  std::vector<float> values(50'000);
  for (float& value : values) value = distribution.draw(random);
  return values;
}

double DbBetween(double a, double b) { return 10 * std::log10(a / b); }

TEST(ValueBins, TellTheErrorThatQuantizingHas) {
  for (const Distribution& distribution : Distributions()) {
    const std::vector<float> values = Draw(distribution);
    ValueBins bins;
    bins.Add(std::span(values).first(20'000));
    bins.Add(std::span(values).subspan(20'000));
    for (const CodeScheme& scheme : {kBytes, kSigned, CodeScheme{.code_min = 0, .code_max = 15},
                                     CodeScheme{.code_min = 0, .code_max = 65535}}) {
      for (const double share : {1.0, 0.5, 0.1}) {
        const tensor::QuantizationGrid grid =
            GridFor({bins.Range().low * share, bins.Range().high * share}, scheme);
        EXPECT_NEAR(DbBetween(bins.SquaredError(grid), ErrorOn(values, grid)), 0, 0.1)
            << distribution.name << ", " << scheme.code_max << ", " << share;
      }
    }
  }
}

TEST(ValueBins, KnowTheShareThatARangeCutsOff) {
  ValueBins bins;
  std::vector<float> values(1000, 0.0f);
  for (std::size_t i = 0; i < 10; ++i) values[i] = static_cast<float>(100 + i);
  values[10] = -5;
  bins.Add(values);
  const auto share = [&](double low, double high) {
    return bins.ClippedShare(GridFor({low, high}, kBytes));
  };
  EXPECT_DOUBLE_EQ(share(-10, 200), 0);
  EXPECT_DOUBLE_EQ(share(-4.9, 109), 0);  // Less than half a step.
  EXPECT_NEAR(share(-10, 50), 0.010, 1e-9);
  EXPECT_NEAR(share(-1, 50), 0.011, 1e-9);
}

TEST(ValueBins, LeaveOutWhatIsNoNumber) {
  ValueBins bins;
  const float infinity = std::numeric_limits<float>::infinity();
  bins.Add(std::vector<float>{std::nanf(""), infinity, -infinity, 1, 0});
  EXPECT_EQ(bins.Range().low, 0);
  EXPECT_EQ(bins.Range().high, 1);
  EXPECT_DOUBLE_EQ(bins.ClippedShare({.scale = 0.001, .code_min = 0, .code_max = 255}), 0.5);
  EXPECT_EQ(bins.SquaredError({.scale = 0}), HUGE_VAL);
}

TEST(BestRange, IsAsGoodAsTheBestOfThousands) {
  for (const Distribution& distribution : Distributions()) {
    const std::vector<float> values = Draw(distribution);
    ValueBins bins;
    bins.Add(values);
    const double found = ErrorOn(values, GridFor(BestRange(bins, kBytes), kBytes));
    double best = found;
    for (double low = 1; low > 0.005; low *= 0.93) {
      for (double high = 1; high > 0.005; high *= 0.93) {
        best = std::min(best, bins.SquaredError(GridFor(
                                  {bins.Range().low * low, bins.Range().high * high}, kBytes)));
      }
    }
    EXPECT_LT(DbBetween(found, best), 0.3) << distribution.name;
  }
}

TEST(BestRange, CutsOffWhatIsRare) {
  const std::vector<float> values = Draw(Distributions()[5]);
  ValueBins bins;
  bins.Add(values);
  const tensor::QuantizationGrid whole = GridFor(bins.Range(), kBytes);
  const tensor::QuantizationGrid best = GridFor(BestRange(bins, kBytes), kBytes);
  EXPECT_LE(bins.SquaredError(best), bins.SquaredError(whole));
  // A quantizer that is told this range has these codes.
  const CodeRange range = BestRange(bins, kBytes);
  EXPECT_NEAR(RangeOf(best).low, range.low, 1e-12);
  EXPECT_NEAR(RangeOf(best).high, range.high, 1e-12);
  const tensor::QuantizationGrid symmetric = GridFor(BestRange(bins, kSigned), kSigned);
  EXPECT_EQ(symmetric.zero_point, 0);
}

TEST(GridFor, HasZeroAmongItsCodes) {
  const tensor::QuantizationGrid bytes = GridFor({-1, 3}, kBytes);
  EXPECT_DOUBLE_EQ(bytes.scale, 4.0 / 255);
  EXPECT_EQ(bytes.zero_point, 64);
  EXPECT_EQ(GridFor({1, 3}, kBytes).zero_point, 0);
  EXPECT_DOUBLE_EQ(GridFor({1, 3}, kBytes).scale, 3.0 / 255);
  EXPECT_DOUBLE_EQ(GridFor({-1, 3}, kSigned).scale, 6.0 / 255);
  EXPECT_EQ(GridFor({0, 0}, kBytes).scale, 0);
  EXPECT_TRUE(CodeScheme::Of({1, 0, -128, 127}).is_symmetric);
  EXPECT_FALSE(CodeScheme::Of({1, 0, 0, 255}).is_symmetric);
}

TEST(ValueBins, TellsScoresFromTheMaskBesideThem) {
  ValueBins bins;
  bins.Add(std::vector<float>{-10000, -10000, -3, -1, 0, 2, 4});
  const auto gap = bins.WidestGap();
  ASSERT_TRUE(gap);
  EXPECT_DOUBLE_EQ(gap->below, -10000);
  EXPECT_DOUBLE_EQ(gap->above, -3);
  EXPECT_NEAR(gap->share_below, 2. / 7, 1e-9);
  ValueBins even;
  even.Add(std::vector<float>{-3, -2, -1, 0, 1, 2});
  EXPECT_FALSE(even.WidestGap());
}

TEST(ValueBins, CountsWhatAStepRoundsToZero) {
  ValueBins bins;
  bins.Add(std::vector<float>{0, 0.001f, 0.002f, -0.001f, 1});
  EXPECT_DOUBLE_EQ(bins.ShareRoundedToZero(0.1), 0.75);
  EXPECT_DOUBLE_EQ(bins.ShareRoundedToZero(0.0001), 0);
}

}  // namespace
}  // namespace cboard::compare
