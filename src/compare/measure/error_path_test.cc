#include "compare/measure/error_path.h"

#include <gmock/gmock.h>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using testing::OnnxBuilder;

// x -> first -> a -> second -> b -> both(a, b) -> y
model::ModelGraph Branches() {
  OnnxBuilder builder;
  builder.Input("x", {1, 2})
      .Node("Relu", {"x"}, {"a"}, {}, "first")
      .Node("Sigmoid", {"a"}, {"b"}, {}, "second")
      .Node("Add", {"a", "b"}, {"y"}, {}, "both")
      .Output("y", {1, 2});
  return Opened(builder);
}

TEST(ErrorPath, AnInputThatWasNotMeasuredIsAsGoodAsWhatItIsComputedFrom) {
  const model::ModelGraph model = Branches();
  const ErrorPath path(model, {{model.FindTensor("x"), 40.0}});
  for (const char* node : {"first", "second", "both"}) {
    EXPECT_EQ(path.WorstInputDb(model.FindNode(node)), 40) << node;
  }
}

TEST(ErrorPath, TheWorstInputCounts) {
  const model::ModelGraph model = Branches();
  const ErrorPath path(model, {{model.FindTensor("x"), 10.0},
                               {model.FindTensor("a"), 30.0},
                               {model.FindTensor("b"), 20.0}});
  EXPECT_EQ(path.WorstInputDb(model.FindNode("second")), 30);
  EXPECT_EQ(path.WorstInputDb(model.FindNode("both")), 20);
}

TEST(ErrorPath, WhereNothingWasMeasuredNothingIsLost) {
  const model::ModelGraph model = Branches();
  EXPECT_EQ(ErrorPath(model, {}).WorstInputDb(model.FindNode("both")), HUGE_VAL);
}

TEST(EraseRegained, RemovesWhatEveryReaderMakesBetter) {
  const model::ModelGraph model = Branches();
  const model::TensorId a = model.FindTensor("a"), b = model.FindTensor("b"),
                        y = model.FindTensor("y");
  std::unordered_map<model::TensorId, double> measured = {{a, 5.0}, {b, 30.0}, {y, 30.0}};
  EraseRegained(model, measured);
  EXPECT_FALSE(measured.contains(a));

  measured = {{a, 5.0}, {b, 5.0}, {y, 30.0}};
  EraseRegained(model, measured);
  EXPECT_TRUE(measured.contains(a));  // `second` passes the error on.
  EXPECT_FALSE(measured.contains(b));

  measured = {{a, 5.0}, {y, 30.0}};
  EraseRegained(model, measured);
  EXPECT_TRUE(measured.contains(a));  // The gain of `second` was not measured.
  EXPECT_TRUE(measured.contains(y));  // An output of the model.
}

}  // namespace
}  // namespace cboard::compare
