#include "quantize/graph/prepare_graph.h"

#include <gmock/gmock.h>

#include "cboard/tensor/convert.h"
#include "quantize/graph/encode_graph.h"
#include "quantize/testing/test_models.h"
#include "testing/matchers.h"

namespace cboard::quantize {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using ::testing::FloatNear;
using testing::OnnxBuilder;
using ::testing::Pointwise;
using testing::Succeeds;

class PrepareGraphTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = runtime::FindRuntime(); !found) GTEST_SKIP() << found.error().message;
  }

  static std::vector<float> Run(const Graph& graph, const TensorView& input) {
    const auto bytes = EncodeGraph(graph);
    EXPECT_THAT(bytes, Succeeds());
    const auto session = runtime::Session::FromBytes(AsBytes(*bytes), "test");
    EXPECT_THAT(session, Succeeds());
    const runtime::NamedTensor named{graph.inputs[0].name, input};
    const auto result = session->Run({&named, 1});
    EXPECT_THAT(result, Succeeds());
    return *ToFloats(result->tensors()[0].tensor);
  }
};

TEST_F(PrepareGraphTest, FoldsNormalizationWithoutChangingTheOutputs) {
  auto graph = ParseGraph(ResidualNet().Bytes(), "m.onnx");
  ASSERT_THAT(graph, Succeeds());
  const std::vector<float> image = NormalValues(2 * 192, 20, 1.0f);
  const TensorView view(image, {2, 3, 8, 8});
  const std::vector<float> before = Run(*graph, view);
  const auto counts = PrepareGraph(*graph, {});
  ASSERT_THAT(counts, Succeeds());
  EXPECT_EQ(counts->folded_normalizations, 1u);
  for (const Node& node : graph->nodes) EXPECT_NE(node.op_type, "BatchNormalization");
  EXPECT_EQ(graph->constants.count("gamma"), 0u) << "unused constants stay in the file";
  EXPECT_THAT(Run(*graph, view), Pointwise(FloatNear(1e-5f), before));
}

TEST_F(PrepareGraphTest, ComputesConstantNodesOnce) {
  OnnxBuilder builder;
  builder.Input("x", {-1, 2})
      .Weight("w", {2, 2}, {1, 2, 3, 4})
      .Weight("two", {}, {2})
      .Node("Mul", {"w", "two"}, {"scaled"})
      .Node("Transpose", {"scaled"}, {"turned"}, OnnxBuilder::IntsAttribute("perm", {1, 0}))
      .Node("MatMul", {"x", "turned"}, {"y"})
      .Output("y", {-1, 2});
  auto graph = ParseGraph(builder.Bytes(), "m.onnx");
  ASSERT_THAT(graph, Succeeds());
  const auto counts = PrepareGraph(*graph, {});
  ASSERT_THAT(counts, Succeeds());
  EXPECT_EQ(counts->folded_constants, 2u);
  ASSERT_EQ(graph->nodes.size(), 1u);
  EXPECT_THAT(graph->constants.at("turned").ToFloats(), ElementsAre(2, 6, 4, 8));
}

TEST_F(PrepareGraphTest, RefusesAQuantizedModel) {
  OnnxBuilder builder;
  builder.Input("x", {2})
      .Weight("s", {}, {0.5f})
      .Node("QuantizeLinear", {"x", "s"}, {"q"}, {}, "quantizer")
      .Output("q", {2}, OnnxBuilder::kUint8);
  auto graph = ParseGraph(builder.Bytes(), "m.onnx");
  ASSERT_THAT(graph, Succeeds());
  EXPECT_THAT(PrepareGraph(*graph, {}),
              FailsSaying(ErrorCode::kInvalidArgument, "'quantizer' is a QuantizeLinear"));
}

}  // namespace
}  // namespace cboard::quantize
