#include "runtime/graph_outputs.h"

#include <gmock/gmock.h>

#include "onnx_model.pb.h"
#include "runtime/testing/onnx_builder.h"
#include "testing/matchers.h"

namespace cboard::runtime {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::OnnxBuilder;

using Names = std::vector<std::string>;

// Returns the outputs that libprotobuf reads.
Names OutputsOf(const std::string& model) {
  cboard_testing_onnx::ModelProto parsed;
  EXPECT_TRUE(parsed.ParseFromString(model));
  Names names;
  for (const auto& output : parsed.graph().output()) names.push_back(output.name());
  return names;
}

TEST(GraphOutputs, EveryNodeIsAnOutputAfterwards) {
  const std::string model = OnnxBuilder::TwoLayers().Bytes();
  const auto result = AddGraphOutputs(model, std::nullopt);
  ASSERT_THAT(result, testing::Succeeds());
  EXPECT_THAT(result->tensors, ElementsAre("hidden", "y"));
  EXPECT_THAT(OutputsOf(result->bytes), ElementsAre("y", "hidden"));
  EXPECT_THAT(result->external_files, IsEmpty());
}

TEST(GraphOutputs, NotAByteOfTheModelIsChanged) {
  const std::string model = OnnxBuilder::TwoLayers().Bytes();
  const auto result = AddGraphOutputs(model, std::nullopt);
  ASSERT_THAT(result, testing::Succeeds());
  EXPECT_TRUE(result->bytes.starts_with(model));
  cboard_testing_onnx::ModelProto before, after;
  ASSERT_TRUE(before.ParseFromString(model));
  ASSERT_TRUE(after.ParseFromString(result->bytes));
  before.mutable_graph()->add_output()->set_name("hidden");
  EXPECT_EQ(after.SerializeAsString(), before.SerializeAsString());
}

TEST(GraphOutputs, OnlyWhatIsChosen) {
  const std::string model = OnnxBuilder::TwoLayers().Bytes();
  const Names hidden = {"hidden"}, y = {"y"}, nothing;
  EXPECT_THAT(AddGraphOutputs(model, hidden)->tensors, ElementsAre("hidden"));
  EXPECT_EQ(AddGraphOutputs(model, y)->bytes, model);  // An output already.
  EXPECT_THAT(AddGraphOutputs(model, nothing)->tensors, IsEmpty());
  const Names unknown = {"hidden", "conv1"};
  EXPECT_THAT(AddGraphOutputs(model, unknown),
              FailsSaying(ErrorCode::kNotFound, "computes 'conv1'; the last node computes 'y'"));
}

TEST(GraphOutputs, ConstantsAndMissingOutputsAreNoLayers) {
  OnnxBuilder builder;
  builder.Node("Constant", {}, {"c"}).Node("Dropout", {"c"}, {"d", ""}).Output("d", {1});
  EXPECT_THAT(AddGraphOutputs(builder.Bytes(), std::nullopt)->tensors, ElementsAre("d"));
}

TEST(GraphOutputs, WeightsOutsideTheFolderAreRefused) {
  for (const char* location : {"/etc/passwd", "../secret", "a/../../b", ""}) {
    OnnxBuilder builder;
    builder.ExternalWeight("w", {2}, location).Node("Relu", {"w"}, {"y"}).Output("y", {2});
    EXPECT_THAT(AddGraphOutputs(builder.Bytes(), std::nullopt),
                FailsWith(ErrorCode::kPermissionDenied))
        << location;
  }
  OnnxBuilder builder;
  builder.ExternalWeight("w", {2}, "weights.bin").ExternalWeight("v", {2}, "weights.bin");
  EXPECT_THAT(AddGraphOutputs(builder.Bytes(), std::nullopt)->external_files,
              ElementsAre("weights.bin"));
}

TEST(GraphOutputs, WeightsOfSubgraphsAreLookedAtToo) {
  const std::string body = proto::EncodeMessage([](auto& graph) {
    graph.Message(5, [](auto& tensor) {
      tensor.Message(13, [](auto& entry) {
        entry.Text(1, "location");
        entry.Text(2, "../out");
      });
      tensor.Int(14, 1);
    });
  });
  const std::string attribute = proto::EncodeMessage([&](auto& fields) {
    fields.Text(1, "then_branch");
    fields.Bytes(6, body);
  });
  OnnxBuilder builder;
  builder.Node("If", {"c"}, {"y"}, attribute).Output("y", {1});
  EXPECT_THAT(AddGraphOutputs(builder.Bytes(), std::nullopt),
              FailsWith(ErrorCode::kPermissionDenied));
}

TEST(GraphOutputs, OtherFilesAreNoModels) {
  EXPECT_FALSE(AddGraphOutputs("", std::nullopt));
  EXPECT_FALSE(AddGraphOutputs("not a model at all", std::nullopt));
  const std::string model = OnnxBuilder::TwoLayers().Bytes();
  EXPECT_FALSE(AddGraphOutputs(std::string_view(model).substr(0, model.size() - 20), std::nullopt));
}

}  // namespace
}  // namespace cboard::runtime
