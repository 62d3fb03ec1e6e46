#include <gmock/gmock.h>

#include "compare/measure/output_comparison.h"
#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using testing::OnnxBuilder;

// x + 3, cut off at 0 and 6 as "y".
model::ModelGraph Clipped() {
  OnnxBuilder builder;
  builder.Input("x", {1, 2})
      .Weight("three", {}, {3})
      .Weight("low", {}, {0})
      .Weight("high", {}, {6})
      .Node("Add", {"x", "three"}, {"sum"}, {}, "add")
      .Node("Clip", {"sum", "low", "high"}, {"y"}, {}, "clip")
      .Output("y", {1, 2});
  return Opened(builder);
}

// The same with a quantizer behind `quantized`, what the Add gives being called `sum`.
model::ModelGraph QuantizedSum(const std::string& sum, bool keeps_clip) {
  OnnxBuilder builder;
  builder.Input("x", {1, 2}).Weight("three", {}, {3}).Weight("scale", {}, {6.0f / 255});
  builder.Node("Add", {"x", "three"}, {sum}, {}, "add");
  std::string quantized = sum;
  if (keeps_clip) {
    builder.Weight("low", {}, {0}).Weight("high", {}, {6});
    builder.Node("Clip", {sum, "low", "high"}, {"y"}, {}, "clip");
    quantized = "y";
  }
  builder.Constant("zero", {}, OnnxBuilder::kInt8, std::vector<std::int8_t>{-128})
      .Node("QuantizeLinear", {quantized, "scale", "zero"}, {"codes"})
      .Node("DequantizeLinear", {"codes", "scale", "zero"}, {"real"})
      .Output("real", {1, 2});
  return Opened(builder);
}

std::vector<TensorPair> Paired(const model::ModelGraph& variant) {
  return PairQuantizedTensors(Clipped(), variant, {});
}

TEST(OutputPlans, AClipThatBecameTheRangeOfAQuantizerIsFoundByEitherName) {
  for (const std::string name : {"sum", "y"}) {
    const std::vector<TensorPair> pairs = Paired(QuantizedSum(name, false));
    ASSERT_EQ(pairs.size(), 1u) << name;
    EXPECT_EQ(pairs[0].plan.baseline, "y") << name;
    EXPECT_EQ(pairs[0].name, "clip") << name;
    ASSERT_TRUE(pairs[0].plan.clamp) << name;
    EXPECT_EQ(pairs[0].plan.clamp->low, 0);
    EXPECT_EQ(pairs[0].plan.clamp->high, 6);
  }
}

TEST(OutputPlans, AClipThatIsStillThereNeedsNoHelp) {
  const std::vector<TensorPair> pairs = Paired(QuantizedSum("sum", true));
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].plan.baseline, "y");
  EXPECT_FALSE(pairs[0].plan.clamp);
}

// x * w, then a Relu, with a quantizer between them or not.
model::ModelGraph Rectified(bool is_quantized) {
  OnnxBuilder builder;
  builder.Input("x", {1, 2}).Weight("w", {2, 2}, {1, 2, 3, 4});
  builder.Node("MatMul", {"x", "w"}, {"product"}, {}, "layer");
  std::string read = "product";
  if (is_quantized) {
    builder.Weight("scale", {}, {0.1f})
        .Constant("zero", {}, OnnxBuilder::kInt8, std::vector<std::int8_t>{0})
        .Node("QuantizeLinear", {"product", "scale", "zero"}, {"codes"})
        .Node("DequantizeLinear", {"codes", "scale", "zero"}, {"real"});
    read = "real";
  }
  builder.Node("Relu", {read}, {"y"}, {}, "relu").Output("y", {1, 2});
  return Opened(builder);
}

TEST(OutputPlans, AnActivationBehindTheQuantizerIsNotReplacedByIt) {
  const model::ModelGraph baseline = Rectified(false), variant = Rectified(true);
  const std::vector<ModelLayer> before = FindWeightLayers(baseline),
                                after = FindWeightLayers(variant);
  ASSERT_EQ(before.size(), 1u);
  ASSERT_EQ(after.size(), 1u);
  const std::optional<OutputPlan> plan = PlanOutput(baseline, before[0], variant, after[0]);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->baseline, "product");
  EXPECT_EQ(plan->variant, "real");
  EXPECT_FALSE(plan->clamp);
}

}  // namespace
}  // namespace cboard::compare
