#include "cboard/compare/model_lint.h"

#include <gmock/gmock.h>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::OnnxBuilder;

std::vector<std::string> Linted(const OnnxBuilder& builder) {
  std::vector<std::string> found;
  for (const LintFinding& finding : LintModel(Opened(builder))) {
    found.push_back(std::string(NameOf(finding.rule)) + " " + finding.node);
  }
  return found;
}

// Appends QuantizeLinear and DequantizeLinear: `from` becomes `from`_dq.
void AddPair(OnnxBuilder& builder, const std::string& from, float scale) {
  builder.Weight(from + "_s", {}, {scale})
      .Constant<std::int8_t>(from + "_z", {}, OnnxBuilder::kInt8, {0})
      .Node("QuantizeLinear", {from, from + "_s", from + "_z"}, {from + "_q"}, {}, from + "_Q")
      .Node("DequantizeLinear", {from + "_q", from + "_s", from + "_z"}, {from + "_dq"}, {},
            from + "_DQ");
}

// A quantized product of [4, 4]: `from`_dq becomes `to`.
void AddProduct(OnnxBuilder& builder, const std::string& from, const std::string& to) {
  builder
      .Constant<std::int8_t>(to + "_w", {4, 4}, OnnxBuilder::kInt8, std::vector<std::int8_t>(16, 3))
      .Weight(to + "_ws", {}, {0.1f})
      .Node("DequantizeLinear", {to + "_w", to + "_ws"}, {to + "_wr"})
      .Node("MatMul", {from + "_dq", to + "_wr"}, {to}, {}, to + "_node");
}

OnnxBuilder TwoProducts() {
  OnnxBuilder builder;
  builder.Input("x", {1, 4});
  AddPair(builder, "x", 0.1f);
  AddProduct(builder, "x", "a");
  AddPair(builder, "a", 0.2f);
  AddProduct(builder, "a", "b");
  return builder;
}

TEST(ModelLint, ASoundGraphHasNoFindings) {
  OnnxBuilder builder = TwoProducts();
  builder.Output("b", {1, 4});
  EXPECT_THAT(Linted(builder), IsEmpty());
}

TEST(ModelLint, AModelThatIsNotQuantizedHasNone) {
  EXPECT_THAT(Linted(OnnxBuilder::TwoLayers()), IsEmpty());
}

TEST(ModelLint, FloatsInTheMiddleAreAnIsland) {
  OnnxBuilder builder = TwoProducts();
  AddPair(builder, "b", 0.3f);
  builder.Weight("fw", {4, 4}, std::vector<float>(16, 1))
      .Node("MatMul", {"b_dq", "fw"}, {"c"}, {}, "float_product")
      .Node("Softmax", {"c"}, {"d"}, {}, "softmax");
  AddPair(builder, "d", 0.1f);
  AddProduct(builder, "d", "e");
  builder.Output("e", {1, 4});
  EXPECT_THAT(Linted(builder), ElementsAre("float_island float_product", "unfused_pair b_DQ"));
  const auto findings = LintModel(Opened(builder));
  EXPECT_THAT(findings[0].explanation, HasSubstr("2 nodes"));
  EXPECT_THAT(findings[0].explanation, HasSubstr("64 B of weights"));
}

TEST(ModelLint, AFloatFunctionBetweenAProductAndItsQuantizerIsAnIsland) {
  for (const char* op : {"Softmax", "Relu"}) {
    OnnxBuilder builder = TwoProducts();
    builder.Node(op, {"b"}, {"c"}, {}, "function");
    AddPair(builder, "c", 0.1f);
    AddProduct(builder, "c", "d");
    builder.Output("d", {1, 4});
    const bool is_island = std::string_view(op) == "Softmax";
    EXPECT_EQ(Linted(builder).size(), is_island ? 1u : 0u) << op;
  }
}

TEST(ModelLint, FloatsAtTheEndAreNoIsland) {
  OnnxBuilder builder = TwoProducts();
  builder.Node("Softmax", {"b"}, {"y"}, {}, "softmax").Output("y", {1, 4});
  EXPECT_THAT(Linted(builder), IsEmpty());
}

TEST(ModelLint, RoundingTwiceWithNothingBetweenIsAnUnfusedPair) {
  OnnxBuilder builder;
  builder.Input("x", {1, 4});
  AddPair(builder, "x", 0.1f);
  AddPair(builder, "x_dq", 0.2f);
  AddProduct(builder, "x_dq", "a");
  builder.Output("a", {1, 4});
  EXPECT_THAT(Linted(builder), ElementsAre("unfused_pair x_DQ"));
}

OnnxBuilder AddOf(float first, float second, const char* op) {
  OnnxBuilder builder;
  builder.Input("x", {1, 4}).Input("y", {1, 4});
  AddPair(builder, "x", first);
  AddPair(builder, "y", second);
  const std::string axis = std::string(op) == "Concat" ? OnnxBuilder::IntAttribute("axis", 1) : "";
  builder.Node(op, {"x_dq", "y_dq"}, {"z"}, axis, "join");
  AddPair(builder, "z", 0.1f);
  AddProduct(builder, "z", "a");
  builder.Output("a", {1, 4});
  return builder;
}

TEST(ModelLint, UnequalStepsIntoASumOrAConcatenation) {
  EXPECT_THAT(Linted(AddOf(0.1f, 0.4f, "Add")), ElementsAre("unequal_scales join"));
  EXPECT_THAT(LintModel(Opened(AddOf(0.1f, 0.4f, "Add")))[0].explanation,
              HasSubstr("a quotient of 4"));
  EXPECT_THAT(Linted(AddOf(0.1f, 0.15f, "Add")), IsEmpty());
  EXPECT_THAT(Linted(AddOf(0.1f, 0.15f, "Concat")), ElementsAre("unequal_scales join"));
  EXPECT_THAT(Linted(AddOf(0.1f, 0.1f, "Concat")), IsEmpty());
}

TEST(ModelLint, UnequalStepsCostNothingInASumOfFloats) {
  OnnxBuilder builder;
  builder.Input("x", {1, 4}).Input("y", {1, 4});
  AddPair(builder, "x", 0.1f);
  AddPair(builder, "y", 0.4f);
  builder.Node("Add", {"x_dq", "y_dq"}, {"z"}, "", "join").Output("z", {1, 4});
  EXPECT_THAT(Linted(builder), IsEmpty());
}

TEST(ModelLint, UnequalStepsCountBehindAnActivation) {
  OnnxBuilder builder;
  builder.Input("x", {1, 4}).Input("y", {1, 4});
  AddPair(builder, "x", 0.1f);
  AddPair(builder, "y", 0.4f);
  builder.Node("Add", {"x_dq", "y_dq"}, {"z"}, "", "join").Node("Relu", {"z"}, {"r"});
  AddPair(builder, "r", 0.1f);
  AddProduct(builder, "r", "a");
  builder.Output("a", {1, 4});
  EXPECT_THAT(Linted(builder), ElementsAre("unequal_scales join"));
}

OnnxBuilder Convolution(std::int64_t channels, std::int64_t groups, std::vector<float> scales,
                        std::int8_t zero, std::vector<std::int32_t> bias) {
  OnnxBuilder builder;
  const std::size_t count = scales.size();
  const std::vector<std::int64_t> by_channel =
      count == 1 ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{std::int64_t(count)};
  std::vector<float> bias_scales;
  for (const float scale : scales) bias_scales.push_back(0.1f * scale);
  builder.Input("x", {1, channels, 4, 4});
  AddPair(builder, "x", 0.1f);
  const std::int64_t inputs = channels / groups;
  const std::size_t weights = static_cast<std::size_t>(channels * inputs);
  builder
      .Constant("w", {channels, inputs, 1, 1}, OnnxBuilder::kInt8,
                std::vector<std::int8_t>(weights, 5))
      .Weight("ws", by_channel, scales)
      .Constant("wz", by_channel, OnnxBuilder::kInt8, std::vector<std::int8_t>(count, zero))
      .Node("DequantizeLinear", {"w", "ws", "wz"}, {"wr"}, OnnxBuilder::IntAttribute("axis", 0))
      .Constant("b", {channels}, OnnxBuilder::kInt32, bias)
      .Weight("bs", by_channel, bias_scales)
      .Node("DequantizeLinear", {"b", "bs"}, {"br"}, OnnxBuilder::IntAttribute("axis", 0))
      .Node("Conv", {"x_dq", "wr", "br"}, {"y"}, OnnxBuilder::IntAttribute("group", groups), "conv")
      .Output("y", {1, channels, 4, 4});
  return builder;
}

TEST(ModelLint, DepthwiseFiltersNeedAScaleEach) {
  EXPECT_THAT(Linted(Convolution(2, 2, {0.1f}, 0, {1, 2})),
              ElementsAre("per_tensor_depthwise conv"));
  EXPECT_THAT(Linted(Convolution(2, 2, {0.1f, 0.2f}, 0, {1, 2})), IsEmpty());
  EXPECT_THAT(Linted(Convolution(2, 1, {0.1f}, 0, {1, 2})), IsEmpty());
}

TEST(ModelLint, ABiasAtTheLimitOf32BitsWasCutOff) {
  const OnnxBuilder builder = Convolution(2, 1, {0.1f, 0.2f}, 0, {7, 2147483647});
  EXPECT_THAT(Linted(builder), ElementsAre("bias_overflow conv"));
  EXPECT_THAT(LintModel(Opened(builder))[0].explanation, HasSubstr("1 of 2 values"));
  EXPECT_THAT(Linted(Convolution(2, 1, {0.1f, 0.2f}, 0, {7, 1 << 30})), IsEmpty());
}

TEST(ModelLint, SignedWeightsHaveTheirZeroAtZero) {
  EXPECT_THAT(Linted(Convolution(2, 1, {0.1f}, 3, {1, 2})), ElementsAre("weight_zero_point conv"));
}

TEST(ModelLint, WeightsShouldBeStoredAsCodes) {
  OnnxBuilder builder;
  builder.Input("x", {1, 4});
  AddPair(builder, "x", 0.1f);
  std::string from = "x_dq";
  for (const std::string layer : {"a", "b", "c"}) {
    builder.Weight(layer + "w", {4, 4}, std::vector<float>(16, 0.5f));
    AddPair(builder, layer + "w", 0.1f);
    builder.Node("MatMul", {from, layer + "w_dq"}, {layer}, {}, layer + "_node");
    AddPair(builder, layer, 0.1f);
    from = layer + "_dq";
  }
  builder.Output(from, {1, 4});
  EXPECT_THAT(Linted(builder), ElementsAre("float_weights a_node"));
  EXPECT_THAT(LintModel(Opened(builder))[0].explanation,
              HasSubstr("here and in 2 other layers: 192 B where codes would take 48 B;"));
}

}  // namespace
}  // namespace cboard::compare
