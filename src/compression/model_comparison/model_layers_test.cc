#include "compression/model_comparison/model_layers.h"

#include <gmock/gmock.h>

#include "compression/model_comparison/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::ElementsAre;
using testing::OnnxBuilder;
using testing::Succeeds;

OnnxBuilder ConvolutionAndRelu() {
  OnnxBuilder builder;
  builder.Input("x", {1, 2, 4, 4})
      .Weight("w", {3, 2, 1, 1}, {1, 2, 3, 4, 5, 6})
      .Weight("b", {3}, {1, 2, 3})
      .Node("Conv", {"x", "w", "b"}, {"sum"}, {}, "conv")
      .Node("Relu", {"sum"}, {"y"}, {}, "relu")
      .Output("y", {1, 3, 4, 4});
  return builder;
}

TEST(ModelLayers, ALayerEndsBehindTheActivationThatFollows) {
  const ModelGraph model = Opened(ConvolutionAndRelu());
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(NameOf(model, layers[0]), "conv");
  EXPECT_EQ(OperatorOf(model, layers[0]), "Conv");
  EXPECT_EQ(model.tensor(layers[0].bias).name, "b");
  EXPECT_EQ(model.tensor(layers[0].product).name, "sum");
  EXPECT_EQ(model.tensor(layers[0].output).name, "y");
  ASSERT_TRUE(layers[0].clamp);
  EXPECT_EQ(layers[0].clamp->low, 0);
  EXPECT_EQ(BytesOf(model, layers[0]), 9 * sizeof(float));
}

TEST(ModelLayers, AnOutputThatOthersUseIsWhereALayerEnds) {
  OnnxBuilder builder = ConvolutionAndRelu();
  builder.Output("sum", {1, 3, 4, 4});
  const ModelGraph model = Opened(builder);
  EXPECT_EQ(model.tensor(FindWeightLayers(model)[0].output).name, "sum");
}

TEST(ModelLayers, TheQuantizerOfAnOutputIsFound) {
  OnnxBuilder builder = ConvolutionAndRelu();
  builder.Weight("s", {}, {0.5f})
      .Node("QuantizeLinear", {"y", "s"}, {"codes"})
      .Node("DequantizeLinear", {"codes", "s"}, {"real"});
  const ModelGraph model = Opened(builder);
  // "y" is an output of the graph, and quantized for others.
  const auto quantized = QuantizerOf(model, model.FindTensor("y"));
  ASSERT_TRUE(quantized);
  EXPECT_EQ(model.tensor(quantized->codes).name, "codes");
  EXPECT_EQ(model.tensor(quantized->after).name, "real");
  EXPECT_FALSE(QuantizerOf(model, model.FindTensor("sum")));
}

TEST(ModelLayers, RowsAreOutputChannelsHoweverTheFileOrdersThem) {
  // 2 outputs, 2 inputs, 3 pixels: value = 100 output + 10 input + pixel.
  const std::vector<float> want = {0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112};
  const auto read = [](std::vector<std::int64_t> shape, const std::vector<float>& values,
                       std::size_t channel_axis, std::optional<std::size_t> input_axis) {
    const ModelGraph model = OpenedSafetensors({{"w", std::move(shape), values}});
    const ModelLayer layer{
        .weight = TensorId{0}, .channel_axis = channel_axis, .input_axis = input_axis};
    const auto rows = ReadRows(model, layer);
    EXPECT_THAT(rows, Succeeds());
    EXPECT_EQ(ToStoredOrder(model, layer, *rows), values);  // And back.
    EXPECT_EQ(rows->channels, 2u);
    EXPECT_EQ(rows->row, 6u);
    return rows->values;
  };
  EXPECT_EQ(read({2, 2, 3, 1}, want, 0, {}), want);
  EXPECT_EQ(read({2, 3, 1, 2}, {0, 10, 1, 11, 2, 12, 100, 110, 101, 111, 102, 112}, 0, 3), want);
  EXPECT_EQ(read({3, 1, 2, 2}, {0, 100, 10, 110, 1, 101, 11, 111, 2, 102, 12, 112}, 3, 2), want);
  EXPECT_EQ(read({2, 2, 3, 1}, {0, 1, 2, 100, 101, 102, 10, 11, 12, 110, 111, 112}, 1, {}), want);
}

TEST(ModelLayers, FilesOfWeightsHaveALayerForEachMatrix) {
  const ModelGraph model = OpenedSafetensors(
      {{"fc.weight", {2, 2}, {1, 2, 3, 4}}, {"fc.bias", {2}, {1, 2}}, {"norm", {2}, {1, 1}}});
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(NameOf(model, layers[0]), "fc");
  EXPECT_EQ(model.tensor(layers[0].bias).name, "fc.bias");
  EXPECT_EQ(BytesOf(model, layers[0]), 24u);
}

TEST(ModelLayers, SuffixesOfQuantizersAreTakenOffOneByOne) {
  EXPECT_EQ(WithoutQuantizationSuffix("conv1.weight_quantized"), "conv1.weight");
  EXPECT_EQ(WithoutQuantizationSuffix("y_DequantizeLinear_Output"), "y");
  EXPECT_EQ(WithoutQuantizationSuffix("y_quantized_DequantizeLinear"), "y");
  EXPECT_EQ(WithoutQuantizationSuffix("cg/conv0/Conv2D_eightbit_requantize"), "cg/conv0/Conv2D");
  EXPECT_EQ(WithoutQuantizationSuffix("_quant"), "_quant");
  EXPECT_EQ(WithoutQuantizationSuffix("plain"), "plain");
}

}  // namespace
}  // namespace cboard::compare
