#include "cboard/analysis/graph_facts.h"

#include <gmock/gmock.h>

#include "analysis/testing/graph_builder.h"
#include "cboard/analysis/running_memory.h"

namespace cboard::analysis {
namespace {

using proto::Attribute;
using proto::DataType;
using ::testing::ElementsAre;

std::vector<std::pair<std::string, Attribute>> Weight(DataType type, proto::Shape shape) {
  return {{"dtype", Attribute::Type(type)}, {"shape", Attribute::EncodedShape(shape)}};
}

TEST(BitsOfType, ReadsAnyName) {
  for (const char* name : {"FLOAT", "DT_FLOAT", "float32", "f32", "torch.float32"}) {
    EXPECT_EQ(BitsOfType(name), 32) << name;
  }
  for (const char* name : {"QINT8", "int8", "UINT8", "quint8", "float8_e4m3fn", "i8"}) {
    EXPECT_EQ(BitsOfType(name), 8) << name;
  }
  EXPECT_EQ(BitsOfType("uint4"), 4);
  EXPECT_EQ(BitsOfType("bfloat16"), 16);
  for (const char* name : {"", "STRING", "8", "resource", "VARIANT", "int99"}) {
    EXPECT_EQ(BitsOfType(name), 0) << name;
  }
}

TEST(MeasureGraph, SaysWidthsOfWeightsAndActivations) {
  const auto graph =
      Measured({{"x", "Placeholder", {}, {{"dtype", Attribute::Type(DataType::kFloat)}}},
                {"q", "QuantizeLinear", {"x", "scale"}},
                {"scale", "Const", {}, Weight(DataType::kFloat, {})},
                {"w", "Const", {}, Weight(DataType::kInt8, {64, 3, 3, 3})},
                {"conv", "QLinearConv", {"q", "scale", "w"}},
                {"relu", "Relu", {"x"}}});
  EXPECT_EQ(graph->facts[4].weight_bits, 8);
  EXPECT_EQ(graph->facts[4].activation_bits, 8);
  EXPECT_EQ(graph->facts[4].weight_bytes, 64u * 27);
  EXPECT_EQ(graph->facts[5].activation_bits, 32) << "as its input";
  EXPECT_TRUE(graph->facts[3].constant);
}

TEST(MeasureGraph, LooksThroughTheDequantizeOfAWeight) {
  const auto graph = Measured({{"w", "Const", {}, Weight(DataType::kInt8, {8, 8})},
                               {"dq", "DequantizeLinear", {"w"}},
                               {"conv", "Conv", {"dq"}}});
  EXPECT_EQ(graph->facts[2].weight_bits, 8);
  EXPECT_EQ(graph->facts[2].weight_bytes, 64u);
}

TEST(MeasureGraph, CountsWhatIsMadeOfConstantsAsConstant) {
  const auto graph = Measured({{"w", "Const", {}, Weight(DataType::kFloat, {8, 8})},
                               {"list", "prim::ListConstruct", {"one", "one"}},
                               // Listed before the nodes that it uses.
                               {"dq", "DequantizeLinear", {"q"}},
                               {"q", "QuantizeLinear", {"w"}},
                               {"x", "Placeholder"},
                               {"activation", "DequantizeLinear", {"x"}},
                               {"lone", "DequantizeLinear"},  // Its constant is an attribute.
                               {"conv", "Conv", {"activation", "dq", "lone", "list"}},
                               {"one", "prim::Constant"}});
  for (const std::size_t node : {1u, 2u, 3u, 6u}) EXPECT_TRUE(graph->facts[node].constant) << node;
  for (const std::size_t node : {4u, 5u, 7u}) EXPECT_FALSE(graph->facts[node].constant) << node;
  EXPECT_EQ(graph->facts[7].weight_bits, 8) << "rounded to codes, though stored as floats";
  EXPECT_EQ(graph->facts[7].weight_bytes, 256u);
}

TEST(MeasureGraph, ReadsTheNotesOfStageLogs) {
  const std::string conv = "net/Conv2D_1/conv1";
  const auto graph = Measured({{conv + ".weights", "", {}, {{"weights_n_bits", Attribute::Int(4)}}},
                               {conv, "Conv2D", {"x", conv + ".weights:1"}},
                               {conv + ".activation", "", {conv}, {{"n_bits", Attribute::Int(6)}}},
                               {"relu", "ReLU", {conv + ".activation"}},
                               {"x", "Input"}});
  EXPECT_EQ(graph->facts[1].weight_bits, 4);
  EXPECT_EQ(graph->facts[1].activation_bits, 6);
  EXPECT_EQ(graph->facts[0].annotates, 1u);
  ASSERT_EQ(graph->graph.edges.size(), 2u) << "notes stand in nobody's way";
  EXPECT_EQ(graph->graph.edges[0].to, 1u);
  EXPECT_EQ(graph->graph.edges[1].from, 1u);
  EXPECT_EQ(graph->graph.edges[1].to, 3u);
}

TEST(MeasureGraph, TakesNoOperationForADevice) {
  const auto graph = Measured({{"conv", "Conv", {}, {}, "Conv"},
                               {"w", "Const", {}, {}, "float32"},
                               {"fc", "Gemm", {}, {}, "/device:GPU:0"}});
  EXPECT_EQ(graph->graph.nodes[0].device, "");
  EXPECT_EQ(graph->graph.nodes[1].device, "");
  EXPECT_EQ(graph->graph.nodes[2].device, "/device:GPU:0");
}

TEST(MeasureGraph, StaysCalmAboutHostileShapes) {
  const std::int64_t huge = std::int64_t{1} << 62;
  const auto graph =
      Measured({{"w", "Const", {}, Weight(DataType::kFloat, {huge, huge, huge})},
                {"y", "Conv", {"w"}, {{"_output_shapes", Attribute::ShapeList({{huge, huge}})}}}});
  EXPECT_LE(graph->facts[1].weight_bytes, std::uint64_t{1} << 50);
  EXPECT_LE(graph->facts[1].output_bytes, std::uint64_t{1} << 50);
}

std::vector<std::pair<std::string, Attribute>> Floats(std::int64_t count) {
  return {{"_output_shapes", Attribute::ShapeList({{-1, count}})},
          {"dtype", Attribute::Type(DataType::kFloat)}};
}

TEST(RunMemory, KeepsValuesUntilTheirLastUse) {
  const auto graph = Measured({{"x", "Placeholder", {}, Floats(10)},
                               {"a", "Conv", {"x"}, Floats(20)},
                               {"b", "Conv", {"a"}, Floats(5)},
                               {"y", "Add", {"b", "x"}, Floats(1)}});
  const RunningMemory memory = RunMemory(*graph);
  // Memory after each node: x; x and a; x, a and b; x, b and y.
  EXPECT_THAT(memory.bytes, ElementsAre(40, 120, 140, 64));
  EXPECT_EQ(memory.peak, 2u);
}

// A quantized convolution in ONNX's notation: float values between DequantizeLinear and
// QuantizeLinear.
std::vector<TestNode> Qdq(DataType weights) {
  return {{"x", "Placeholder", {}, Floats(10)},
          {"x_q", "QuantizeLinear", {"x"}, Floats(10)},
          {"x_dq", "DequantizeLinear", {"x_q"}, Floats(10)},
          {"w", "Const", {}, Weight(weights, {64})},
          {"w_dq", "DequantizeLinear", {"w"}, Floats(1000)},
          {"conv", "Conv", {"x_dq", "w_dq"}, Floats(20)},
          {"relu", "Relu", {"conv"}, Floats(20)},
          {"y_q", "QuantizeLinear", {"relu"}, Floats(20)},
          {"y", "DequantizeLinear", {"y_q"}, Floats(20)}};
}

TEST(MeasureGraph, SeesCodesBetweenDequantizeAndQuantize) {
  const auto quantized = Measured(Qdq(DataType::kInt8));
  for (const std::size_t node : {2u, 5u, 6u, 7u}) {
    EXPECT_EQ(quantized->facts[node].activation_bits, 8) << quantized->graph.nodes[node].name;
  }
  EXPECT_EQ(quantized->facts[5].weight_bits, 8);
  EXPECT_EQ(quantized->facts[0].activation_bits, 32) << "the input comes as floats";
  EXPECT_EQ(quantized->facts[8].activation_bits, 32) << "the result is given as floats";

  const auto kept = Measured(Qdq(DataType::kFloat));
  EXPECT_EQ(kept->facts[5].activation_bits, 32) << "no kernel for codes has float weights";
}

TEST(RunMemory, CountsCodesOnceAndNoWeights) {
  // Memory after each node: x; x and its codes; the codes; the codes of x and of conv with relu;
  // the codes of y; y.
  EXPECT_THAT(RunMemory(*Measured(Qdq(DataType::kInt8))).bytes,
              ElementsAre(40, 50, 10, 30, 40, 20, 100));
}

TEST(RunMemory, RunsInAnOrderThatIsPossible) {
  const auto graph = Measured({{"y", "Add", {"x"}, Floats(1)},
                               {"x", "Op", {}, Floats(1)},
                               {"c1", "Op", {"c2"}},
                               {"c2", "Op", {"c1"}}});
  EXPECT_THAT(RunMemory(*graph).nodes, ElementsAre(1, 0, 2, 3)) << "circles come last";
  EXPECT_EQ(RunMemory(*graph).unknown_shapes, 2u);
}

TEST(RunMemory, LeavesConstantsOut) {
  const auto graph = Measured(
      {{"w", "Const", {}, Weight(DataType::kFloat, {100})}, {"y", "Op", {"w"}, Floats(2)}});
  EXPECT_THAT(RunMemory(*graph).bytes, ElementsAre(8));
}

}  // namespace
}  // namespace cboard::analysis
