#include "compare/blame/qdq_form.h"

#include <gmock/gmock.h>

#include "cboard/runtime/capture.h"
#include "cboard/tensor/convert.h"
#include "compare/testing/test_towers.h"

namespace cboard::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::OnnxBuilder;
using ::testing::Pointwise;
using testing::Succeeds;

constexpr std::int64_t kSize = static_cast<std::int64_t>(kWidth);

// Two products; `scale` is that of the codes between them.
OnnxBuilder Products() {
  OnnxBuilder builder;
  builder.Input("x", {1, kSize});
  builder.Weight("w0", {kSize, kSize}, Gaussian(kWidth * kWidth, 1, 0.3f));
  builder.Weight("w1", {kSize, kSize}, Gaussian(kWidth * kWidth, 2, 0.3f));
  builder.Node("MatMul", {"x", "w0"}, {"t"}, {}, "fc0")
      .Node("MatMul", {"t", "w1"}, {"y"}, {}, "fc1");
  return builder.Output("y", {1, kSize});
}

OnnxBuilder ProductsOfCodes(float scale) {
  OnnxBuilder builder;
  const std::vector<std::uint8_t> middle = {128};
  const std::vector<std::int8_t> zero = {0};
  builder.Input("x", {1, kSize}).Constant("middle", {}, OnnxBuilder::kUint8, middle);
  builder.Constant("zero", {}, OnnxBuilder::kInt8, zero).Weight("x_scale", {}, {0.03f});
  builder.Node("QuantizeLinear", {"x", "x_scale", "middle"}, {"x_quantized"});
  std::string from = "x";
  for (unsigned i = 0; i < 2; ++i) {
    const std::string weight = "w" + std::to_string(i), to = i == 0 ? "t" : "y";
    const Codes codes = Quantized(Gaussian(kWidth * kWidth, i + 1, 0.3f));
    builder.Constant(weight + "_quantized", {kSize, kSize}, OnnxBuilder::kInt8, codes.values);
    builder.Weight(weight + "_scale", {}, {codes.scale});
    builder.Weight(to + "_scale", {}, {i == 0 ? scale : 0.03f});
    builder.Node("QLinearMatMul",
                 {from + "_quantized", from + "_scale", "middle", weight + "_quantized",
                  weight + "_scale", "zero", to + "_scale", "middle"},
                 {to + "_quantized"}, {}, "fc" + std::to_string(i) + "_quant");
    from = to;
  }
  builder.Node("DequantizeLinear", {"y_quantized", "y_scale", "middle"}, {"y"});
  return builder.Output("y", {1, kSize});
}

class QdqFormTest : public TowerTest {
 protected:
  void SetUp() override {
    TowerTest::SetUp();
    if (!IsSkipped()) Write("float.onnx", Products().Bytes());
  }

  std::vector<float> OutputOf(const std::string& file) const {
    const auto model = runtime::ModelCapture::Open(folder_ / file);
    EXPECT_THAT(model, Succeeds());
    const std::vector<float> x = Gaussian(kWidth, 5, 1);
    const std::vector<std::int64_t> shape = {1, kSize};
    const runtime::NamedTensor input{"x", TensorView(x, shape)};
    const auto result = model->Run({&input, 1});
    EXPECT_THAT(result, Succeeds());
    return *tensor::ToFloats(*result->Find("y"));
  }
};

TEST_F(QdqFormTest, ComputesWhatTheOperatorsOnCodesCompute) {
  const OnnxBuilder codes = ProductsOfCodes(0.03f);
  const model::ModelGraph model = Opened(codes);
  EXPECT_TRUE(HasCodeOperators(model));
  const auto edits = QdqFormOf(model);
  ASSERT_TRUE(edits);
  const auto edited = runtime::EditGraph(codes.Bytes(), *edits);
  ASSERT_THAT(edited, Succeeds());
  Write("codes.onnx", codes.Bytes());
  Write("qdq.onnx", *edited);
  // A step of the output, where the two round differently.
  EXPECT_THAT(OutputOf("qdq.onnx"),
              Pointwise(::testing::FloatNear(0.031f), OutputOf("codes.onnx")));
}

TEST_F(QdqFormTest, LeavesModelsWithoutSuchOperatorsAlone) {
  EXPECT_FALSE(HasCodeOperators(Opened(Products())));
}

TEST_F(QdqFormTest, LetsBlameBeMeasuredInModelsOfCodes) {
  const ModelComparison comparison = Compared(ProductsOfCodes(1));
  ASSERT_EQ(comparison.verdict.level, VerdictLevel::kBroken) << comparison.verdict.sentence;
  ASSERT_THAT(comparison.verdict.suspects, Not(IsEmpty()));
  EXPECT_EQ(comparison.verdict.suspects[0].layer, "fc0");
  EXPECT_TRUE(comparison.verdict.suspects[0].is_measured);
  EXPECT_THAT(comparison.verdict.blame_note, HasSubstr("operators on codes"));
}

}  // namespace
}  // namespace cboard::compare
