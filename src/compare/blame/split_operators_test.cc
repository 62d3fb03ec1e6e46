#include "compare/blame/split_operators.h"

#include <gmock/gmock.h>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using testing::OnnxBuilder;

// A LayerNorm as exporters write it for opset 16 and before, with a quantizer behind the square.
model::ModelGraph NormInPieces() {
  OnnxBuilder builder;
  builder.Input("x", {2, 8})
      .Weight("two", {}, {2})
      .Weight("epsilon", {}, {1e-5f})
      .Weight("gain", {8}, std::vector<float>(8, 1))
      .Weight("scale", {}, {0.1f})
      .Node("ReduceMean", {"x"}, {"mean"})
      .Node("Sub", {"x", "mean"}, {"centered"})
      .Node("Pow", {"centered", "two"}, {"square"})
      .Node("QuantizeLinear", {"square", "scale"}, {"codes"})
      .Node("DequantizeLinear", {"codes", "scale"}, {"rounded"})
      .Node("ReduceMean", {"rounded"}, {"variance"})
      .Node("Add", {"variance", "epsilon"}, {"sum"})
      .Node("Sqrt", {"sum"}, {"deviation"})
      .Node("Div", {"centered", "deviation"}, {"quotient"})
      .Node("Mul", {"quotient", "gain"}, {"y"})
      .Node("Relu", {"y"}, {"z"});
  builder.Output("z", {2, 8});
  return Opened(builder);
}

TEST(SplitOperators, FindsALayerNormInPiecesThroughQuantizers) {
  const model::ModelGraph model = NormInPieces();
  const SplitOperators split(model);
  ASSERT_EQ(split.all().size(), 1u);
  EXPECT_EQ(split.all()[0].name, "LayerNorm");
  for (const char* inside :
       {"mean", "centered", "square", "variance", "sum", "deviation", "quotient"}) {
    EXPECT_TRUE(split.Around(model.FindTensor(inside))) << inside;
  }
  for (const char* outside : {"x", "y", "z"}) {
    EXPECT_FALSE(split.Around(model.FindTensor(outside))) << outside;
  }
}

TEST(SplitOperators, FindsASoftmaxAndAGelu) {
  OnnxBuilder builder;
  builder.Input("x", {2, 8})
      .Weight("root", {}, {1.414f})
      .Weight("one", {}, {1})
      .Weight("half", {}, {0.5f})
      .Node("Exp", {"x"}, {"power"})
      .Node("ReduceSum", {"power"}, {"sum"})
      .Node("Div", {"power", "sum"}, {"share"})
      .Node("Div", {"share", "root"}, {"scaled"})
      .Node("Erf", {"scaled"}, {"error"})
      .Node("Add", {"error", "one"}, {"raised"})
      .Node("Mul", {"share", "raised"}, {"gated"})
      .Node("Mul", {"gated", "half"}, {"y"});
  builder.Output("y", {2, 8});
  const model::ModelGraph model = Opened(builder);
  const SplitOperators split(model);
  ASSERT_EQ(split.all().size(), 2u);
  EXPECT_EQ(split.all()[*split.Around(model.FindTensor("sum"))].name, "Softmax");
  EXPECT_EQ(split.all()[*split.Around(model.FindTensor("error"))].name, "GELU");
  EXPECT_FALSE(split.Around(model.FindTensor("share")));
  EXPECT_FALSE(split.Around(model.FindTensor("y")));
}

TEST(SplitOperators, ASquareRootAloneIsNoNorm) {
  OnnxBuilder builder;
  builder.Input("x", {2, 8}).Node("Sqrt", {"x"}, {"root"}).Node("Div", {"x", "root"}, {"y"});
  builder.Output("y", {2, 8});
  const model::ModelGraph model = Opened(builder);
  EXPECT_TRUE(SplitOperators(model).all().empty());
}

TEST(SplitOperators, TheSquareOfAMagnitudeIsNoNorm) {
  OnnxBuilder builder;
  builder.Input("x", {2, 8})
      .Node("Mul", {"x", "x"}, {"square"})
      .Node("ReduceSum", {"square"}, {"sum"})
      .Node("Sqrt", {"sum"}, {"magnitude"})
      .Node("Mul", {"magnitude", "magnitude"}, {"power"})
      .Node("Log", {"power"}, {"y"});
  builder.Output("y", {2, 8});
  const model::ModelGraph model = Opened(builder);
  EXPECT_TRUE(SplitOperators(model).all().empty());
}

TEST(SplitOperators, ANormMayMultiplyByTheReciprocalOfTheRoot) {
  for (const bool is_quotient : {false, true}) {
    OnnxBuilder builder;
    builder.Input("x", {2, 8})
        .Weight("one", {}, {1})
        .Node("Mul", {"x", "x"}, {"square"})
        .Node("ReduceMean", {"square"}, {"mean"})
        .Node("Sqrt", {"mean"}, {"root"});
    if (is_quotient) {
      builder.Node("Div", {"one", "root"}, {"inverse"});
    } else {
      builder.Node("Reciprocal", {"root"}, {"inverse"});
    }
    builder.Node("Mul", {"x", "inverse"}, {"y"}).Output("y", {2, 8});
    const model::ModelGraph model = Opened(builder);
    ASSERT_EQ(SplitOperators(model).all().size(), 1u) << is_quotient;
    EXPECT_EQ(SplitOperators(model).all()[0].name, "RMSNorm");
  }
}

}  // namespace
}  // namespace cboard::compare
