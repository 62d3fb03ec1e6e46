#include "compare/layers/affine_steps.h"

#include <gmock/gmock.h>

#include <functional>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::OnnxBuilder;
using ::testing::Pointwise;
using testing::Succeeds;

constexpr std::int64_t kInputs = 4;
constexpr std::size_t kRow = kInputs * 9;

// A convolution with 3 channels whose output is "c", and what `append` adds behind it.
model::ModelGraph Convolution(const std::function<void(OnnxBuilder&)>& append,
                              const std::string& output = "y") {
  OnnxBuilder builder;
  builder.Input("x", {1, kInputs, 8, 8})
      .Weight("w", {3, kInputs, 3, 3}, Gaussian(3 * kRow, 1))
      .Weight("b", {3}, {0.5f, -1, 2})
      .Node("Conv", {"x", "w", "b"}, {"c"}, {}, "conv");
  append(builder);
  builder.Output(output, {1, 3, 6, 6});
  return Opened(builder);
}

model::ModelGraph WithArithmetic(const std::string& type, bool is_first,
                                 std::vector<std::int64_t> shape,
                                 const std::vector<float>& values) {
  return Convolution([&](OnnxBuilder& builder) {
    builder.Weight("k", std::move(shape), values)
        .Node(type,
              is_first ? std::vector<std::string>{"c", "k"} : std::vector<std::string>{"k", "c"},
              {"y"}, {}, "step");
  });
}

ChannelAffine JoinedSteps(const model::ModelGraph& model) {
  const ModelLayer layer = FindWeightLayers(model)[0];
  auto joined = JoinSteps(model, layer, layer.steps.size());
  EXPECT_THAT(joined, Succeeds());
  return *std::move(joined);
}

TEST(AffineSteps, ArithmeticWithAConstantForEachChannelIsAStep) {
  const std::vector<float> k = {2, 4, -8};
  const auto both = [&](const std::string& type, bool is_first) {
    return JoinedSteps(WithArithmetic(type, is_first, {1, 3, 1, 1}, k));
  };
  EXPECT_THAT(both("Mul", true).factors, ElementsAre(2, 4, -8));
  EXPECT_THAT(both("Mul", false).offsets, ElementsAre(0, 0, 0));
  EXPECT_THAT(both("Div", true).factors, ElementsAre(0.5, 0.25, -0.125));
  EXPECT_THAT(both("Add", false).offsets, ElementsAre(2, 4, -8));
  EXPECT_THAT(both("Sub", true).offsets, ElementsAre(-2, -4, 8));
  EXPECT_THAT(both("Sub", false).factors, ElementsAre(-1, -1, -1));
  EXPECT_THAT(both("Sub", false).offsets, ElementsAre(2, 4, -8));
  EXPECT_THAT(both("Div", false).factors, IsEmpty()) << "a quotient of it is no multiple of it";
}

TEST(AffineSteps, OneValueIsForAllChannels) {
  EXPECT_THAT(JoinedSteps(WithArithmetic("Mul", true, {}, {3})).factors, ElementsAre(3, 3, 3));
  EXPECT_THAT(JoinedSteps(WithArithmetic("Mul", true, {1}, {3})).factors, ElementsAre(3, 3, 3));
}

TEST(AffineSteps, AConstantAlongTheWidthIsNoStep) {
  const std::vector<float> k = {1, 2, 3, 4, 5, 6};
  EXPECT_THAT(JoinedSteps(WithArithmetic("Mul", true, {6}, k)).factors, IsEmpty());
  EXPECT_THAT(JoinedSteps(WithArithmetic("Mul", true, {3}, {1, 2, 3})).factors, IsEmpty());
  EXPECT_THAT(JoinedSteps(WithArithmetic("Mul", true, {3, 1, 1}, {1, 2, 3})).factors,
              ElementsAre(1, 2, 3));
}

TEST(AffineSteps, AnOutputThatOthersUseIsNotFollowed) {
  const model::ModelGraph model = Convolution([](OnnxBuilder& builder) {
    builder.Weight("k", {}, {2})
        .Node("Mul", {"c", "k"}, {"m"})
        .Node("Sigmoid", {"c"}, {"s"})
        .Node("Add", {"m", "s"}, {"y"});
  });
  EXPECT_THAT(FindWeightLayers(model)[0].steps, IsEmpty());
}

// Normalization, a factor and an offset behind a convolution, of which the first `folded` are in
// its weights.
class Folded {
 public:
  // y = scale (x - mean) / sqrt(variance + epsilon) + offset, then 0.1 y, then y + 3.
  static ChannelAffine After(std::size_t steps) {
    ChannelAffine affine{.factors = {1, 1, 1}, .offsets = {0, 0, 0}};
    for (std::size_t c = 0; c < 3; ++c) {
      if (steps > 0) {
        affine.factors[c] = double{kScale[c]} / std::sqrt(double{kVariance[c]} + 1e-5);
        affine.offsets[c] = kOffset[c] - affine.factors[c] * kMean[c];
      }
      if (steps > 1) affine.factors[c] *= double{0.1f}, affine.offsets[c] *= double{0.1f};
      if (steps > 2) affine.offsets[c] += 3;
    }
    return affine;
  }

  // As a float model, or with weights as codes of one scale.
  static model::ModelGraph Model(std::size_t folded, bool is_quantized) {
    const ChannelAffine affine = After(folded);
    std::vector<float> weights = Gaussian(3 * kRow, 1), bias = {0.5f, -1, 2};
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = static_cast<float>(weights[i] * affine.factors[i / kRow]);
    }
    for (std::size_t c = 0; c < 3; ++c) {
      bias[c] = static_cast<float>(affine.factors[c] * bias[c] + affine.offsets[c]);
    }
    OnnxBuilder builder;
    builder.Input("x", {1, kInputs, 8, 8}).Weight("b", {3}, bias);
    if (is_quantized) {
      const Codes codes = Quantized(weights);
      builder.Constant("q", {3, kInputs, 3, 3}, OnnxBuilder::kInt8, codes.values)
          .Weight("s", {}, {codes.scale})
          .Node("DequantizeLinear", {"q", "s"}, {"w"});
    } else {
      builder.Weight("w", {3, kInputs, 3, 3}, weights);
    }
    builder.Node("Conv", {"x", "w", "b"}, {"t0"}, {}, "conv");
    std::string last = "t0";
    if (folded < 1) {
      builder.Weight("scale", {3}, kScale).Weight("offset", {3}, kOffset);
      builder.Weight("mean", {3}, kMean).Weight("variance", {3}, kVariance);
      builder.Node("BatchNormalization", {last, "scale", "offset", "mean", "variance"}, {"t1"});
      last = "t1";
    }
    if (folded < 2) {
      builder.Weight("tenth", {}, {0.1f}).Node("Mul", {last, "tenth"}, {"t2"});
      last = "t2";
    }
    if (folded < 3) {
      builder.Weight("three", {1}, {3}).Node("Add", {last, "three"}, {"t3"});
      last = "t3";
    }
    builder.Node("Relu", {last}, {"y"}).Output("y", {1, 3, 6, 6});
    return Opened(builder);
  }

 private:
  static inline const std::vector<float> kScale = {2, -0.01f, 0.5f}, kOffset = {0.1f, 2, -1},
                                         kMean = {1, -3, 0.2f}, kVariance = {0.5f, 4, 0.01f};
};

TEST(AffineSteps, StepsAreJoinedInTheirOrder) {
  const model::ModelGraph model = Folded::Model(0, false);
  const ModelLayer layer = FindWeightLayers(model)[0];
  ASSERT_EQ(layer.steps.size(), 3u);
  EXPECT_TRUE(layer.clamp);
  for (std::size_t count = 1; count <= 3; ++count) {
    const auto joined = JoinSteps(model, layer, count);
    ASSERT_THAT(joined, Succeeds());
    const ChannelAffine wanted = Folded::After(count);
    EXPECT_THAT(joined->factors, Pointwise(DoubleNear(1e-6), wanted.factors)) << count;
    EXPECT_THAT(joined->offsets, Pointwise(DoubleNear(1e-5), wanted.offsets)) << count;
  }
}

TEST(AffineSteps, WhatIsInTheWeightsOfTheOtherFileIsFound) {
  for (std::size_t ours = 0; ours <= 3; ++ours) {
    for (std::size_t theirs = 0; theirs <= 3; ++theirs) {
      const model::ModelGraph a = Folded::Model(ours, false), b = Folded::Model(theirs, true);
      const auto folded = FindFolded(a, FindWeightLayers(a)[0], b, FindWeightLayers(b)[0]);
      ASSERT_THAT(folded, Succeeds());
      EXPECT_EQ(folded->baseline, theirs > ours ? theirs - ours : 0) << ours << theirs;
      EXPECT_EQ(folded->variant, ours > theirs ? ours - theirs : 0) << ours << theirs;
    }
  }
}

TEST(AffineSteps, ALayerThatIsCutEndsBehindTheStepsThatAreLeft) {
  const model::ModelGraph model = Folded::Model(0, false);
  for (const auto& [count, output] : {std::pair(0, "t0"), std::pair(1, "t1"), std::pair(2, "t2")}) {
    ModelLayer layer = FindWeightLayers(model)[0];
    CutSteps(model, static_cast<std::size_t>(count), layer);
    EXPECT_EQ(model.tensor(layer.output).name, output);
    EXPECT_FALSE(layer.clamp);
  }
  ModelLayer whole = FindWeightLayers(model)[0];
  CutSteps(model, 3, whole);
  EXPECT_EQ(model.tensor(whole.output).name, "y");
}

}  // namespace
}  // namespace cboard::compare
