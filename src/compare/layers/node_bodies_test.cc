#include "compare/layers/node_bodies.h"

#include <gtest/gtest.h>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using testing::OnnxBuilder;

// If "a/b" -> then: Loop (without a name) -> Add "c/d"; and an Add "main".
model::ModelGraph Nested() {
  OnnxBuilder innermost, inner, other, builder;
  innermost.Input("i", {}, OnnxBuilder::kInt64)
      .Input("go", {}, 9)
      .Input("state", {1})
      .Node("Identity", {"go"}, {"on"})
      .Node("Add", {"state", "x"}, {"sum"}, {}, "c/d")
      .Output("on", {}, 9)
      .Output("sum", {1});
  inner.Node("Loop", {"", "", "x"}, {"looped"}, OnnxBuilder::GraphAttribute("body", innermost))
      .Output("looped", {1});
  other.Node("Identity", {"x"}, {"same"}).Output("same", {1});
  builder.Input("x", {1})
      .Input("choice", {}, 9)
      .NodeWith("If", {"choice"}, {"y"},
                {OnnxBuilder::GraphAttribute("then_branch", inner),
                 OnnxBuilder::GraphAttribute("else_branch", other)},
                "a/b")
      .Node("Add", {"y", "y"}, {"z"}, {}, "main")
      .Output("z", {1});
  return Opened(builder);
}

TEST(NodeBodies, AreNamedFromTheOutermost) {
  const model::ModelGraph model = Nested();
  const model::NodeId add = model.FindNode("a/b/then_branch/looped/body/c/d");
  ASSERT_NE(add, model::kNoNode);
  EXPECT_EQ(BodiesAround(model, model.node(add)), "then_branch/body");
  const model::NodeId loop = model.FindNode("a/b/then_branch/looped");
  ASSERT_NE(loop, model::kNoNode);
  EXPECT_EQ(BodiesAround(model, model.node(loop)), "then_branch");
  EXPECT_EQ(BodiesAround(model, model.node(model.FindNode("main"))), "");
}

TEST(NodeBodies, FilesNameNodesWithoutWhatIsAroundThem) {
  const model::ModelGraph model = Nested();
  const auto name = [&](std::string_view node) {
    return NameInFile(model, model.node(model.FindNode(node)));
  };
  EXPECT_EQ(name("a/b/then_branch/looped/body/c/d"), "c/d");
  EXPECT_EQ(name("a/b/then_branch/looped"), "looped");
  EXPECT_EQ(name("a/b"), "a/b");
  EXPECT_EQ(name("main"), "main");
}

TEST(NodeBodies, TensorsAreFoundWhereTheFileHasThem) {
  const model::ModelGraph model = Nested();
  const model::ModelNode& add = model.node(model.FindNode("a/b/then_branch/looped/body/c/d"));
  const TensorInFile sum = FindInFile(model, add.outputs[0], add);
  EXPECT_EQ(sum.name, "sum");
  EXPECT_EQ(sum.in, (runtime::GraphPlace{{"y", "then_branch"}, {"looped", "body"}}));
  // The node takes it from around both bodies.
  const TensorInFile x = FindInFile(model, model.FindTensor("x"), add);
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.in, runtime::GraphPlace());
  const TensorInFile looped = FindInFile(model, model.FindTensor("a/b/then_branch/looped"),
                                         model.node(model.FindNode("a/b/then_branch/looped")));
  EXPECT_EQ(looped.name, "looped");
  EXPECT_EQ(looped.in, (runtime::GraphPlace{{"y", "then_branch"}}));
}

}  // namespace
}  // namespace cboard::compare
