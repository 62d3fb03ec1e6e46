#include "compression/model_comparison/weight_sketch.h"

#include <gmock/gmock.h>

#include <limits>
#include <random>

#include "compression/model_comparison/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::DoubleNear;
using ::testing::Le;
using ::testing::SizeIs;
using testing::Succeeds;

// More rows, and more elements of each, than a sketch has.
constexpr std::int64_t kManyRows = 40, kManyElements = 100;

std::vector<float> SomeWeights(std::uint32_t seed) {
  return Gaussian(kManyRows * kManyElements, seed);
}

std::vector<float> WithNoise(std::vector<float> weights, double deviation, std::uint32_t seed) {
  const std::vector<float> noise = Gaussian(weights.size(), seed);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] += static_cast<float>(deviation * noise[i]);
  }
  return weights;
}

WeightSketch SketchOf(const ModelGraph& model, std::size_t i, std::size_t channel_axis = 0) {
  const ModelLayer layer{.weight = static_cast<TensorId>(i),
                         .layout = {.channel_axis = channel_axis}};
  auto sketch = WeightSketch::Of(model, layer);
  EXPECT_THAT(sketch, Succeeds());
  return *std::move(sketch);
}

WeightSketch SketchOf(const std::vector<float>& weights) {
  return SketchOf(OpenedSafetensors({{"w", {kManyRows, kManyElements}, weights}}), 0);
}

TEST(WeightSketch, IsTheSameForAnyFactorsOfChannelsAndAnyOrderInTheFile) {
  const std::vector<float> weights = SomeWeights(1);
  std::vector<float> scaled = weights, turned(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t row = i / kManyElements, element = i % kManyElements;
    scaled[i] *= static_cast<float>(1 + row);
    turned[element * kManyRows + row] = weights[i];
  }
  const WeightSketch plain = SketchOf(weights);
  const WeightSketch other =
      SketchOf(OpenedSafetensors({{"w", {kManyElements, kManyRows}, turned}}), 0, 1);
  EXPECT_THAT(plain.Alikeness(SketchOf(scaled)), DoubleNear(1, 1e-6));
  EXPECT_THAT(plain.Alikeness(other), DoubleNear(1, 1e-6));
  for (std::size_t plane = 0; plane < WeightSketch::kSigns; ++plane) {
    EXPECT_EQ(plain.SignAt(plane), other.SignAt(plane));
  }
}

TEST(WeightSketch, TellsNoiseFromOtherWeights) {
  const WeightSketch sketch = SketchOf(SomeWeights(1));
  EXPECT_THAT(sketch.Alikeness(SketchOf(WithNoise(SomeWeights(1), 0.1, 2))),
              DoubleNear(0.995, 0.002));
  EXPECT_THAT(sketch.Alikeness(SketchOf(SomeWeights(3))), DoubleNear(0, 0.1));
}

TEST(WeightSketch, RowsThatAreZeroOrNotFiniteDoNotCount) {
  std::vector<float> weights = SomeWeights(1);
  const WeightSketch whole = SketchOf(weights);
  std::fill_n(weights.begin(), kManyElements, 0.0f);
  weights[kManyElements] = std::numeric_limits<float>::infinity();
  weights[2 * kManyElements] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(SketchOf(weights).Alikeness(whole), DoubleNear(1, 1e-6));
  EXPECT_EQ(SketchOf(std::vector<float>(weights.size())).Alikeness(whole), 0);
}

TEST(SketchIndex, FindsEachOfManyThroughTheNoiseOfFourBitsWithoutLookingAtAll) {
  constexpr std::size_t kLayers = 1000;
  std::vector<WeightSketch> sketches;
  for (std::uint32_t i = 0; i < kLayers; ++i) sketches.push_back(SketchOf(SomeWeights(i)));
  const SketchIndex index(sketches);
  std::size_t found = 0, looked_at = 0;
  for (std::uint32_t i = 0; i < kLayers; ++i) {
    const auto near = index.Near(SketchOf(WithNoise(SomeWeights(i), 0.1, kLayers + i)));
    found += std::ranges::count(near, i) > 0 ? 1u : 0u;
    looked_at += near.size();
  }
  EXPECT_GE(found, kLayers - 1);
  EXPECT_LT(looked_at / kLayers, kLayers / 8);
}

TEST(SketchIndex, OfFewAllAreNear) {
  const std::vector<WeightSketch> sketches = {SketchOf(SomeWeights(1)), SketchOf(SomeWeights(2))};
  EXPECT_THAT(SketchIndex(sketches).Near(SketchOf(SomeWeights(3))), ::testing::ElementsAre(0u, 1u));
  EXPECT_THAT(SketchIndex({}).Near(sketches[0]), ::testing::IsEmpty());
}

TEST(SketchIndex, OfManyThatAreAllAlikeSomeAreNear) {
  const std::vector<WeightSketch> sketches(5000, SketchOf(SomeWeights(1)));
  EXPECT_THAT(SketchIndex(sketches).Near(sketches[0]),
              SizeIs(::testing::AllOf(Le(512u), ::testing::Ge(1u))));
}

}  // namespace
}  // namespace cboard::compare
