#include "compare/measure/output_heads.h"

#include <gmock/gmock.h>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::OnnxBuilder;

TEST(HeadRunner, AreWhatNothingElseIsComputedFrom) {
  OnnxBuilder builder;
  builder.Input("x", {4})
      .Node("Relu", {"x"}, {"trunk"})
      .Node("Relu", {"trunk"}, {"boxes"})
      .Node("Exp", {"trunk"}, {"hidden"})
      .Node("Relu", {"hidden"}, {"scores"})
      .Node("Sigmoid", {"boxes"}, {"y"})
      .Output("y", {4})
      .Output("scores", {4});
  const model::ModelGraph model = Opened(builder);
  const auto ends = [&](const std::vector<std::string>& names) {
    std::vector<model::TensorId> tensors;
    for (const std::string& name : names) tensors.push_back(model.FindTensor(name));
    return FindHeads(model, tensors);
  };
  EXPECT_THAT(ends({"trunk", "boxes", "scores"}), ElementsAre(1, 2));
  EXPECT_THAT(ends({"scores", "trunk"}),
              ElementsAre(0));  // Through a tensor that is not asked for.
  EXPECT_THAT(ends({"x", "trunk"}), ElementsAre(1));
  EXPECT_THAT(ends({}), IsEmpty());
}

// An If takes the condition alone; what its branches take leads to what it gives out.
TEST(HeadRunner, LieBehindBodies) {
  OnnxBuilder then_branch, else_branch, builder;
  then_branch.Node("Relu", {"hidden"}, {"there"}).Output("there", {4});
  else_branch.Node("Neg", {"hidden"}, {"there_too"}).Output("there_too", {4});
  builder.Input("x", {4})
      .Input("condition", {}, 9)
      .Node("Relu", {"x"}, {"hidden"})
      .Node("Exp", {"x"}, {"other"})
      .NodeWith("If", {"condition"}, {"chosen"},
                {OnnxBuilder::GraphAttribute("then_branch", then_branch),
                 OnnxBuilder::GraphAttribute("else_branch", else_branch)})
      .Node("Sigmoid", {"chosen"}, {"y"})
      .Output("y", {4})
      .Output("other", {4});
  const model::ModelGraph model = Opened(builder);
  const std::vector<model::TensorId> tensors = {
      model.FindTensor("hidden"), model.FindTensor("other"), model.FindTensor("chosen")};
  EXPECT_THAT(FindHeads(model, tensors), ElementsAre(1, 2));
}

}  // namespace
}  // namespace cboard::compare
