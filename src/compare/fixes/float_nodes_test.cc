#include "compare/fixes/float_nodes.h"

#include <gmock/gmock.h>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// x -> Mul -> "y" -> MaxPool -> Conv "behind" -> "z", and "y" -> Add "beside", Shape "sizes".
model::ModelGraph Graph() {
  testing::OnnxBuilder builder;
  builder.Input("x", {1, 2, 4, 4})
      .Weight("w", {2, 2, 1, 1}, {1, 2, 3, 4})
      .Node("Mul", {"x", "x"}, {"y"}, {}, "mul")
      .Node("MaxPool", {"y"}, {"pooled"}, {}, "pool")
      .Node("Conv", {"pooled", "w"}, {"z"}, {}, "behind")
      .Node("Add", {"y", "x"}, {"sum"}, {}, "beside")
      .Node("Shape", {"y"}, {"shape"}, {}, "sizes")
      .Output("z", {1, 2, 4, 4});
  return *model::ReadOnnx(model::MappedFile::FromMemory(builder.Bytes(), "m.onnx"));
}

LayerComparison Of(Level level, bool is_output_damaged) {
  const model::ModelGraph graph = Graph();
  LayerComparison layer{.name = "mul", .op_type = "Mul", .diagnosis = {.level = level}};
  AddFloatNodes(graph, graph.FindTensor("y"), is_output_damaged, layer);
  EXPECT_EQ(layer.output_tensor, "y");
  return layer;
}

TEST(FloatNodes, AnOutputStaysInFloatUntilItsValuesAreUsed) {
  EXPECT_THAT(Of(Level::kRed, true).float_nodes,
              UnorderedElementsAre("mul", "pool", "behind", "beside"));
}

TEST(FloatNodes, WeightsStayWithTheirLayerAlone) {
  EXPECT_THAT(Of(Level::kAmber, false).float_nodes, ElementsAre("mul"));
  EXPECT_THAT(Of(Level::kGreen, true).float_nodes, IsEmpty());
}

TEST(FloatNodes, WeightsOfANodeKeepTheNodeInFloat) {
  const model::ModelGraph graph = Graph();
  LayerComparison layer{.name = "mul/W",
                        .variant_name = "mul_quant/W",
                        .weights_name = "W",
                        .diagnosis = {.level = Level::kRed}};
  AddFloatNodes(graph, model::kNoTensor, false, layer);
  EXPECT_EQ(layer.node, "mul");
  EXPECT_THAT(layer.float_nodes, ElementsAre("mul"));
  EXPECT_EQ(VariantNodeOf(layer), "mul_quant");
}

TEST(FloatNodes, AnInputIsNoNode) {
  const model::ModelGraph graph = Graph();
  LayerComparison layer{.name = "x", .op_type = "Input", .diagnosis = {.level = Level::kRed}};
  AddFloatNodes(graph, graph.FindTensor("x"), true, layer);
  EXPECT_THAT(layer.float_nodes, UnorderedElementsAre("mul", "beside"));
}

}  // namespace
}  // namespace cboard::compare
