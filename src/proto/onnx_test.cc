#include "cboard/proto/onnx.h"

#include <gtest/gtest.h>

#include "onnx_model.pb.h"
#include "proto/testing/golden_bytes.h"
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
  EXPECT_THAT(graph->inputs[0].dimension_names, ElementsAre("batch", ""));
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
  EXPECT_THAT(ParseOnnxModel(""), FailsSaying(ErrorCode::kInvalidArgument, "contain no graph"));
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

// A model of one initializer, given as the bytes of its TensorProto.
Result<OnnxTensor> InitializerOf(const std::string& model) {
  CBOARD_ASSIGN_OR_RETURN(const OnnxGraph graph, ParseOnnxModel(model));
  return graph.initializers.at(0);
}

TEST(OnnxTensor, FindsElementsWhereTheyLie) {
  // dims 2, FLOAT, raw_data of eight bytes.
  const std::string raw = Golden("3a 10 2a 0e 08 02 10 01 4a 08 \"12345678\"");
  Result<OnnxTensor> tensor = InitializerOf(raw);
  ASSERT_THAT(tensor, Succeeds());
  Result<OnnxElements> elements = ElementsOf(*tensor);
  ASSERT_THAT(elements, Succeeds());
  EXPECT_EQ(elements->view(), "12345678");
  EXPECT_EQ(elements->view().data(), raw.data() + 10);  // Not a copy.

  // The same elements in one packed float_data, in two packed fields, and with one number per
  // field.
  const std::string packed = Golden("3a 0c 2a 0a 10 01 22 06 \"123456\"");
  EXPECT_THAT(ElementsOf(*InitializerOf(packed)), FailsWith(ErrorCode::kDataLoss));
  const std::string once = Golden("3a 0e 2a 0c 10 01 22 08 \"12345678\"");
  EXPECT_EQ(ElementsOf(*InitializerOf(once))->view().data(), once.data() + 8);
  const std::string twice = Golden("3a 10 2a 0e 10 01 22 04 \"1234\" 22 04 \"5678\"");
  EXPECT_EQ(ElementsOf(*InitializerOf(twice))->view(), "12345678");
  const std::string single = Golden("3a 0e 2a 0c 10 01 25 \"1234\" 25 \"5678\"");
  EXPECT_EQ(ElementsOf(*InitializerOf(single))->view(), "12345678");
}

TEST(OnnxTensor, DecodesListsToTheWidthOfTheType) {
  // INT8 -1, 2 as int32_data: varints of ten bytes and of one.
  const std::string int8 = Golden("3a 11 2a 0f 10 03 2a 0b ff ff ff ff ff ff ff ff ff 01 02");
  EXPECT_EQ(ElementsOf(*InitializerOf(int8))->view(), "\xff\x02");
  // INT64 5 as int64_data.
  const std::string int64 = Golden("3a 06 2a 04 10 07 38 05");
  EXPECT_EQ(ElementsOf(*InitializerOf(int64))->view(), std::string("\5\0\0\0\0\0\0\0", 8));
  // STRING.
  EXPECT_THAT(ElementsOf(*InitializerOf(Golden("3a 04 2a 02 10 08"))),
              FailsSaying(ErrorCode::kInvalidArgument, "does not contain numbers"));
}

TEST(OnnxTensor, KnowsWhereExternalDataIs) {
  const std::string model = Golden(
      "3a 2c 2a 2a 10 01 70 01"
      "6a 0f 0a 08 \"location\" 12 03 \"w.b\""
      "6a 0c 0a 06 \"offset\" 12 02 \"16\""
      "6a 05 0a 01 \"x\" 12 00");
  const Result<OnnxTensor> tensor = InitializerOf(model);
  ASSERT_THAT(tensor, Succeeds());
  EXPECT_TRUE(tensor->is_external);
  EXPECT_EQ(tensor->location, "w.b");
  EXPECT_EQ(tensor->offset, 16u);
  EXPECT_EQ(tensor->length, std::nullopt);
}

TEST(OnnxModel, ReadsFunctionsAndOpsets) {
  const std::string bytes = Golden(
      "08 0a 12 01 \"p\" 3a 00"
      "42 02 10 15"
      "72 06 0a 01 \"k\" 12 01 \"v\""
      "ca 01 14 0a 01 \"F\" 22 01 \"a\" 2a 01 \"b\" 3a 06 22 04 \"Relu\" 52 01 \"d\"");
  const Result<OnnxModel> model = ParseOnnxModelWithFunctions(bytes);
  ASSERT_THAT(model, Succeeds());
  EXPECT_EQ(model->ir_version, 10);
  EXPECT_EQ(model->producer_name, "p");
  ASSERT_EQ(model->opsets.size(), 1u);
  EXPECT_EQ(model->opsets[0].version, 21);
  EXPECT_EQ(model->metadata[0].second, "v");
  ASSERT_EQ(model->functions.size(), 1u);
  const OnnxFunction& function = model->functions[0];
  EXPECT_EQ(function.name, "F");
  EXPECT_EQ(function.domain, "d");
  EXPECT_THAT(function.inputs, ElementsAre("a"));
  EXPECT_THAT(function.outputs, ElementsAre("b"));
  EXPECT_EQ(function.nodes[0].op_type, "Relu");
}

TEST(OnnxTypes, AreTranslatedByMeaning) {
  EXPECT_EQ(DTypeOfOnnx(1), DType::kFloat32);
  EXPECT_EQ(DTypeOfOnnx(2), DType::kUint8);
  EXPECT_EQ(DTypeOfOnnx(3), DType::kInt8);
  EXPECT_EQ(DTypeOfOnnx(7), DType::kInt64);
  EXPECT_EQ(DTypeOfOnnx(8), DType::kString);
  EXPECT_EQ(DTypeOfOnnx(10), DType::kFloat16);
  EXPECT_EQ(DTypeOfOnnx(16), DType::kBfloat16);
  EXPECT_EQ(DTypeOfOnnx(22), DType::kInt4);
  EXPECT_EQ(DTypeOfOnnx(99), DType::kUnknown);
  EXPECT_EQ(DTypeOfOnnx(-1), DType::kUnknown);
}

}  // namespace
}  // namespace cboard::proto
