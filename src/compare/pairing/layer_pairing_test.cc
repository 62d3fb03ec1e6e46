#include "compare/pairing/layer_pairing.h"

#include <gmock/gmock.h>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::OnnxBuilder;
using testing::Succeeds;

LayerPairing Paired(const model::ModelGraph& baseline, const model::ModelGraph& variant) {
  const auto pairing =
      PairLayers(baseline, FindWeightLayers(baseline), variant, FindWeightLayers(variant));
  EXPECT_THAT(pairing, Succeeds());
  return *pairing;
}

// "fc1=fc1_quant (suffix)".
std::vector<std::string> Described(const model::ModelGraph& baseline,
                                   const model::ModelGraph& variant) {
  const auto ours = FindWeightLayers(baseline), theirs = FindWeightLayers(variant);
  std::vector<std::string> pairs;
  for (const LayerPair& pair : Paired(baseline, variant).pairs) {
    pairs.push_back(NameOf(baseline, ours[pair.baseline]) + "=" +
                    NameOf(variant, theirs[pair.variant]) + " (" + std::string(NameOf(pair.how)) +
                    ")");
  }
  return pairs;
}

MatMulLayer Layer(std::string node, std::string weight, unsigned seed) {
  return {std::move(node), std::move(weight), 8, 6, Gaussian(48, seed)};
}

TEST(LayerPairing, TheSameNameIsTheSameLayer) {
  // Although the weights are swapped: names are believed first.
  const model::ModelGraph a = FloatChain({{"fc1", "w1", 6, 6, Gaussian(36, 1)},  //
                                          {"fc2", "w2", 6, 6, Gaussian(36, 2)}});
  const model::ModelGraph b =
      FloatChain({{"fc1", "v1", 6, 6, Gaussian(36, 2)}, {"fc2", "v2", 6, 6, Gaussian(36, 1)}});
  EXPECT_THAT(Described(a, b), ElementsAre("fc1=fc1 (name)", "fc2=fc2 (name)"));
}

TEST(LayerPairing, WhatQuantizationAppendsToANameIsIgnored) {
  const model::ModelGraph a = FloatChain({Layer("fc1", "w", 1)});
  EXPECT_THAT(Described(a, FloatChain({Layer("fc1_quant", "v", 2)})),
              ElementsAre("fc1=fc1_quant (suffix)"));
  EXPECT_THAT(Described(a, FloatChain({Layer("fc1_eightbit_quantized_mat_mul", "v", 2)})),
              ElementsAre("fc1=fc1_eightbit_quantized_mat_mul (suffix)"));
}

TEST(LayerPairing, NamesThatAConverterJoinedAreNamesOfTheLayer) {
  const model::ModelGraph a = FloatChain({{"a/Conv2D", "w1", 6, 6, Gaussian(36, 1)},
                                          {"b/Conv2D", "w2", 6, 6, Gaussian(36, 1)},
                                          {"c/Conv2D", "w3", 6, 6, Gaussian(36, 1)}});
  // A name that two layers contain is no evidence.
  const model::ModelGraph b =
      FloatChain({{"b/Relu;b/BiasAdd;b/Conv2D;c/Conv2D", "v1", 6, 6, Gaussian(36, 3)},
                  {"a/Conv2D;a/Conv2D;c/Conv2D", "v2", 6, 6, Gaussian(36, 4)}});
  EXPECT_THAT(Described(a, b), ElementsAre("a/Conv2D=a/Conv2D;a/Conv2D;c/Conv2D (name)",
                                           "b/Conv2D=b/Relu;b/BiasAdd;b/Conv2D;c/Conv2D (name)"));
}

TEST(LayerPairing, AJoinedNameOfAnotherSizeIsNoPair) {
  const model::ModelGraph a = FloatChain({Layer("a/Conv2D", "w", 1)});
  const model::ModelGraph b = FloatChain({{"a/Conv2D;b/Conv2D", "v", 8, 7, Gaussian(56, 1)}});
  EXPECT_THAT(Described(a, b), IsEmpty());
}

TEST(LayerPairing, WeightsOfTheSameNameMakeAPair) {
  const std::vector<MatMulLayer> before = {Layer("MatMul_3", "fc1.weight", 1)};
  const std::vector<MatMulLayer> after = {Layer("node_17", "fc1.weight", 1)};
  EXPECT_THAT(Described(FloatChain(before), QuantizedChain(after, {Quantized(Gaussian(48, 99))})),
              ElementsAre("MatMul_3=node_17 (weights)"));
}

TEST(LayerPairing, TheOnlyLayerOfItsSizeInAScopeIsThatLayer) {
  const model::ModelGraph a = FloatChain({Layer("/block1/conv/Conv", "w1", 1)});
  const model::ModelGraph b = FloatChain({Layer("/block1/conv/fused_relu", "w2", 2)});
  EXPECT_THAT(Described(a, b), ElementsAre("/block1/conv/Conv=/block1/conv/fused_relu (scope)"));
}

TEST(LayerPairing, RenamedLayersAreFoundByTheirRoundedWeights) {
  std::vector<MatMulLayer> before, after;
  std::vector<Codes> codes;
  constexpr std::size_t kLayers = 40;
  for (std::size_t i = 0; i < kLayers; ++i) {
    const auto number = std::to_string(i);
    before.push_back({"a" + number, "u" + number, 8, 8, Gaussian(64, unsigned(i))});
  }
  for (std::size_t i = 0; i < kLayers; ++i) {  // In another order.
    const std::size_t from = i * 7 % kLayers;
    after.push_back({"b" + std::to_string(from), "v" + std::to_string(from), 8, 8, {}});
    codes.push_back(Quantized(before[from].values));
  }
  const std::vector<std::string> pairs =
      Described(FloatChain(before), QuantizedChain(after, codes));
  ASSERT_EQ(pairs.size(), kLayers);
  for (std::size_t i = 0; i < kLayers; ++i) {
    const auto number = std::to_string(i);
    EXPECT_EQ(pairs[i], "a" + number + "=b" + number + " (content)");
  }
}

TEST(LayerPairing, ContentIsSeenThroughATransposeAndFactorsOfChannels) {
  const std::vector<float> weights = Gaussian(8 * 6, 5);
  std::vector<float> turned(weights.size());
  for (std::size_t in = 0; in < 8; ++in) {
    for (std::size_t out = 0; out < 6; ++out) {
      turned[out * 8 + in] = weights[in * 6 + out] * static_cast<float>(out + 1);
    }
  }
  OnnxBuilder gemm;
  gemm.Input("x", {-1, 8})
      .Weight("folded", {6, 8}, turned)
      .Node("Gemm", {"x", "folded"}, {"y"}, OnnxBuilder::IntAttribute("transB", 1), "gemm")
      .Output("y", {-1, 6});
  EXPECT_THAT(Described(FloatChain({{"fc", "w", 8, 6, weights}}), Opened(gemm)),
              ElementsAre("fc=gemm (content)"));
}

TEST(LayerPairing, AFileOfWeightsHasLayersToo) {
  const std::vector<float> weights = Gaussian(8 * 6, 5);
  const model::ModelGraph model = FloatChain({{"/fc/MatMul", "fc.weight", 8, 6, weights}});
  // Stored as the product uses it, so the second dimension is that of channels.
  const model::ModelGraph stored = OpenedSafetensors({{"fc.weight", {8, 6}, weights}});
  EXPECT_THAT(Described(stored, model), ElementsAre("fc=/fc/MatMul (weights)"));
  const LayerPairing pairing = Paired(stored, model);
  EXPECT_TRUE(pairing.pairs[0].baseline_reading.is_transposed);
  EXPECT_FALSE(pairing.pairs[0].variant_reading.is_transposed);
}

TEST(LayerPairing, ASquareMatrixOfSuchAFileIsTurnedWhenThatIsWhatFits) {
  const std::vector<float> weights = Gaussian(64, 5);
  const model::ModelGraph model = FloatChain({{"/fc/MatMul", "w", 8, 8, weights}});
  const LayerPairing pairing =
      Paired(OpenedSafetensors({{"blk.0.ffn.weight", {8, 8}, weights}}), model);
  ASSERT_EQ(pairing.pairs.size(), 1u);
  EXPECT_EQ(pairing.pairs[0].how, PairedBy::kContent);
  EXPECT_TRUE(pairing.pairs[0].baseline_reading.is_transposed);
}

TEST(LayerPairing, WhatIsUnlikeStaysAlone) {
  const model::ModelGraph a = FloatChain({Layer("fc1", "u", 1)});
  const model::ModelGraph b = FloatChain({Layer("other", "v", 2)});
  const LayerPairing pairing = Paired(a, b);
  EXPECT_THAT(pairing.pairs, IsEmpty());
  EXPECT_THAT(pairing.baseline_only, ElementsAre(0u));
  EXPECT_THAT(pairing.variant_only, ElementsAre(0u));
}

// An RNN whose W and R have the same size.
model::ModelGraph Recurrent(const std::string& node, const std::string& prefix,
                            const std::vector<float>& w, const std::vector<float>& r) {
  OnnxBuilder builder;
  builder.Input("x", {5, 1, 6})
      .Weight(prefix + "w", {1, 6, 6}, w)
      .Weight(prefix + "r", {1, 6, 6}, r)
      .Node("RNN", {"x", prefix + "w", prefix + "r"}, {"y"}, {}, node)
      .Output("y", {5, 1, 1, 6});
  return Opened(builder);
}

TEST(LayerPairing, WeightsOfANodeArePairedEachWithItsOwn) {
  const std::vector<float> w = Gaussian(36, 1), r = Gaussian(36, 2);
  const model::ModelGraph a = Recurrent("net/rnn", "a.", w, r);
  EXPECT_THAT(
      Described(a, Recurrent("net/rnn_quant", "b.", r, w)),
      ElementsAre("net/rnn/W=net/rnn_quant/W (suffix)", "net/rnn/R=net/rnn_quant/R (suffix)"));
  EXPECT_THAT(Described(a, Recurrent("net/other", "b.", w, r)),
              ElementsAre("net/rnn/W=net/other/W (scope)", "net/rnn/R=net/other/R (scope)"));
  // The same weights twice are told apart by what they are.
  const model::ModelGraph same = Recurrent("rnn", "a.", w, w);
  EXPECT_THAT(Described(same, Recurrent("renamed", "b.", w, w)),
              ElementsAre("rnn/W=renamed/W (content)", "rnn/R=renamed/R (content)"));
}

// Both branches of an If take the same weights, which are outside.
model::ModelGraph Branches(const std::string& weight, const std::string& node) {
  OnnxBuilder then_branch, else_branch, builder;
  then_branch.Node("MatMul", {"x", weight}, {"t"}, {}, node).Output("t", {1, 6});
  else_branch.Node("MatMul", {"x", weight}, {"e"}, {}, node).Output("e", {1, 6});
  builder.Input("x", {1, 6})
      .Input("c", {}, 9)
      .Weight(weight, {6, 6}, Gaussian(36, 1))
      .NodeWith("If", {"c"}, {"y"},
                {OnnxBuilder::GraphAttribute("then_branch", then_branch),
                 OnnxBuilder::GraphAttribute("else_branch", else_branch)},
                "if")
      .Output("y", {1, 6});
  return Opened(builder);
}

TEST(LayerPairing, LayersOfBranchesStayInTheirBranch) {
  const model::ModelGraph a = Branches("w", "fc");
  EXPECT_THAT(Described(a, Branches("w", "fc_quant")),
              ElementsAre("if/then_branch/fc=if/then_branch/fc_quant (suffix)",
                          "if/else_branch/fc=if/else_branch/fc_quant (suffix)"));
  EXPECT_THAT(Described(a, Branches("w", "other")),
              ElementsAre("if/then_branch/fc=if/then_branch/other (weights)",
                          "if/else_branch/fc=if/else_branch/other (weights)"));
}

TEST(LayerPairing, WhatIsInNoBranchAnyMoreIsKnownByItsWeights) {
  const model::ModelGraph a = Branches("w", "fc");
  const model::ModelGraph b = FloatChain({{"inlined", "v", 6, 6, Gaussian(36, 1)}});
  EXPECT_THAT(Described(a, b), ElementsAre("if/then_branch/fc=inlined (content)"));
}

TEST(LayerPairing, ANameDoesNotPairLayersOfDifferentSize) {
  const model::ModelGraph a = FloatChain({Layer("fc", "w", 1)});
  const model::ModelGraph b = FloatChain({{"fc", "w", 8, 7, Gaussian(56, 1)}});
  EXPECT_THAT(Described(a, b), IsEmpty());
}

}  // namespace
}  // namespace cboard::compare
