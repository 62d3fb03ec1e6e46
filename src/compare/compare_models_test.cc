#include <gmock/gmock.h>

#include "cboard/compare/compare_options.h"
#include "cboard/compare/comparison_json.h"
#include "cboard/compare/model_comparison.h"
#include "compare/compare_graphs.h"
#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Succeeds;

// Three products and their codes.
struct Pair {
  std::vector<MatMulLayer> layers;
  std::vector<Codes> codes;

  Pair() {
    for (unsigned i = 0; i < 3; ++i) {
      const std::string number = std::to_string(i);
      layers.push_back({"fc" + number, "w" + number, 16, 16, Gaussian(256, i + 1)});
      codes.push_back(Quantized(layers.back().values));
    }
  }

  ModelComparison Compared() const {
    auto comparison =
        CompareGraphs(FloatChain(layers), QuantizedChain(layers, codes), {.samples = 0});
    EXPECT_THAT(comparison, Succeeds());
    return *std::move(comparison);
  }
};

TEST(CompareModels, SoundLayersAreGreen) {
  const ModelComparison comparison = Pair().Compared();
  ASSERT_EQ(comparison.layers.size(), 3u);
  for (const LayerComparison& layer : comparison.layers) {
    EXPECT_EQ(layer.diagnosis.level, Level::kGreen);
    EXPECT_EQ(layer.bits, 8);
    EXPECT_EQ(layer.baseline_bytes, 1024u);
    EXPECT_EQ(layer.variant_bytes, 256u + 4u);
    EXPECT_THAT(layer.fixes, IsEmpty());
  }
  EXPECT_EQ(VariantName(comparison), "int8");
  EXPECT_EQ(comparison.why_not_run, "no samples were asked for");
  EXPECT_THAT(NodesToKeepFloat(comparison), IsEmpty());
}

TEST(CompareModels, FilesInTheWrongOrderAreRemarkedOn) {
  const Pair pair;
  EXPECT_THAT(pair.Compared().remarks, IsEmpty());
  const auto turned = CompareGraphs(QuantizedChain(pair.layers, pair.codes),
                                    FloatChain(pair.layers), {.samples = 0});
  ASSERT_THAT(turned, Succeeds());
  EXPECT_THAT(turned->remarks, ElementsAre(HasSubstr("were the files swapped?")));
}

TEST(CompareModels, WeightsThatHaveNothingToDoWithEachOtherAreRemarkedOn) {
  std::vector<MatMulLayer> ours = Pair().layers, theirs = ours;
  for (MatMulLayer& layer : theirs) layer.values = Gaussian(256, 77);
  const auto comparison = CompareGraphs(FloatChain(ours), FloatChain(theirs), {.samples = 0});
  ASSERT_THAT(comparison, Succeeds());
  EXPECT_THAT(comparison->remarks, ElementsAre(HasSubstr("not seem to be two files of one")));
  // Weights that are float32 already cannot be kept in float32.
  EXPECT_EQ(comparison->layers[0].fixes.back().action, "take the weights from the baseline");

  // One layer that is alike is enough.
  theirs[1].values = ours[1].values;
  const auto related = CompareGraphs(FloatChain(ours), FloatChain(theirs), {.samples = 0});
  ASSERT_THAT(related, Succeeds());
  EXPECT_THAT(related->remarks, IsEmpty());
}

TEST(CompareModels, AFileInWhichNothingIsCompressedIsRemarkedOn) {
  const Pair pair;
  const auto comparison =
      CompareGraphs(FloatChain(pair.layers), FloatChain(pair.layers), {.samples = 0});
  ASSERT_THAT(comparison, Succeeds());
  EXPECT_THAT(comparison->remarks, ElementsAre(HasSubstr("Nothing is compressed")));
}

TEST(CompareModels, SixteenBitsAreIntegersOrFloats) {
  const std::vector<MatMulLayer> layers = {{"fc", "w", 16, 16, Gaussian(256, 1)}};
  testing::OnnxBuilder integers, halves;
  std::vector<std::int16_t> codes;
  for (const float value : layers[0].values) {
    codes.push_back(static_cast<std::int16_t>(std::lround(value * 1e5f)));
  }
  integers.Input("x", {-1, 16})
      .Constant("w_quantized", {16, 16}, testing::OnnxBuilder::kInt16, codes)
      .Weight("w_scale", {}, {1e-5f})
      .Node("DequantizeLinear", {"w_quantized", "w_scale"}, {"w"})
      .Node("MatMul", {"x", "w"}, {"y"}, {}, "fc")
      .Output("y", {-1, 16});
  const std::vector<std::uint16_t> ones(256, 0x3C00);
  halves.Input("x", {-1, 16})
      .Constant("w", {16, 16}, testing::OnnxBuilder::kFloat16, ones)
      .Node("MatMul", {"x", "w"}, {"y"}, {}, "fc")
      .Output("y", {-1, 16});
  const auto name = [&](const testing::OnnxBuilder& variant) {
    const auto comparison = CompareGraphs(FloatChain(layers), Opened(variant), {.samples = 0});
    EXPECT_THAT(comparison, Succeeds());
    return VariantName(*comparison);
  };
  EXPECT_EQ(name(integers), "int16");
  EXPECT_EQ(name(halves), "fp16");
}

TEST(CompareModels, TheBrokenLayerComesFirst) {
  Pair pair;
  pair.codes[1].scale *= 0.5f;
  const ModelComparison comparison = pair.Compared();
  EXPECT_EQ(comparison.layers[0].name, "fc1");
  EXPECT_EQ(comparison.layers[0].diagnosis.cause, Cause::kWrongScale);
  EXPECT_THAT(NodesToKeepFloat(comparison), ::testing::ElementsAre("fc1"));
  EXPECT_GT(comparison.layers[0].fixes.front().sqnr_db, 30);
}

TEST(CompareModels, WhatEqualizationDidIsNotDamage) {
  Pair pair;
  // Columns of the first product are divided, and rows of the next multiplied.
  std::vector<float> first = pair.layers[0].values, second = pair.layers[1].values;
  for (std::size_t c = 0; c < 16; ++c) {
    const float factor = 0.5f + 0.1f * static_cast<float>(c);
    for (std::size_t i = 0; i < 16; ++i) {
      first[i * 16 + c] /= factor;
      second[c * 16 + i] *= factor;
    }
  }
  pair.codes[0] = Quantized(first);
  pair.codes[1] = Quantized(second);
  for (const LayerComparison& layer : pair.Compared().layers) {
    EXPECT_EQ(layer.is_rescaled, layer.name == "fc0" || layer.name == "fc1") << layer.name;
    EXPECT_EQ(layer.diagnosis.level, Level::kGreen) << layer.name;
  }
  // Without factors in the next layer that undo them, or with others, they are no equalization.
  for (std::size_t i = 0; i < second.size(); ++i) second[i] *= i / 16 % 2 == 0 ? 1.5f : 1;
  pair.codes[1] = Quantized(second);
  for (const LayerComparison& layer : pair.Compared().layers) {
    if (layer.name != "fc1") continue;
    EXPECT_EQ(layer.diagnosis.level, Level::kRed);
  }
}

// An expanding convolution, a depthwise and a projecting one, with normalizations between them: the
// block of MobileNet. `before` and `after` are the factors by which equalization has multiplied the
// input and the output of the depthwise convolution; with factors, normalizations are folded and
// weights have a scale for each channel.
class SeparableBlock {
 public:
  static constexpr std::size_t kInputs = 8, kWide = 16;

  static model::ModelGraph Float() { return Build(Ones(), Ones(), false); }
  static model::ModelGraph Folded(const std::vector<float>& before,
                                  const std::vector<float>& after) {
    return Build(before, after, true);
  }
  static std::vector<float> Ones() { return std::vector<float>(kWide, 1); }
  static std::vector<float> Factors(unsigned seed) {
    std::vector<float> factors = Gaussian(kWide, seed, 0.7f);
    for (float& factor : factors) factor = std::exp(factor);
    return factors;
  }

 private:
  // Adds a convolution with its normalization. Channel c of its output is multiplied by out[c],
  // channel i of its input by in[i].
  static void Append(testing::OnnxBuilder& builder, const std::string& name,
                     const std::vector<std::int64_t>& shape, unsigned seed, bool is_folded,
                     const std::vector<float>& in, const std::vector<float>& out,
                     const std::string& from, const std::string& to) {
    const auto channels = static_cast<std::size_t>(shape[0]);
    const auto inputs = static_cast<std::size_t>(shape[1]);
    const auto area = static_cast<std::size_t>(shape[2] * shape[3]);
    const std::size_t row = inputs * area;
    std::vector<float> weights = Gaussian(channels * row, seed);
    const std::vector<float> zeros(channels, 0), ones(channels, 1);
    std::vector<float> scales = Gaussian(channels, seed + 1, 0.8f);
    const std::vector<float> offsets = Gaussian(channels, seed + 2);
    for (float& scale : scales) scale = std::exp(scale);
    const std::string group = testing::OnnxBuilder::IntAttribute("group", area > 1 ? kWide : 1);
    if (!is_folded) {
      builder.Weight(name + "_w", shape, weights)
          .Weight(name + "_scale", {shape[0]}, scales)
          .Weight(name + "_offset", {shape[0]}, offsets)
          .Weight(name + "_mean", {shape[0]}, zeros)
          .Weight(name + "_variance", {shape[0]}, ones)
          .Node("Conv", {from, name + "_w"}, {name + "_c"}, group, name)
          .Node(
              "BatchNormalization",
              {name + "_c", name + "_scale", name + "_offset", name + "_mean", name + "_variance"},
              {to});
      return;
    }
    std::vector<std::int8_t> codes;
    std::vector<float> steps(channels), bias(channels);
    for (std::size_t c = 0; c < channels; ++c) {
      float range = 0;
      for (std::size_t i = 0; i < row; ++i) {
        float& weight = weights[c * row + i];
        weight *= scales[c] * out[c] / in[area > 1 ? c : i / area];
        range = std::max(range, std::abs(weight));
      }
      steps[c] = range / 127;
      bias[c] = offsets[c] * out[c];
      for (std::size_t i = 0; i < row; ++i) {
        codes.push_back(static_cast<std::int8_t>(std::lround(weights[c * row + i] / steps[c])));
      }
    }
    builder.Constant(name + "_codes", shape, testing::OnnxBuilder::kInt8, codes)
        .Weight(name + "_steps", {shape[0]}, steps)
        .Constant(name + "_zero", {shape[0]}, testing::OnnxBuilder::kInt8,
                  std::vector<std::int8_t>(channels, 0))
        .Weight(name + "_b", {shape[0]}, bias)
        .Node("DequantizeLinear", {name + "_codes", name + "_steps", name + "_zero"}, {name + "_w"},
              testing::OnnxBuilder::IntAttribute("axis", 0))
        .Node("Conv", {from, name + "_w", name + "_b"}, {to}, group, name);
  }

  static model::ModelGraph Build(const std::vector<float>& before, const std::vector<float>& after,
                                 bool is_folded) {
    constexpr auto kIn = static_cast<std::int64_t>(kInputs),
                   kMid = static_cast<std::int64_t>(kWide);
    const std::vector<float> ones(kInputs, 1);
    testing::OnnxBuilder builder;
    builder.Input("x", {1, kIn, 8, 8});
    Append(builder, "expand", {kMid, kIn, 1, 1}, 1, is_folded, ones, before, "x", "expanded");
    builder.Node("Relu", {"expanded"}, {"a"});
    Append(builder, "depthwise", {kMid, 1, 3, 3}, 11, is_folded, before, after, "a", "filtered");
    builder.Node("Relu", {"filtered"}, {"b"});
    Append(builder, "project", {kIn, kMid, 1, 1}, 21, is_folded, after, ones, "b", "y");
    builder.Output("y", {1, kIn, 6, 6});
    return Opened(builder);
  }
};

TEST(CompareModels, EqualizationOfConvolutionsWithFoldedNormalizationsIsNotDamage) {
  using Block = SeparableBlock;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    for (const bool is_before : {false, true}) {
      for (const bool is_after : {false, true}) {
        const std::vector<float> before = is_before ? Block::Factors(30 * seed) : Block::Ones();
        const std::vector<float> after = is_after ? Block::Factors(30 * seed + 9) : Block::Ones();
        const auto comparison =
            CompareGraphs(Block::Float(), Block::Folded(before, after), {.samples = 0});
        ASSERT_THAT(comparison, Succeeds());
        for (const LayerComparison& layer : comparison->layers) {
          EXPECT_EQ(layer.diagnosis.level, Level::kGreen)
              << layer.name << ", seed " << seed << ", before " << is_before << ", after "
              << is_after;
        }
      }
    }
  }
}

TEST(CompareModels, AFoldedNormalizationIsNotDamage) {
  const std::vector<float> weights = Gaussian(4 * 3 * 9, 5), scales = {2, -0.5f, 1.5f, 0.7f};
  const std::vector<float> bias = {0, 0, 0, 0}, ones = {1, 1, 1, 1};
  testing::OnnxBuilder normalized, folded;
  normalized.Input("x", {1, 3, 8, 8})
      .Weight("w", {4, 3, 3, 3}, weights)
      .Weight("scale", {4}, scales)
      .Weight("zero", {4}, bias)
      .Weight("one", {4}, ones)
      .Node("Conv", {"x", "w"}, {"c"}, {}, "conv")
      .Node("BatchNormalization", {"c", "scale", "zero", "zero", "one"}, {"y"}, {}, "norm")
      .Output("y", {1, 4, 6, 6});
  std::vector<float> scaled = weights;
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= scales[i / 27];
  const Codes codes = Quantized(scaled);
  folded.Input("x", {1, 3, 8, 8})
      .Constant("w_quantized", {4, 3, 3, 3}, testing::OnnxBuilder::kInt8, codes.values)
      .Weight("w_scale", {}, {codes.scale})
      .Weight("b", {4}, bias)
      .Node("DequantizeLinear", {"w_quantized", "w_scale"}, {"w"})
      .Node("Conv", {"x", "w", "b"}, {"y"}, {}, "conv")
      .Output("y", {1, 4, 6, 6});
  const auto comparison = CompareGraphs(Opened(normalized), Opened(folded), {.samples = 0});
  ASSERT_THAT(comparison, Succeeds());
  EXPECT_TRUE(comparison->layers[0].is_rescaled);
  EXPECT_EQ(comparison->layers[0].diagnosis.level, Level::kGreen);
}

TEST(CompareModels, LayersWithoutAPartnerAreListed) {
  Pair pair;
  std::vector<MatMulLayer> more = pair.layers;
  more.push_back({"head", "h", 16, 5, Gaussian(80, 9)});
  const auto comparison =
      CompareGraphs(FloatChain(more), QuantizedChain(pair.layers, pair.codes), {.samples = 0});
  ASSERT_THAT(comparison, Succeeds());
  EXPECT_THAT(comparison->baseline_only, ::testing::ElementsAre("head"));
  EXPECT_THAT(comparison->variant_only, IsEmpty());
}

TEST(CompareModels, ModelsThatHaveNothingInCommonAreRefused) {
  const model::ModelGraph a = FloatChain({{"a", "u", 8, 6, Gaussian(48, 1)}});
  const model::ModelGraph b = FloatChain({{"b", "v", 6, 5, Gaussian(30, 2)}});
  EXPECT_THAT(CompareGraphs(a, b, {.samples = 0}),
              FailsSaying(ErrorCode::kInvalidArgument, "has a partner"));
}

TEST(CompareModels, SharesOfBytesAddUpToTheFiles) {
  const Pair pair;
  const model::ModelGraph a = FloatChain(pair.layers), b = QuantizedChain(pair.layers, pair.codes);
  const auto comparison = CompareGraphs(a, b, {.samples = 0});
  ASSERT_THAT(comparison, Succeeds());
  std::uint64_t before = 0, after = 0;
  for (const ByteShare& share : comparison->bytes) {
    before += share.baseline_bytes;
    after += share.variant_bytes;
    if (share.what == "weights, int8") {
      EXPECT_EQ(share.variant_bytes, 3 * 256u);
    } else if (share.what == "scales and zero points") {
      EXPECT_EQ(share.variant_bytes, 3 * 4u);
    }
  }
  EXPECT_EQ(before, a.file_bytes());
  EXPECT_EQ(after, b.file_bytes());
}

TEST(CompareModels, JsonHasNullForWhatIsInfiniteOrMissing) {
  Pair pair;
  const auto comparison =
      CompareGraphs(FloatChain(pair.layers), FloatChain(pair.layers), {.samples = 0});
  ASSERT_THAT(comparison, Succeeds());
  const std::string json = ToJson(*comparison);
  EXPECT_THAT(json, HasSubstr(R"("weight":{"sqnr_db":null)"));
  EXPECT_THAT(json, HasSubstr(R"("local":null,"accumulated":null)"));
  EXPECT_EQ(json.back(), '\n');
}

}  // namespace
}  // namespace cboard::compare
