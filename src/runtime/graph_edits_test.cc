#include "cboard/runtime/graph_edits.h"

#include <gmock/gmock.h>

#include "cboard/base/file.h"
#include "cboard/runtime/capture.h"
#include "cboard/tensor/convert.h"
#include "onnx_model.pb.h"
#include "runtime/testing/onnx_builder.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::runtime {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using testing::OnnxBuilder;
using testing::Succeeds;

cboard_testing_onnx::ModelProto Parsed(const std::string& model) {
  cboard_testing_onnx::ModelProto parsed;
  EXPECT_TRUE(parsed.ParseFromString(model));
  return parsed;
}

// Lists the nodes that libprotobuf reads, as "Identity(hidden)->y".
std::vector<std::string> NodesOf(const std::string& model) {
  const cboard_testing_onnx::ModelProto parsed = Parsed(model);
  std::vector<std::string> nodes;
  for (const auto& node : parsed.graph().node()) {
    std::string text = node.op_type() + "(";
    for (const auto& input : node.input()) text += (text.back() == '(' ? "" : ",") + input;
    nodes.push_back(text + ")->" + node.output(0));
  }
  return nodes;
}

const std::string kModel = OnnxBuilder::TwoLayers().Bytes();

TEST(GraphEdits, WithoutEditsNotAByteChanges) { EXPECT_EQ(*EditGraph(kModel, {}), kModel); }

TEST(GraphEdits, ATensorIsPassedOnWhereItWasComputed) {
  EXPECT_THAT(NodesOf(kModel), ElementsAre("MatMul(x,w)->hidden", "Relu(hidden)->y"));
  const auto passed = EditGraph(kModel, {.passed = {{.name = "hidden", .from = "x"}}});
  ASSERT_THAT(passed, Succeeds());
  EXPECT_THAT(NodesOf(*passed), ElementsAre("Identity(x)->hidden", "Relu(hidden)->y"));
  const auto cut =
      EditGraph(kModel, {.passed = {{.name = "hidden", .from = "x", .low = 0.0f, .high = 6.0f}}});
  ASSERT_THAT(cut, Succeeds());
  EXPECT_THAT(NodesOf(*cut),
              ElementsAre("Max(x,hidden__low)->hidden__raised",
                          "Min(hidden__raised,hidden__high)->hidden", "Relu(hidden)->y"));
}

TEST(GraphEdits, AConstantTakesThePlaceOfANodeOrAnInitializer) {
  const auto node = EditGraph(kModel, {.constants = {{"hidden", {1, 2}, {7, 8}}}});
  ASSERT_THAT(node, Succeeds());
  EXPECT_THAT(NodesOf(*node), ElementsAre("Relu(hidden)->y"));
  const auto weight = EditGraph(kModel, {.constants = {{"w", {2, 2}, {5, 6, 7, 8}}}});
  ASSERT_THAT(weight, Succeeds());
  const auto parsed = Parsed(*weight);
  ASSERT_EQ(parsed.graph().initializer_size(), 1);
  EXPECT_EQ(parsed.graph().initializer(0).name(), "w");
  EXPECT_THAT(NodesOf(*weight), ElementsAre("MatMul(x,w)->hidden", "Relu(hidden)->y"));
}

TEST(GraphEdits, AProductTakesThePlaceOfANode) {
  const auto product = EditGraph(
      kModel, {.products = {{.name = "y", .left = "hidden", .shape = {2, 1}, .values = {1, 2}}}});
  ASSERT_THAT(product, Succeeds());
  EXPECT_THAT(NodesOf(*product), ElementsAre("MatMul(x,w)->hidden", "MatMul(hidden,y__right)->y"));
  EXPECT_EQ(Parsed(*product).graph().initializer(1).name(), "y__right");
}

TEST(GraphEdits, NodesComputeATensorFromWhatItWas) {
  const auto edited = EditGraph(
      kModel,
      {.recomputed = {{.name = "hidden",
                       .nodes = {{.op_type = "Neg", .inputs = {"own"}, .output = "turned"},
                                 {.op_type = "Add", .inputs = {"turned", "x"}, .output = "hidden"}},
                       .own = "own"}}});
  ASSERT_THAT(edited, Succeeds());
  EXPECT_THAT(NodesOf(*edited), ElementsAre("MatMul(x,w)->own", "Neg(own)->turned",
                                            "Add(turned,x)->hidden", "Relu(hidden)->y"));
  const auto without = EditGraph(
      kModel, {.recomputed = {{.name = "hidden",
                               .nodes = {{.op_type = "Neg", .inputs = {"x"}, .output = "hidden"}},
                               .own = {}}}});
  ASSERT_THAT(without, Succeeds());
  EXPECT_THAT(NodesOf(*without), ElementsAre("Neg(x)->hidden", "Relu(hidden)->y"));
}

TEST(GraphEdits, AnInputTakesThePlaceOfWhatIsRemoved) {
  const auto edited = EditGraph(kModel, {.removed = {{"hidden"}, {"w"}},
                                         .inputs = {{"hidden", OnnxBuilder::kFloat, {3, 2}}}});
  ASSERT_THAT(edited, Succeeds());
  EXPECT_THAT(NodesOf(*edited), ElementsAre("Relu(hidden)->y"));
  const auto parsed = Parsed(*edited);
  EXPECT_EQ(parsed.graph().initializer_size(), 0);
  ASSERT_EQ(parsed.graph().input_size(), 2);
  EXPECT_EQ(parsed.graph().input(1).name(), "hidden");
  const auto& type = parsed.graph().input(1).type().tensor_type();
  EXPECT_EQ(type.elem_type(), OnnxBuilder::kFloat);
  ASSERT_EQ(type.shape().dim_size(), 2);
  EXPECT_EQ(type.shape().dim(0).dim_value(), 3);
  EXPECT_THAT(EditGraph(kModel, {.removed = {{"z"}}}), FailsWith(ErrorCode::kNotFound));
}

TEST(GraphEdits, WhatCannotBeReplacedIsNamed) {
  const auto edit = [](const GraphEdits& edits) { return EditGraph(kModel, edits); };
  EXPECT_THAT(edit({.passed = {{.name = "z", .from = "x"}}}),
              FailsSaying(ErrorCode::kNotFound, "computes 'z'"));
  // No node of the graph computes an input.
  EXPECT_THAT(edit({.passed = {{.name = "x", .from = "y"}}}), FailsWith(ErrorCode::kNotFound));
  EXPECT_THAT(edit({.passed = {{.name = "w", .from = "x"}}}),
              FailsSaying(ErrorCode::kInvalidArgument, "'w' is a constant"));
  EXPECT_THAT(edit({.constants = {{"w", {4}, {1, 2, 3, 4}}}, .passed = {{"w", "x"}}}),
              FailsSaying(ErrorCode::kInvalidArgument, "'w' cannot be replaced twice"));
  EXPECT_THAT(edit({.constants = {{"w", {2, 2}, {1, 2, 3}}}}),
              FailsSaying(ErrorCode::kInvalidArgument, "has 4 values, but the data has 3"));
  EXPECT_THAT(edit({.products = {{"y", "hidden", {2, 2}, {1}}}}),
              FailsSaying(ErrorCode::kInvalidArgument, "has 4 values, but the data has 1"));
  EXPECT_THAT(edit({.constants = {{"w", {-1}, {}}}}),
              FailsSaying(ErrorCode::kInvalidArgument, "invalid size, -1"));
  EXPECT_THAT(edit({.constants = {{"w", {1 << 30, 1 << 30, 1 << 30}, {}}}}),
              FailsWith(ErrorCode::kInvalidArgument));
  OnnxBuilder two;
  two.Input("x", {2}).Node("Split", {"x"}, {"a", "b"}).Output("a", {1}).Output("b", {1});
  EXPECT_THAT(EditGraph(two.Bytes(), {.passed = {{.name = "b", .from = "x"}}}),
              FailsSaying(ErrorCode::kInvalidArgument, "also computes 'a'"));
}

// An If whose branches use the same names for weight and product: x times 2 in then_branch, x times
// 3 in else_branch.
std::string Branches() {
  const auto branch = [](float weight) {
    OnnxBuilder body;
    body.Weight("w", {1, 1}, {weight})
        .Node("MatMul", {"x", "w"}, {"there"})
        .Output("there", {1, 1});
    return body;
  };
  OnnxBuilder builder;
  builder.Input("x", {1, 1})
      .Constant<std::uint8_t>("yes", {}, 9, {1})
      .Constant<std::uint8_t>("no", {}, 9, {0})
      .NodeWith("If", {"yes"}, {"y"},
                {OnnxBuilder::GraphAttribute("then_branch", branch(2)),
                 OnnxBuilder::GraphAttribute("else_branch", branch(3))},
                "choose")
      .NodeWith("If", {"no"}, {"z"},
                {OnnxBuilder::GraphAttribute("then_branch", branch(2)),
                 OnnxBuilder::GraphAttribute("else_branch", branch(3))})
      .Output("y", {1, 1})
      .Output("z", {1, 1});
  return builder.Bytes();
}

std::vector<double> AnswersOf(const std::string& bytes, const GraphEdits& edits) {
  const testing::TempDir folder;
  EXPECT_THAT(WriteFileAtomically(folder / "m.onnx", bytes), Succeeds());
  const std::vector<float> x = {10};
  const NamedTensor input{"x", TensorView(x, {1, 1})};
  const auto model =
      ModelCapture::Open(folder / "m.onnx", {.tensors = {{"y", "z"}}, .edits = edits});
  EXPECT_THAT(model, Succeeds());
  if (!model) return {};
  const auto answers = model->Run({&input, 1});
  return {(*tensor::ToDoubles(*answers->Find("y")))[0],
          (*tensor::ToDoubles(*answers->Find("z")))[0]};
}

TEST(GraphEdits, ReachTheBodyThatTheyName) {
  if (const auto found = FindRuntime(); !found) GTEST_SKIP() << found.error().message;
  const GraphPlace then_of_y = {{"y", "then_branch"}}, else_of_z = {{"z", "else_branch"}};
  EXPECT_THAT(AnswersOf(Branches(), {}), ElementsAre(20, 30));
  EXPECT_THAT(AnswersOf(Branches(), {.constants = {{"w", {1, 1}, {5}, then_of_y}}}),
              ElementsAre(50, 30));
  EXPECT_THAT(AnswersOf(Branches(), {.constants = {{"w", {1, 1}, {5}, then_of_y},
                                                   {"w", {1, 1}, {7}, else_of_z}}}),
              ElementsAre(50, 70));
  EXPECT_THAT(AnswersOf(Branches(), {.passed = {{.name = "there", .from = "x", .in = else_of_z}}}),
              ElementsAre(20, 10));
  EXPECT_THAT(AnswersOf(Branches(), {.products = {{"there", "x", {1, 1}, {4}, then_of_y}}}),
              ElementsAre(40, 30));
  // An edit in a branch that does not run changes no result.
  EXPECT_THAT(AnswersOf(Branches(), {.constants = {{"w", {1, 1}, {5}, {{"y", "else_branch"}}}}}),
              ElementsAre(20, 30));
}

TEST(GraphEdits, ANodeBecomesAnotherWithTheSameOutputsAndAttributes) {
  OnnxBuilder builder;
  builder.Input("x", {2, 3})
      .NodeWith("Softmax", {"x"}, {"y"}, {OnnxBuilder::IntAttribute("axis", 1)}, "soft")
      .Output("y", {2, 3});
  const auto edited = EditGraph(
      builder.Bytes(), {.nodes = {{.output = "y", .op_type = "Concat", .inputs = {"x", "c"}}},
                        .added = {{"c", {2, 1}, {1, 2}}}});
  ASSERT_THAT(edited, Succeeds());
  EXPECT_THAT(NodesOf(*edited), ElementsAre("Concat(x,c)->y"));
  const auto parsed = Parsed(*edited);
  EXPECT_EQ(parsed.graph().node(0).name(), "soft");
  ASSERT_EQ(parsed.graph().node(0).attribute_size(), 1);
  EXPECT_EQ(parsed.graph().node(0).attribute(0).name(), "axis");
  ASSERT_EQ(parsed.graph().initializer_size(), 1);
  EXPECT_EQ(parsed.graph().initializer(0).name(), "c");
}

TEST(GraphEdits, BodiesThatAreNotThereAreNamed) {
  const auto constant_in = [](GraphPlace place) {
    return EditGraph(Branches(), {.constants = {{"w", {1, 1}, {5}, std::move(place)}}});
  };
  EXPECT_THAT(
      constant_in({{"y", "body"}}),
      FailsSaying(ErrorCode::kNotFound, "no subgraph 'body' of the node that computes 'y'"));
  EXPECT_THAT(constant_in({{"q", "body"}}), FailsWith(ErrorCode::kNotFound));
  EXPECT_THAT(constant_in({}), FailsSaying(ErrorCode::kNotFound, "main graph computes 'w'"));
  EXPECT_THAT(constant_in({{"y", "then_branch"}, {"there", "body"}}),
              FailsWith(ErrorCode::kNotFound));
  EXPECT_THAT(constant_in(GraphPlace(100, {"y", "then_branch"})),
              FailsSaying(ErrorCode::kInvalidArgument, "more than 32 nested subgraphs"));
  EXPECT_THAT(EditGraph(Branches(), {.constants = {{"v", {1}, {5}, {{"y", "then_branch"}}}}}),
              FailsSaying(ErrorCode::kNotFound,
                          "'then_branch' of the node that computes 'y' computes 'v'"));
}

TEST(GraphEdits, OtherFilesAreNoModels) {
  EXPECT_FALSE(EditGraph("", {}));
  EXPECT_FALSE(EditGraph("not a model at all", {}));
  EXPECT_FALSE(EditGraph(kModel + kModel, {}));
  const GraphEdits edits{.passed = {{.name = "hidden", .from = "x"}}};
  for (std::size_t size = 0; size < kModel.size(); ++size) {
    const auto cut = EditGraph(std::string_view(kModel).substr(0, size), edits);
    if (!cut) continue;  // Unless only what stands behind the graph is missing.
    EXPECT_THAT(NodesOf(*cut), ElementsAre("Identity(x)->hidden", "Relu(hidden)->y"));
  }
}

TEST(GraphEdits, OnnxRuntimeComputesWhatTheEditedModelSays) {
  if (const auto found = FindRuntime(); !found) GTEST_SKIP() << found.error().message;
  const testing::TempDir folder;
  ASSERT_THAT(WriteFileAtomically(folder / "m.onnx", kModel), Succeeds());
  const std::vector<float> x = {1, -1};
  const NamedTensor input{"x", TensorView(x, {1, 2})};
  const auto answer = [&](GraphEdits edits) {
    const auto model =
        ModelCapture::Open(folder / "m.onnx", {.tensors = {{"hidden"}}, .edits = std::move(edits)});
    EXPECT_THAT(model, Succeeds());
    return *tensor::ToDoubles(*model->Run({&input, 1})->Find("hidden"));
  };
  EXPECT_THAT(answer({}), ElementsAre(-2, -2));
  EXPECT_THAT(answer({.constants = {{"w", {2, 2}, {1, 0, 0, 1}}}}), ElementsAre(1, -1));
  EXPECT_THAT(answer({.passed = {{.name = "hidden", .from = "x"}}}), ElementsAre(1, -1));
  EXPECT_THAT(answer({.passed = {{.name = "hidden", .from = "x", .low = 0.0f}}}),
              ElementsAre(1, 0));
  EXPECT_THAT(answer({.passed = {{.name = "hidden", .from = "x", .high = 0.5f}}}),
              ElementsAre(0.5, -1));
  EXPECT_THAT(answer({.passed = {{.name = "hidden", .from = "x", .low = 0.0f, .high = 0.5f}}}),
              ElementsAre(0.5, 0));
  EXPECT_THAT(answer({.products = {{"hidden", "x", {2, 2}, {0, 1, 1, 0}}}}), ElementsAre(-1, 1));
}

}  // namespace
}  // namespace cboard::runtime
