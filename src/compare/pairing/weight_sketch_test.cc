#include "compare/pairing/weight_sketch.h"

#include <gmock/gmock.h>

#include <limits>
#include <random>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::DoubleNear;
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

WeightSketch SketchOf(const model::ModelGraph& model, std::size_t i, std::size_t channel_axis = 0) {
  const ModelLayer layer{.weight = static_cast<model::TensorId>(i),
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
  EXPECT_THAT(plain.MeanCosine(SketchOf(scaled)), DoubleNear(1, 1e-6));
  EXPECT_THAT(plain.MeanCosine(other), DoubleNear(1, 1e-6));
  for (std::size_t plane = 0; plane < SimHash::kPlanes; ++plane) {
    EXPECT_EQ(plain.Signs().At(plane), other.Signs().At(plane));
  }
}

TEST(WeightSketch, TellsNoiseFromOtherWeights) {
  const WeightSketch sketch = SketchOf(SomeWeights(1));
  EXPECT_THAT(sketch.MeanCosine(SketchOf(WithNoise(SomeWeights(1), 0.1, 2))),
              DoubleNear(0.995, 0.002));
  EXPECT_THAT(sketch.MeanCosine(SketchOf(SomeWeights(3))), DoubleNear(0, 0.1));
}

TEST(WeightSketch, RowsThatAreZeroOrNotFiniteDoNotCount) {
  std::vector<float> weights = SomeWeights(1);
  const WeightSketch whole = SketchOf(weights);
  std::fill_n(weights.begin(), kManyElements, 0.0f);
  weights[kManyElements] = std::numeric_limits<float>::infinity();
  weights[2 * kManyElements] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(SketchOf(weights).MeanCosine(whole), DoubleNear(1, 1e-6));
  EXPECT_EQ(SketchOf(std::vector<float>(weights.size())).MeanCosine(whole), 0);
}

}  // namespace
}  // namespace cboard::compare
