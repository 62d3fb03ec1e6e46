#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cboard/analysis/layers.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;

// Formats a tag as: layer | role | parameter | variant.
std::string Parsed(std::string_view tag, RunKind kind = RunKind::kAny) {
  const auto tensor = ParseLayerTag(tag, kind);
  if (!tensor) return "nothing";
  return tensor->layer + " | " + std::string(NameOf(tensor->role)) + " | " + tensor->parameter +
         " | " + tensor->variant;
}

TEST(ParseLayerTag, ReadsNeuralCompressorsPyTorchTags) {
  EXPECT_EQ(Parsed("layer1.0.conv1/Output/fp32"), "layer1.0.conv1 | output |  | fp32");
  EXPECT_EQ(Parsed("conv1/Output/int8"), "conv1 | output |  | int8");
  EXPECT_EQ(Parsed("conv1/weight/int8"), "conv1 | weight | weight | int8");
  EXPECT_EQ(Parsed("conv1/bias/fp32"), "conv1 | parameter | bias | fp32");
  EXPECT_EQ(Parsed("conv1/scale/fp32"), "conv1 | parameter | scale | fp32");
  EXPECT_EQ(Parsed("fc/int8"), "fc | weight |  | int8");
}

TEST(ParseLayerTag, ReadsNeuralCompressorsTensorFlowTags) {
  EXPECT_EQ(Parsed("v0/cg/conv0/Relu_fp32.output"), "v0/cg/conv0/Relu | output |  | fp32");
  EXPECT_EQ(Parsed("v0/cg/conv0/conv2d/Conv2D_eightbit_requantize_int8.output"),
            "v0/cg/conv0/conv2d/Conv2D_eightbit_requantize | output |  | int8");
  EXPECT_EQ(Parsed("v0/cg/conv0/conv2d/kernel", RunKind::kTuning),
            "v0/cg/conv0/conv2d | weight | kernel | ");
  EXPECT_EQ(Parsed("v0/cg/conv0/conv2d/kernel_qint8_const", RunKind::kTuning),
            "v0/cg/conv0/conv2d | weight | kernel | ");
}

TEST(ParseLayerTag, TakesEveryHistogramOfAStageForAnOutput) {
  EXPECT_EQ(Parsed("conv1", RunKind::kStage), "conv1 | output |  | ");
  EXPECT_EQ(Parsed("block/int8", RunKind::kStage), "block/int8 | output |  | ");
}

TEST(ParseLayerTag, ReadsOurOwnTags) {
  const auto tensor = ParseLayerTag("facebook/opt/layers/decoder/fc1/output/w4a8");
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->model, "facebook/opt");
  EXPECT_EQ(tensor->layer, "decoder/fc1");
  EXPECT_EQ(tensor->role, TensorRole::kOutput);
  EXPECT_EQ(tensor->variant, "w4a8");
  EXPECT_EQ(Parsed("alexnet/layers/features.3/weight/int8"), "features.3 | weight | weight | int8");
}

TEST(ParseLayerTag, LeavesOtherHistogramsAlone) {
  for (const char* tag : {"", "gradients", "alexnet/latency_distribution/fp32", "a/b/c", "fp32",
                          "_fp32.output", "m/layers/x", "m/layers/x/int8"}) {
    const std::string parsed = Parsed(tag);
    if (std::string_view(tag) == "m/layers/x/int8") continue;  // The name of the module is x.
    EXPECT_EQ(parsed, "nothing") << tag;
  }
}

// Python's results for these names.
TEST(StripObserverCharacters, StripsAsPythonDoes) {
  EXPECT_EQ(StripObserverCharacters("conv1"), "1");
  EXPECT_EQ(StripObserverCharacters("fc"), "f");
  EXPECT_EQ(StripObserverCharacters("stem.conv"), "m");
  EXPECT_EQ(StripObserverCharacters("classifier.1"), "lassifier.1");
  EXPECT_EQ(StripObserverCharacters("conv"), "");
  EXPECT_EQ(StripObserverCharacters(""), "");
}

std::vector<std::string> LayersOf(const std::vector<LayerTensor>& tensors) {
  std::vector<std::string> layers;
  for (const LayerTensor& tensor : tensors) layers.push_back(tensor.layer);
  return layers;
}

std::vector<LayerTensor> TensorsOf(const std::vector<const char*>& tags) {
  std::vector<LayerTensor> tensors;
  for (const char* tag : tags) tensors.push_back(*ParseLayerTag(tag));
  return tensors;
}

TEST(RecoverStrippedNames, GivesOutputsTheNamesOfTheirParameters) {
  auto tensors = TensorsOf({"1/Output/int8", "lassifier.1/Output/int8", "conv1/weight/int8",
                            "conv1/bias/fp32", "classifier.1/weight/int8"});
  RecoverStrippedNames(tensors);
  EXPECT_THAT(LayersOf(tensors),
              ElementsAre("conv1", "classifier.1", "conv1", "conv1", "classifier.1"));
  EXPECT_EQ(tensors[0].logged_layer, "1");
  EXPECT_EQ(tensors[0].tag, "1/Output/int8");
}

TEST(RecoverStrippedNames, LeavesNamesThatSeveralLayersMayHaveLost) {
  auto tensors = TensorsOf({"1/Output/int8", "conv1/weight/int8", "act1/weight/int8"});
  RecoverStrippedNames(tensors);
  EXPECT_EQ(tensors[0].layer, "1");
}

TEST(RecoverStrippedNames, LeavesIntactNames) {
  auto tensors = TensorsOf({"layer1/Output/int8", "layer1/weight/int8"});
  RecoverStrippedNames(tensors);
  EXPECT_EQ(tensors[0].layer, "layer1");
  EXPECT_EQ(tensors[0].logged_layer, "");
}

TEST(OriginalName, TakesOffWhatQuantizersAppend) {
  EXPECT_EQ(OriginalName("a/Conv2D_eightbit_requantize"), "a/Conv2D");
  EXPECT_EQ(OriginalName("a/dw_eightbit_quantized_depthwise_conv"), "a/dw");
  EXPECT_EQ(OriginalName("a/MatMul_eightbit_quantized_mat_mul"), "a/MatMul");
  EXPECT_EQ(OriginalName("a/x_eightbit_min_input"), "a/x");
  EXPECT_EQ(OriginalName("a/kernel_qint8_const"), "a/kernel");
  EXPECT_EQ(OriginalName("a/x_dequantize"), "a/x");
  EXPECT_EQ(OriginalName("t_DequantizeLinear_Output_1"), "t");
  EXPECT_EQ(OriginalName("a/Relu"), "a/Relu");
  EXPECT_EQ(OriginalName("a/_eightbit_requantize"), "a/_eightbit_requantize");
  EXPECT_EQ(OriginalName(""), "");
}

TEST(RecoverStrippedNames, KnowsWhatIsLeftOfTheStubsOfPyTorch) {
  std::vector<LayerTensor> tensors;
  for (const char* tag : {"conv1/weight/fp32", "1/Output/fp32", "qu/Output/fp32",
                          "dequ/Output/fp32", "block.qu/Output/fp32"}) {
    tensors.push_back(*ParseLayerTag(tag));
  }
  RecoverStrippedNames(tensors);
  EXPECT_EQ(tensors[1].layer, "conv1");
  EXPECT_EQ(tensors[2].layer, "quant");
  EXPECT_EQ(tensors[2].logged_layer, "qu");
  EXPECT_EQ(tensors[3].layer, "dequant");
  EXPECT_EQ(tensors[4].layer, "block.quant");
}

}  // namespace
}  // namespace cboard::analysis
