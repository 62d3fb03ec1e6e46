#include "model/graph/graph_assembler.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace cboard::model {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using testing::Succeeds;

class GraphAssemblerTest : public ::testing::Test {
 protected:
  TensorId Constant(const std::string& name, std::vector<float> values) {
    const TensorId id = graph_.Tensor(name);
    const auto size = static_cast<std::int64_t>(values.size());
    EXPECT_THAT(graph_.SetConstant(id, DType::kFloat32, {size},
                                   {graph_.Keep(AsText(std::as_bytes(std::span(values))))}),
                Succeeds());
    return id;
  }

  NodeId Node(const std::string& name, const std::string& op, std::vector<TensorId> inputs,
              const std::string& output) {
    return graph_.AddNode({.name = name,
                           .op_type = op,
                           .inputs = std::move(inputs),
                           .outputs = {graph_.Tensor(output)}});
  }

  GraphAssembler graph_{ModelFormat::kOnnx, MappedFile::FromMemory("", "model")};
};

std::vector<std::string> NamesOf(const std::vector<ModelNode>& nodes) {
  std::vector<std::string> names;
  for (const ModelNode& node : nodes) names.push_back(node.name);
  return names;
}

TEST_F(GraphAssemblerTest, ProducersComeFirstAndTheRestKeepsItsOrder) {
  Node("last", "Add", {graph_.Tensor("b"), graph_.Tensor("a")}, "y");
  Node("second", "Relu", {graph_.Tensor("a")}, "b");
  Node("alone", "Relu", {graph_.Tensor("x")}, "z");
  Node("first", "Relu", {graph_.Tensor("x")}, "a");
  ASSERT_THAT(graph_.Sort(), Succeeds());
  EXPECT_THAT(NamesOf(graph_.nodes()), ElementsAre("alone", "first", "second", "last"));
  const Result<ModelGraph> graph = graph_.Finish();
  ASSERT_THAT(graph, Succeeds());
  const TensorId a = graph->FindTensor("a");
  EXPECT_EQ(graph->node(graph->tensor(a).producer).name, "first");
  EXPECT_THAT(graph->consumers(a), ElementsAre(graph->FindNode("second"), graph->FindNode("last")));
  EXPECT_EQ(graph->FindTensor("nobody"), kNoTensor);
}

TEST_F(GraphAssemblerTest, RefusesCycles) {
  Node("a", "Relu", {graph_.Tensor("y")}, "x");
  Node("b", "Relu", {graph_.Tensor("x")}, "y");
  EXPECT_THAT(graph_.Sort(), FailsSaying(ErrorCode::kInvalidArgument, "cycle: node 'a'"));
}

TEST_F(GraphAssemblerTest, RefusesTwoProducersOfATensor) {
  Node("a", "Relu", {}, "y");
  Node("b", "Relu", {}, "y");
  EXPECT_THAT(graph_.Sort(), FailsSaying(ErrorCode::kInvalidArgument, "by node 'a', too"));
}

TEST_F(GraphAssemblerTest, GivesEveryNodeANameOfItsOwn) {
  Node("conv", "Conv", {}, "a");
  Node("conv_1", "Conv", {}, "b");
  Node("conv", "Conv", {}, "c");
  Node("", "Conv", {}, "d");
  graph_.AddNode({.op_type = "Relu"});
  graph_.AddNode({});
  EXPECT_THAT(NamesOf(graph_.nodes()),
              ElementsAre("conv", "conv_1", "conv_2", "d", "Relu", "node"));
}

TEST_F(GraphAssemblerTest, AConstantCountsForTheFirstNodeThatUsesItsValues) {
  const TensorId shared = Constant("shared", {1, 2, 3});
  const TensorId scale = Constant("scale", {1});
  const NodeId dequantize = Node("dq", "DequantizeLinear", {shared, scale}, "w");
  Node("first", "MatMul", {graph_.Tensor("x"), graph_.Tensor("w")}, "a");
  Node("second", "MatMul", {graph_.Tensor("a"), graph_.Tensor("w")}, "b");
  ASSERT_THAT(graph_.Sort(), Succeeds());
  graph_.tensor(graph_.nodes()[IndexOf(dequantize)].outputs[0]).source = shared;
  const Result<ModelGraph> graph = graph_.Finish();
  EXPECT_EQ(graph->node(graph->FindNode("dq")).weight_bytes, 0u);
  EXPECT_EQ(graph->node(graph->FindNode("first")).weight_bytes, 16u);
  EXPECT_EQ(graph->node(graph->FindNode("second")).weight_bytes, 0u);
}

TEST_F(GraphAssemblerTest, RefusesConstantsThatDoNotMatchTheirBytes) {
  const std::string bytes(16, '\0');
  const auto set = [&](DType type, std::vector<std::int64_t> shape) {
    return graph_.SetConstant(graph_.Tensor("w"), type, std::move(shape), {AsBytes(bytes)});
  };
  EXPECT_THAT(set(DType::kFloat32, {2, 2}), Succeeds());
  EXPECT_THAT(set(DType::kInt4, {31}), Succeeds());
  EXPECT_THAT(set(DType::kFloat32, {5}),
              FailsSaying(ErrorCode::kDataLoss, "needs 20 bytes but has 16"));
  EXPECT_THAT(set(DType::kFloat32, {-4}), FailsSaying(ErrorCode::kDataLoss, "negative dimension"));
  EXPECT_THAT(set(DType::kFloat32, {std::int64_t{1} << 62, 4}),
              FailsSaying(ErrorCode::kDataLoss, "exceeds the address space"));
  EXPECT_THAT(set(DType::kInt8, {std::int64_t{1} << 40, std::int64_t{1} << 40}),
              FailsSaying(ErrorCode::kDataLoss, "exceeds the address space"));
  EXPECT_THAT(set(DType::kQ4_0, {16}),
              FailsSaying(ErrorCode::kDataLoss, "not a multiple of the block size, 32"));
}

TEST_F(GraphAssemblerTest, ADimensionOfZeroMakesAnyOtherHarmless) {
  EXPECT_THAT(graph_.SetConstant(graph_.Tensor("w"), DType::kFloat32,
                                 {std::int64_t{1} << 62, 0, std::int64_t{1} << 62}, {}),
              Succeeds());
  EXPECT_EQ(ElementCount({std::int64_t{1} << 62, 0, std::int64_t{1} << 62}), 0u);
  EXPECT_EQ(ElementCount({std::int64_t{1} << 62, 4}), std::nullopt);
}

TEST_F(GraphAssemblerTest, StopsBeforeADescriptionUnfoldsWithoutEnd) {
  EXPECT_THAT(graph_.Charge(1 << 20), Succeeds());
  EXPECT_THAT(graph_.Charge(std::uint64_t{1} << 30), FailsWith(ErrorCode::kResourceExhausted));
  EXPECT_THAT(graph_.Charge(~std::uint64_t{0}), FailsWith(ErrorCode::kResourceExhausted));
}

TEST_F(GraphAssemblerTest, CountsZerosBeforeItTakesThem) {
  const TensorId id = graph_.Tensor("w");
  const Result<MutableByteSpan> zeros = graph_.SetUnfolded(id, DType::kInt8, {3}, 0);
  ASSERT_THAT(zeros, Succeeds());
  EXPECT_THAT(*zeros, ElementsAre(std::byte{0}, std::byte{0}, std::byte{0}));
  EXPECT_TRUE(graph_.tensor(id).is_sparse());
  EXPECT_THAT(graph_.SetUnfolded(id, DType::kInt8, {std::int64_t{1} << 50}, 8),
              FailsSaying(ErrorCode::kResourceExhausted, "sparse tensor 'w'"));
}

TEST_F(GraphAssemblerTest, LeavesOutWhatIsBeyondItsMemoryAndFailsAtTheEnd) {
  const std::string long_name(1 << 20, 'n');
  for (int i = 0; i < 200; ++i) graph_.NewTensor(long_name);
  const std::size_t count = graph_.tensors().size();
  EXPECT_LT(count, 200u);
  // Ids stay valid after the limit is reached, so that readers need not check at each step.
  const TensorId left_out = graph_.Tensor("one more");
  EXPECT_LT(IndexOf(left_out), count);
  graph_.Describe(left_out, DType::kFloat32, {1});
  const NodeId node = Node("n", "Relu", {left_out}, "y");
  EXPECT_LT(IndexOf(node), graph_.node_count());
  EXPECT_THAT(graph_.SetConstant(left_out, DType::kString, {1}, {}),
              FailsWith(ErrorCode::kResourceExhausted));
  EXPECT_THAT(graph_.Sort(), FailsWith(ErrorCode::kResourceExhausted));
  EXPECT_THAT(graph_.Finish(), FailsSaying(ErrorCode::kResourceExhausted, "192 MiB"));
}

TEST(ScopeOf, IsWhatTheNameSaysAboutItsPlace) {
  EXPECT_EQ(ScopeOf("/layer1/0/Conv"), "layer1/0");
  EXPECT_EQ(ScopeOf("v0/cg/conv0/conv2d/Conv2D"), "v0/cg/conv0/conv2d");
  EXPECT_EQ(ScopeOf("model.layers.0.weight"), "model.layers.0");
  EXPECT_EQ(ScopeOf("Conv_0"), "");
}

}  // namespace
}  // namespace cboard::model
