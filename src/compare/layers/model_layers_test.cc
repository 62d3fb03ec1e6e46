#include "compare/layers/model_layers.h"

#include <gmock/gmock.h>

#include "compare/layers/unread_weights.h"
#include "compare/testing/test_models.h"

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
  const model::ModelGraph model = Opened(ConvolutionAndRelu());
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(NameOf(model, layers[0]), "conv");
  EXPECT_EQ(OperatorOf(model, layers[0]), "Conv");
  EXPECT_EQ(model.tensor(layers[0].bias).name, "b");
  EXPECT_EQ(model.tensor(layers[0].product).name, "sum");
  EXPECT_EQ(model.tensor(layers[0].output).name, "y");
  ASSERT_TRUE(layers[0].clamp);
  EXPECT_EQ(layers[0].clamp->low, 0);
  EXPECT_EQ(layers[0].bytes, 9 * sizeof(float));
}

TEST(ModelLayers, AnOutputThatOthersUseIsWhereALayerEnds) {
  OnnxBuilder builder = ConvolutionAndRelu();
  builder.Output("sum", {1, 3, 4, 4});
  const model::ModelGraph model = Opened(builder);
  EXPECT_EQ(model.tensor(FindWeightLayers(model)[0].output).name, "sum");
}

TEST(ModelLayers, TheQuantizerOfAnOutputIsFound) {
  OnnxBuilder builder = ConvolutionAndRelu();
  builder.Weight("s", {}, {0.5f})
      .Node("QuantizeLinear", {"y", "s"}, {"codes"})
      .Node("DequantizeLinear", {"codes", "s"}, {"real"});
  const model::ModelGraph model = Opened(builder);
  // "y" is an output of the graph, and quantized for others.
  const auto quantized = QuantizerOf(model, model.FindTensor("y"));
  ASSERT_TRUE(quantized);
  EXPECT_EQ(model.tensor(quantized->codes).name, "codes");
  EXPECT_EQ(model.tensor(quantized->after).name, "real");
  EXPECT_FALSE(QuantizerOf(model, model.FindTensor("sum")));
}

// An LSTM of two directions, two inputs and one hidden value: 4 rows for each direction.
OnnxBuilder Recurrent() {
  OnnxBuilder builder;
  builder.Input("x", {5, 1, 2})
      .Weight("w", {2, 4, 2}, std::vector<float>(16))
      .Weight("r", {2, 4, 1}, std::vector<float>(8))
      .Weight("b", {2, 8}, std::vector<float>(16))
      .Node("LSTM", {"x", "w", "r", "b"}, {"y"}, {}, "lstm")
      .Node("Relu", {"y"}, {"z"}, {}, "relu")
      .Output("z", {5, 2, 1, 1});
  return builder;
}

TEST(ModelLayers, ARecurrentNodeIsALayerForEachOfItsWeights) {
  const model::ModelGraph model = Opened(Recurrent());
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(NameOf(model, layers[0]), "lstm/W");
  EXPECT_EQ(NameOf(model, layers[1]), "lstm/R");
  EXPECT_EQ(SizeOf(model, layers[0]), (WeightSize{.channels = 8, .elements = 16}));
  EXPECT_EQ(SizeOf(model, layers[1]), (WeightSize{.channels = 8, .elements = 8}));
}

TEST(ModelLayers, TheFirstOfANodesLayersHasWhatTheyShare) {
  const model::ModelGraph model = Opened(Recurrent());
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 2u);
  // The next node is not linear in the weights, so the layer ends before it.
  EXPECT_EQ(model.tensor(layers[0].output).name, "y");
  EXPECT_FALSE(layers[0].clamp);
  EXPECT_EQ(layers[1].output, model::kNoTensor);
  EXPECT_EQ(layers[0].bytes, (16 + 16) * sizeof(float));
  EXPECT_EQ(layers[1].bytes, 8 * sizeof(float));
}

// Words by their numbers, with a table of whole numbers and a choice of columns beside them.
TEST(ModelLayers, ATableOfWhichRowsAreChosenIsALayer) {
  OnnxBuilder builder;
  builder.Input("ids", {4})
      .Weight("words", {5, 3}, std::vector<float>(15))
      .Weight("p", {3}, {1, 2, 3})
      .Constant<std::int64_t>("steps", {2, 2}, OnnxBuilder::kInt64, {1, 2, 3, 4})
      .Constant<std::uint8_t>("mask", {2, 2}, OnnxBuilder::kBool, {1, 0, 0, 1})
      .Node("Gather", {"words", "ids"}, {"word"}, {}, "embedding")
      .Node("Add", {"word", "p"}, {"sum"}, {}, "add")
      .Node("Gather", {"steps", "ids"}, {"step"}, {}, "positions")
      .Node("Gather", {"mask", "ids"}, {"masked"}, {}, "masks")
      .Node("Gather", {"words", "ids"}, {"column"}, OnnxBuilder::IntAttribute("axis", 1), "columns")
      .Output("sum", {4, 3});
  const model::ModelGraph model = Opened(builder);
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(NameOf(model, layers[0]), "embedding");
  EXPECT_TRUE(layers[0].is_table);
  EXPECT_EQ(SizeOf(model, layers[0]), (WeightSize{.channels = 3, .elements = 15}));
  EXPECT_EQ(model.tensor(layers[0].output).name, "word");  // The added tensor is not a bias.
}

TEST(ModelLayers, LayersInBodiesEndInTheirBody) {
  OnnxBuilder then_branch, else_branch, builder;
  then_branch.Weight("inner", {2, 2}, {1, 2, 3, 4})
      .Node("MatMul", {"x", "inner"}, {"p"}, {}, "product")
      .Node("Relu", {"p"}, {"t"}, {}, "relu")
      .Output("t", {1, 2});
  else_branch.Node("MatMul", {"x", "outer"}, {"e"}, {}, "product").Output("e", {1, 2});
  builder.Input("x", {1, 2})
      .Input("c", {}, 9)
      .Weight("outer", {2, 2}, {5, 6, 7, 8})
      .NodeWith("If", {"c"}, {"y"},
                {OnnxBuilder::GraphAttribute("then_branch", then_branch),
                 OnnxBuilder::GraphAttribute("else_branch", else_branch)},
                "choose")
      .Node("Relu", {"y"}, {"z"}, {}, "behind")
      .Output("z", {1, 2});
  const model::ModelGraph model = Opened(builder);
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(NameOf(model, layers[0]), "choose/then_branch/product");
  EXPECT_TRUE(layers[0].clamp);
  EXPECT_EQ(NameOf(model, layers[1]), "choose/else_branch/product");
  EXPECT_FALSE(layers[1].clamp);
  EXPECT_EQ(model.tensor(layers[1].weight).name, "outer");
  EXPECT_TRUE(IsInBody(model, layers[0]) && IsInBody(model, layers[1]));
}

TEST(ModelLayers, FilesOfWeightsHaveALayerForEachMatrix) {
  const model::ModelGraph model = OpenedSafetensors(
      {{"fc.weight", {2, 2}, {1, 2, 3, 4}}, {"fc.bias", {2}, {1, 2}}, {"norm", {2}, {1, 1}}});
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(NameOf(model, layers[0]), "fc");
  EXPECT_EQ(model.tensor(layers[0].bias).name, "fc.bias");
  EXPECT_EQ(layers[0].bytes, 24u);
}

TEST(ModelLayers, SuffixesOfQuantizersAreTakenOffOneByOne) {
  EXPECT_EQ(WithoutQuantizationSuffix("conv1.weight_quantized"), "conv1.weight");
  EXPECT_EQ(WithoutQuantizationSuffix("y_DequantizeLinear_Output"), "y");
  EXPECT_EQ(WithoutQuantizationSuffix("y_quantized_DequantizeLinear"), "y");
  EXPECT_EQ(WithoutQuantizationSuffix("cg/conv0/Conv2D_eightbit_requantize"), "cg/conv0/Conv2D");
  EXPECT_EQ(WithoutQuantizationSuffix("_quant"), "_quant");
  EXPECT_EQ(WithoutQuantizationSuffix("plain"), "plain");
}

TEST(ModelLayers, CodesOfNoKnownScaleAreNoWeights) {
  const auto product = [](const std::string& scale) {
    OnnxBuilder builder;
    builder.Input("x", {1, 3})
        .Input("any", {})
        .Constant("w", {3, 2}, OnnxBuilder::kInt8, std::vector<std::int8_t>{1, 2, 3, 4, 5, 6})
        .Weight("one", {}, {0.1f})
        .Node("DynamicQuantizeLinear", {"x"}, {"codes", "step", "zero"})
        .Node("MatMulInteger", {"codes", "w", "zero"}, {"sums"}, {}, "fc")
        .Node("Cast", {"sums"}, {"cast"}, OnnxBuilder::IntAttribute("to", OnnxBuilder::kFloat))
        .Node("Mul", {"step", scale}, {"steps"})
        .Node("Mul", {"cast", "steps"}, {"y"})
        .Output("y", {1, 2});
    return Opened(builder);
  };
  EXPECT_EQ(FindWeightLayers(product("one")).size(), 1u);
  EXPECT_TRUE(UnreadWeights(product("one")).empty());
  EXPECT_TRUE(FindWeightLayers(product("any")).empty());
  EXPECT_THAT(
      UnreadWeights(product("any")),
      ElementsAre(::testing::HasSubstr("its weights are integers, and their scale was not found")));
}

}  // namespace
}  // namespace cboard::compare
