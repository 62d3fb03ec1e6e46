#include "compare/measure/output_hints.h"

#include <gmock/gmock.h>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using testing::OnnxBuilder;

OutputHint HintOfEnd(const OnnxBuilder& builder) {
  const model::ModelGraph model = Opened(builder);
  return HintOf(model, model.outputs()[0]);
}

// As torch.norm and functional.normalize are exported.
TEST(HintOf, CallsVectorsFeaturesThatAreDividedByTheirLength) {
  OnnxBuilder builder;
  builder.Input("x", {1, 64})
      .Weight("least", {}, {1e-9f})
      .Node("ReduceL2", {"x"}, {"length"})
      .Node("Clip", {"length", "least"}, {"clipped"})
      .Node("Div", {"x", "clipped"}, {"y"})
      .Output("y", {1, 64});
  EXPECT_EQ(HintOfEnd(builder), OutputHint::kFeatures);
}

TEST(HintOf, KnowsALengthInPieces) {
  OnnxBuilder builder;
  builder.Input("x", {1, 64})
      .Node("Mul", {"x", "x"}, {"squares"})
      .Node("ReduceSum", {"squares"}, {"sum"})
      .Node("Sqrt", {"sum"}, {"length"})
      .Node("Div", {"x", "length"}, {"y"})
      .Output("y", {1, 64});
  EXPECT_EQ(HintOfEnd(builder), OutputHint::kFeatures);
}

TEST(HintOf, CallsSharesOfASumNoFeatures) {
  OnnxBuilder builder;
  builder.Input("x", {1, 64})
      .Node("ReduceSum", {"x"}, {"sum"})
      .Node("Div", {"x", "sum"}, {"y"})
      .Output("y", {1, 64});
  EXPECT_EQ(HintOfEnd(builder), OutputHint::kNone);
}

}  // namespace
}  // namespace cboard::compare
