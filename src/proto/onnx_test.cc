#include "cboard/proto/onnx.h"

#include <gtest/gtest.h>

#include "onnx_model.pb.h"
#include "proto/golden_bytes.h"
#include "testing/matchers.h"

namespace cboard::proto {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using testing::Golden;
using testing::Succeeds;

TEST(OnnxModel, ReadsWhatProtobufWrote) {
  cboard_testing_onnx::ModelProto model;
  model.set_ir_version(8);
  auto& written = *model.mutable_graph();
  written.set_name("net");
  auto& node = *written.add_node();
  node.add_input("x");
  node.add_input("");
  node.add_output("y");
  node.set_name("conv1");
  node.set_op_type("Conv");
  node.set_domain("ai.onnx");
  auto& ints = *node.add_attribute();
  ints.set_name("pads");
  ints.add_ints(1);
  ints.add_ints(-1);
  ints.set_type(7);
  auto& single = *node.add_attribute();
  single.set_name("alpha");
  single.set_f(0.5f);
  auto& tensor = *node.add_attribute();
  tensor.set_name("value");
  tensor.mutable_t()->add_dims(4);
  tensor.mutable_t()->set_data_type(7);
  auto& weight = *written.add_initializer();
  weight.set_name("w");
  weight.set_data_type(3);
  weight.add_dims(64);
  weight.add_dims(3);
  weight.set_raw_data(std::string(192, '\x01'));
  auto& input = *written.add_input();
  input.set_name("x");
  auto& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(1);
  type.mutable_shape()->add_dim()->set_dim_param("batch");
  type.mutable_shape()->add_dim()->set_dim_value(3);
  written.add_output()->set_name("y");

  const std::string bytes = model.SerializeAsString();
  const Result<OnnxGraph> graph = ParseOnnxModel(bytes);
  ASSERT_THAT(graph, Succeeds());
  EXPECT_EQ(graph->name, "net");
  ASSERT_EQ(graph->nodes.size(), 1u);
  const OnnxNode& read = graph->nodes[0];
  EXPECT_THAT(read.inputs, ElementsAre("x", ""));
  EXPECT_THAT(read.outputs, ElementsAre("y"));
  EXPECT_EQ(read.name, "conv1");
  EXPECT_EQ(read.op_type, "Conv");
  EXPECT_EQ(read.domain, "ai.onnx");
  ASSERT_EQ(read.attributes.size(), 3u);
  EXPECT_EQ(read.attributes[0].name, "pads");
  EXPECT_EQ(read.attributes[0].kind, OnnxAttributeKind::kInts);
  EXPECT_THAT(read.attributes[0].ints, ElementsAre(1, -1));
  EXPECT_EQ(read.attributes[1].kind, OnnxAttributeKind::kFloat);
  EXPECT_THAT(read.attributes[1].floats, ElementsAre(0.5f));
  EXPECT_EQ(read.attributes[2].kind, OnnxAttributeKind::kTensor);
  EXPECT_THAT(read.attributes[2].tensor.shape, ElementsAre(4));
  ASSERT_EQ(graph->initializers.size(), 1u);
  EXPECT_EQ(graph->initializers[0].name, "w");
  EXPECT_EQ(graph->initializers[0].elem_type, 3);
  EXPECT_THAT(graph->initializers[0].shape, ElementsAre(64, 3));
  ASSERT_EQ(graph->inputs.size(), 1u);
  EXPECT_EQ(graph->inputs[0].elem_type, 1);
  EXPECT_TRUE(graph->inputs[0].has_shape);
  EXPECT_THAT(graph->inputs[0].shape, ElementsAre(-1, 3));
  ASSERT_EQ(graph->outputs.size(), 1u);
  EXPECT_FALSE(graph->outputs[0].has_shape);
}

TEST(OnnxModel, ReadsPackedDimensionsToo) {
  // An initializer with dims 2, 3 in one packed field.
  const std::string bytes = Golden("3a 06 2a 04 0a 02 02 03");
  const Result<OnnxGraph> graph = ParseOnnxModel(bytes);
  ASSERT_THAT(graph, Succeeds());
  EXPECT_THAT(graph->initializers[0].shape, ElementsAre(2, 3));
}

TEST(OnnxModel, SomeOtherFileIsNoModel) {
  EXPECT_THAT(ParseOnnxModel(""), FailsSaying(ErrorCode::kInvalidArgument, "hold no graph"));
  EXPECT_THAT(ParseOnnxModel(Golden("08 08")), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ParseOnnxModel("\x89PNG\r\n\x1a\n"), FailsWith(ErrorCode::kDataLoss));
}

TEST(OnnxModel, SaysWhichPartIsDamaged) {
  EXPECT_THAT(ParseOnnxModel(Golden("3a 7f")), FailsSaying(ErrorCode::kDataLoss, "ONNX model"));
  EXPECT_THAT(ParseOnnxModel(Golden("3a 02 0a 05")),
              FailsSaying(ErrorCode::kDataLoss, "ONNX graph"));
  EXPECT_THAT(ParseOnnxModel(Golden("3a 0b 0a 02 0a 00 0a 05 1a 01 \"c\" 0a 07")),
              FailsSaying(ErrorCode::kDataLoss,
                          "'c': ONNX node 1 of 5 bytes is damaged: a field reaches past the end"));
  EXPECT_THAT(ParseOnnxModel(Golden("3a 03 2a 01 10")),
              FailsSaying(ErrorCode::kDataLoss, "ONNX initializer 0"));
  EXPECT_THAT(ParseOnnxModel(Golden("3a 03 5a 01 0a")),
              FailsSaying(ErrorCode::kDataLoss, "ONNX input 0"));
}

TEST(OnnxTypes, AreTranslatedByMeaning) {
  EXPECT_EQ(DataTypeOfOnnx(1), DataType::kFloat);
  EXPECT_EQ(DataTypeOfOnnx(2), DataType::kUint8);
  EXPECT_EQ(DataTypeOfOnnx(3), DataType::kInt8);
  EXPECT_EQ(DataTypeOfOnnx(7), DataType::kInt64);
  EXPECT_EQ(DataTypeOfOnnx(8), DataType::kString);
  EXPECT_EQ(DataTypeOfOnnx(10), DataType::kHalf);
  EXPECT_EQ(DataTypeOfOnnx(16), DataType::kBfloat16);
  EXPECT_EQ(DataTypeOfOnnx(22), DataType::kInt4);
  EXPECT_EQ(DataTypeOfOnnx(99), DataType::kInvalid);
  EXPECT_EQ(DataTypeOfOnnx(-1), DataType::kInvalid);
}

}  // namespace
}  // namespace cboard::proto
