// libprotobuf reads the graphs and run metadata that we write, and writes the same bytes.
#include <gmock/gmock.h>

#include "cboard/proto/graph.h"
#include "cboard/proto/run_metadata.h"
#include "proto/testing/protobuf_oracle.h"

namespace cboard::proto {
namespace {

using ::testing::ElementsAre;
using testing::ParsedByProtobuf;

cboard_testing::AttrValue ParsedAttribute(const Attribute& attribute) {
  return ParsedByProtobuf<cboard_testing::AttrValue>(attribute.bytes());
}

TEST(AttributeOracle, SingleValues) {
  EXPECT_EQ(ParsedAttribute(Attribute::String("\xff")).s(), "\xff");
  EXPECT_EQ(ParsedAttribute(Attribute::Int(-5)).i(), -5);
  EXPECT_EQ(ParsedAttribute(Attribute::Float(0.5f)).f(), 0.5f);
  EXPECT_TRUE(ParsedAttribute(Attribute::Bool(true)).b());
  EXPECT_EQ(ParsedAttribute(Attribute::Type(DataType::kHalf)).type(), 19);
  EXPECT_EQ(ParsedAttribute(Attribute::TypeNumber(16)).type(), 16);
  EXPECT_EQ(ParsedAttribute(Attribute::EncodedShape({1, -1})).shape().dim(1).size(), -1);
  const std::vector<float> floats = {2};
  EXPECT_EQ(ParsedAttribute(Attribute::EncodedTensor(EncodeFloatTensor(Shape{1}, floats)))
                .tensor()
                .float_val(0),
            2);
}

TEST(AttributeOracle, DefaultsAreMembersToo) {
  using Value = cboard_testing::AttrValue;
  EXPECT_EQ(ParsedAttribute(Attribute::String("")).value_case(), Value::kS);
  EXPECT_EQ(ParsedAttribute(Attribute::Int(0)).value_case(), Value::kI);
  EXPECT_EQ(ParsedAttribute(Attribute::Float(0)).value_case(), Value::kF);
  EXPECT_EQ(ParsedAttribute(Attribute::Bool(false)).value_case(), Value::kB);
  EXPECT_EQ(ParsedAttribute(Attribute::Type(DataType::kInvalid)).value_case(), Value::kType);
  EXPECT_EQ(ParsedAttribute(Attribute::EncodedShape({})).value_case(), Value::kShape);
  EXPECT_EQ(ParsedAttribute(Attribute::IntList({})).value_case(), Value::kList);
}

TEST(AttributeOracle, Lists) {
  EXPECT_THAT(ParsedAttribute(Attribute::StringList({"", "\xff"})).list().s(),
              ElementsAre("", "\xff"));
  EXPECT_THAT(ParsedAttribute(Attribute::IntList({0, -1, 300})).list().i(),
              ElementsAre(0, -1, 300));
  EXPECT_THAT(ParsedAttribute(Attribute::FloatList({1.5f, 0})).list().f(), ElementsAre(1.5f, 0.f));
  EXPECT_THAT(ParsedAttribute(Attribute::BoolList({true, false})).list().b(),
              ElementsAre(true, false));
  EXPECT_THAT(
      ParsedAttribute(Attribute::TypeList({DataType::kFloat, DataType::kInt4})).list().type(),
      ElementsAre(1, 29));
  const auto shapes = ParsedAttribute(Attribute::ShapeList({{}, {7}})).list();
  ASSERT_EQ(shapes.shape_size(), 2);
  EXPECT_EQ(shapes.shape(0).dim_size(), 0);
  EXPECT_EQ(shapes.shape(1).dim(0).size(), 7);
  const auto tensors =
      ParsedAttribute(Attribute::TensorList({EncodeRawTensor(DataType::kInt8, {}, "a")})).list();
  EXPECT_EQ(tensors.tensor(0).tensor_content(), "a");
}

TEST(GraphOracle, NodesWithEverything) {
  GraphBuilder builder;
  builder.AddNode({.name = "conv\xff",
                   .op = "Conv",
                   .inputs = {"x", "", "^w"},
                   .device = "/cpu:0",
                   .attributes = {{"z", Attribute::Int(1)},
                                  {"_output_shapes", Attribute::ShapeList({{1, 3}})},
                                  {"B", Attribute::String("c")},
                                  {"", Attribute::Bool(false)}}});
  builder.AddNode({.name = {}, .op = {}, .inputs = {}, .device = {}, .attributes = {}});
  const auto graph = ParsedByProtobuf<cboard_testing::GraphDef>(builder.Encode());
  EXPECT_EQ(graph.versions().producer(), 22);
  ASSERT_EQ(graph.node_size(), 2);
  EXPECT_EQ(graph.node(0).name(), "conv\xEF\xBF\xBD");
  EXPECT_EQ(graph.node(0).op(), "Conv");
  EXPECT_THAT(graph.node(0).input(), ElementsAre("x", "", "^w"));
  EXPECT_EQ(graph.node(0).device(), "/cpu:0");
  ASSERT_EQ(graph.node(0).attr_size(), 4);
  EXPECT_EQ(graph.node(0).attr().at("z").i(), 1);
  EXPECT_EQ(graph.node(0).attr().at("B").s(), "c");
  EXPECT_EQ(graph.node(0).attr().at("_output_shapes").list().shape(0).dim(1).size(), 3);
}

TEST(RunMetadataOracle, MemoryTimeAndShapes) {
  const std::vector<NodeStats> nodes = {{.node_name = "conv1",
                                         .all_start_micros = 100,
                                         .op_end_rel_micros = 40,
                                         .all_end_rel_micros = 50,
                                         .total_bytes = 1LL << 33,
                                         .allocator_name = "cpu",
                                         .output_shapes = {{1, 64}, {}}},
                                        {.node_name = "relu",
                                         .all_start_micros = 0,
                                         .op_end_rel_micros = 0,
                                         .all_end_rel_micros = 0,
                                         .total_bytes = 0,
                                         .allocator_name = "unused",
                                         .output_shapes = {}}};
  const auto metadata = ParsedByProtobuf<cboard_testing::RunMetadata>(EncodeRunMetadata(nodes));
  ASSERT_EQ(metadata.step_stats().dev_stats_size(), 1);
  const auto& device = metadata.step_stats().dev_stats(0);
  EXPECT_EQ(device.device(), "/device:CPU:0");
  ASSERT_EQ(device.node_stats_size(), 2);
  const auto& conv = device.node_stats(0);
  EXPECT_EQ(conv.node_name(), "conv1");
  EXPECT_EQ(conv.all_start_micros(), 100);
  EXPECT_EQ(conv.op_end_rel_micros(), 40);
  EXPECT_EQ(conv.all_end_rel_micros(), 50);
  ASSERT_EQ(conv.memory_size(), 1);
  EXPECT_EQ(conv.memory(0).allocator_name(), "cpu");
  EXPECT_EQ(conv.memory(0).total_bytes(), 1LL << 33);
  ASSERT_EQ(conv.output_size(), 2);
  EXPECT_EQ(conv.output(0).tensor_description().shape().dim(1).size(), 64);
  EXPECT_EQ(conv.output(1).slot(), 1);
  EXPECT_EQ(device.node_stats(1).memory_size(), 0);
}

TEST(RunMetadataOracle, FunctionGraphs) {
  const std::string graph = GraphBuilder().Encode();
  const std::vector<std::string_view> graphs = {graph, ""};
  const auto metadata = ParsedByProtobuf<cboard_testing::RunMetadata>(EncodeFunctionGraphs(graphs));
  ASSERT_EQ(metadata.function_graphs_size(), 2);
  EXPECT_EQ(metadata.function_graphs(0).pre_optimization_graph().versions().producer(), 22);
  EXPECT_TRUE(metadata.function_graphs(1).has_pre_optimization_graph());
}

}  // namespace
}  // namespace cboard::proto
