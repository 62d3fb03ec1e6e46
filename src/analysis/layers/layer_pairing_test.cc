#include "cboard/analysis/layer_pairing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<LayerTensor> Tensors(const std::vector<std::string>& tags) {
  std::vector<LayerTensor> tensors;
  for (const std::string& tag : tags) {
    tensors.push_back(*ParseLayerTag(tag, RunKind::kTuning));
  }
  return tensors;
}

// Formats a pair as "baseline layer = variant layer (how)".
std::vector<std::string> Pairs(const std::vector<std::string>& baseline_tags,
                               const std::vector<std::string>& variant_tags) {
  const auto baseline = Tensors(baseline_tags);
  const auto variant = Tensors(variant_tags);
  std::vector<std::string> pairs;
  for (const LoggedPair& pair : PairLoggedLayers(baseline, variant).pairs) {
    pairs.push_back(baseline[pair.baseline].layer + " = " + variant[pair.variant].layer + " (" +
                    std::string(NameOf(pair.how)) + ")");
  }
  return pairs;
}

constexpr const char* kGuidePair =
    "v0/cg/conv0/Relu = v0/cg/conv0/conv2d/Conv2D_eightbit_requantize (scope)";

TEST(PairLoggedLayers, PairsTheCaseOfTheTuningGuide) {
  const auto baseline = Tensors({"v0/cg/conv0/Relu_fp32.output"});
  const auto variant = Tensors({"v0/cg/conv0/conv2d/Conv2D_eightbit_requantize_int8.output"});
  const LoggedPairing pairing = PairLoggedLayers(baseline, variant);
  ASSERT_THAT(pairing.pairs, ElementsAre(LoggedPair{0, 0, PairedBy::kScope}));
  EXPECT_EQ(Explain(pairing.pairs[0], baseline, variant),
            "last operation of the chain fused in 'v0/cg/conv0'");
  EXPECT_EQ(FallbackOperation(variant[0]), "v0/cg/conv0/conv2d/Conv2D");
}

TEST(FallbackOperation, IsTheNodeThatALayerIsPartOf) {
  EXPECT_EQ(FallbackOperation({.layer = "/encoder/LSTM/W", .node = "/encoder/LSTM"}),
            "/encoder/LSTM");
  EXPECT_EQ(FallbackOperation({.layer = "/encoder/Conv"}), "/encoder/Conv");
}

// All operators that are inspected in the FP32 graph, with another chain of the same kind.
TEST(PairLoggedLayers, TakesTheLastOperationOfAFusedChain) {
  EXPECT_THAT(
      Pairs({"v0/cg/conv0/conv2d/Conv2D_fp32.output",
             "v0/cg/conv0/batchnorm0/FusedBatchNorm_fp32.output", "v0/cg/conv0/Relu_fp32.output",
             "v0/cg/conv1/conv2d/Conv2D_fp32.output", "v0/cg/conv1/Relu_fp32.output",
             "v0/cg/mpool0/MaxPool_fp32.output"},
            {"v0/cg/conv0/conv2d/Conv2D_eightbit_requantize_int8.output",
             "v0/cg/conv1/conv2d/Conv2D_eightbit_requantize_int8.output",
             "v0/cg/mpool0/MaxPool_eightbit_quantized_int8.output"}),
      UnorderedElementsAre(
          kGuidePair, "v0/cg/conv1/Relu = v0/cg/conv1/conv2d/Conv2D_eightbit_requantize (scope)",
          "v0/cg/mpool0/MaxPool = v0/cg/mpool0/MaxPool_eightbit_quantized (suffix)"));
}

TEST(PairLoggedLayers, KnowsTheScopesOfChainsThatOnlyOneSideLogged) {
  EXPECT_THAT(Pairs({"v0/cg/conv0/Relu_fp32.output", "v0/cg/conv1/Relu_fp32.output"},
                    {"v0/cg/conv1/conv2d/Conv2D_eightbit_requantize_int8.output",
                     "v0/cg/conv0/conv2d/Conv2D_eightbit_requantize_int8.output"}),
              ElementsAre(kGuidePair,
                          "v0/cg/conv1/Relu = "
                          "v0/cg/conv1/conv2d/Conv2D_eightbit_requantize (scope)"));
  EXPECT_THAT(Pairs({"v0/cg/conv0/Relu_fp32.output", "v0/cg/conv1/Relu_fp32.output"},
                    {"v0/cg/conv0/conv2d/Conv2D_eightbit_requantize_int8.output"}),
              ElementsAre(kGuidePair));
}

TEST(PairLoggedLayers, StaysWithTheConvolutionWhereTheScopeIsShared) {
  EXPECT_THAT(Pairs({"block/conv1/Conv2D_fp32.output", "block/conv2/Conv2D_fp32.output",
                     "block/Relu_fp32.output"},
                    {"block/conv1/Conv2D_eightbit_requantize_int8.output",
                     "block/conv2/Conv2D_eightbit_requantize_int8.output"}),
              ElementsAre("block/conv1/Conv2D = block/conv1/Conv2D_eightbit_requantize (suffix)",
                          "block/conv2/Conv2D = block/conv2/Conv2D_eightbit_requantize (suffix)"));
}

TEST(PairLoggedLayers, LeavesAnActivationThatWasNotFusedToItself) {
  EXPECT_THAT(
      Pairs({"c/conv/Conv2D_fp32.output", "c/conv/BiasAdd_fp32.output", "c/Relu_fp32.output"},
            {"c/conv/Conv2D_eightbit_requantize_int8.output", "c/Relu_int8.output"}),
      ElementsAre("c/conv/BiasAdd = c/conv/Conv2D_eightbit_requantize (scope)",
                  "c/Relu = c/Relu (name)"));
}

TEST(PairLoggedLayers, PairsConstantsOfAGraph) {
  EXPECT_THAT(Pairs({"v0/cg/conv0/conv2d/kernel", "v0/cg/conv0/conv2d/bias"},
                    {"v0/cg/conv0/conv2d/kernel_qint8_const", "v0/cg/conv0/conv2d/bias"}),
              ElementsAre("v0/cg/conv0/conv2d = v0/cg/conv0/conv2d (name)",
                          "v0/cg/conv0/conv2d = v0/cg/conv0/conv2d (name)"));
}

TEST(PairLoggedLayers, PairsModulesByNameAcrossPrecisions) {
  EXPECT_THAT(Pairs({"conv1/weight/fp32", "conv1/bias/fp32", "conv1/Output/fp32"},
                    {"conv1/Output/int8", "conv1/weight/int8", "conv1/bias/fp32"}),
              ElementsAre("conv1 = conv1 (name)", "conv1 = conv1 (name)", "conv1 = conv1 (name)"));
}

TEST(PairLoggedLayers, PairsNamesThatLostTheirEndsOnEitherSide) {
  EXPECT_THAT(Pairs({"conv1/Output/fp32", "classifier.1/Output/fp32"},
                    {"1/Output/int8", "lassifier.1/Output/int8"}),
              ElementsAre("conv1 = 1 (stripped_characters)",
                          "classifier.1 = lassifier.1 (stripped_characters)"));
  EXPECT_THAT(Pairs({"1/Output/fp32"}, {"conv1/Output/int8"}),
              ElementsAre("1 = conv1 (stripped_characters)"));
}

TEST(PairLoggedLayers, PairsTheFirstPartOfAFusedModuleWithIt) {
  EXPECT_THAT(Pairs({"conv1/weight/fp32"}, {"conv1.0/weight/int8"}),
              ElementsAre("conv1 = conv1.0 (fused_child)"));
}

TEST(PairLoggedLayers, NamesWhatHasNoPartner) {
  const auto baseline = Tensors({"a/Output/fp32", "b/Output/fp32"});
  const auto variant = Tensors({"b/Output/int8", "c/Output/int8"});
  const LoggedPairing pairing = PairLoggedLayers(baseline, variant);
  EXPECT_THAT(pairing.baseline_only, ElementsAre(0));
  EXPECT_THAT(pairing.variant_only, ElementsAre(1));
}

TEST(PairLoggedLayers, NeverPairsAnOutputWithAWeight) {
  EXPECT_THAT(Pairs({"a/Output/fp32"}, {"a/weight/int8"}), IsEmpty());
}

// A quadratic loop would take minutes for this input.
TEST(PairLoggedLayers, PairsManyLayers) {
  std::vector<std::string> baseline, variant;
  for (int i = 0; i < 20'000; ++i) {
    const std::string scope = "net/block" + std::to_string(i);
    baseline.push_back(scope + "/Relu_fp32.output");
    variant.push_back(scope + "/conv/Conv2D_eightbit_requantize_int8.output");
  }
  EXPECT_EQ(Pairs(baseline, variant).size(), 20'000u);
}

}  // namespace
}  // namespace cboard::analysis
