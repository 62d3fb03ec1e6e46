#include "runtime/constant_part.h"

#include <gmock/gmock.h>

#include "onnx_model.pb.h"
#include "runtime/testing/onnx_builder.h"
#include "testing/matchers.h"

namespace cboard::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::OnnxBuilder;
using testing::Succeeds;
using ::testing::UnorderedElementsAre;

constexpr std::size_t kAnySize = std::size_t{1} << 40;

ConstantPart PartOf(const OnnxBuilder& model, const std::vector<std::string>& captured = {},
                    std::size_t max_bytes = kAnySize) {
  auto part = FindConstantPart(model.Bytes(), captured, max_bytes);
  EXPECT_THAT(part, Succeeds());
  return part ? *std::move(part) : ConstantPart();
}

// Lists nodes by their operators and constants by their names, as libprotobuf reads them.
std::vector<std::string> ContentOf(const ConstantPart& part) {
  cboard_testing_onnx::ModelProto parsed;
  EXPECT_TRUE(parsed.ParseFromString(part.model));
  std::vector<std::string> content;
  for (const auto& node : parsed.graph().node()) content.push_back(node.op_type());
  for (const auto& tensor : parsed.graph().initializer()) content.push_back(tensor.name());
  return content;
}

std::vector<std::string> RemovedFrom(const ConstantPart& part) {
  std::vector<std::string> names;
  for (const RemovedTensor& removed : part.removed) {
    std::string place;
    for (const GraphBody& body : removed.in) place += body.output + "." + body.attribute + ":";
    names.push_back(place + removed.name);
  }
  return names;
}

OnnxBuilder& AddCodes(OnnxBuilder& graph, const std::string& name) {
  return graph.Constant<std::int8_t>(name + "_codes", {2, 2}, OnnxBuilder::kInt8, {1, 2, 3, 4});
}

// A model x -> MatMul -> y whose weight is dequantized.
OnnxBuilder Dequantizing() {
  OnnxBuilder builder;
  builder.Input("x", {-1, 2}).Weight("scale", {}, {0.5f});
  AddCodes(builder, "w")
      .Node("DequantizeLinear", {"w_codes", "scale"}, {"w"})
      .Node("MatMul", {"x", "w"}, {"y"})
      .Output("y", {-1, 2});
  return builder;
}

TEST(ConstantPart, IsWhatDequantizesWeightsAndTheConstantsThatOnlyItUses) {
  const ConstantPart part = PartOf(Dequantizing());
  EXPECT_THAT(part.outputs, ElementsAre("w"));
  EXPECT_THAT(ContentOf(part), UnorderedElementsAre("DequantizeLinear", "w_codes", "scale"));
  EXPECT_THAT(RemovedFrom(part), UnorderedElementsAre("w", "w_codes", "scale"));
}

TEST(ConstantPart, LeavesActivationsAndTheConstantsTheyUse) {
  OnnxBuilder model = Dequantizing();
  model.Node("QuantizeLinear", {"y", "scale"}, {"y_codes"})
      .Node("DequantizeLinear", {"y_codes", "scale"}, {"z"});
  const ConstantPart part = PartOf(model);
  EXPECT_THAT(part.outputs, ElementsAre("w"));
  EXPECT_THAT(RemovedFrom(part), UnorderedElementsAre("w", "w_codes"));
}

TEST(ConstantPart, FollowsWeightsUpToTheirLayer) {
  OnnxBuilder model;
  model.Input("x", {-1, 2})
      .Weight("float", {2, 2}, {1, 2, 3, 4})
      .Weight("scale", {}, {0.5f})
      .Node("QuantizeLinear", {"float", "scale"}, {"codes"})
      .Node("DequantizeLinear", {"codes", "scale"}, {"back"})
      .Node("Transpose", {"back"}, {"w"})
      .Node("Transpose", {"float"}, {"other"})
      .Node("MatMul", {"x", "w"}, {"y"})
      .Node("MatMul", {"y", "other"}, {"z"})
      .Output("z", {-1, 2});
  const ConstantPart part = PartOf(model);
  EXPECT_THAT(part.outputs, ElementsAre("w"));  // Tensors in between are not kept.
  EXPECT_THAT(ContentOf(part), UnorderedElementsAre("QuantizeLinear", "DequantizeLinear",
                                                    "Transpose", "float", "scale"));
  EXPECT_THAT(RemovedFrom(part), UnorderedElementsAre("codes", "back", "w", "scale"));
  EXPECT_THAT(PartOf(model, {"back", "y"}).outputs, ElementsAre("back", "w"));
}

TEST(ConstantPart, ReachesIntoBodies) {
  OnnxBuilder branch, model;
  AddCodes(branch, "own")
      .Node("DequantizeLinear", {"own_codes", "scale"}, {"own"})
      .Node("MatMul", {"x", "own"}, {"there"})
      .Node("MatMul", {"there", "w"}, {"out"})
      .Output("out", {1, 2});
  model.Input("x", {1, 2}).Input("condition", {}, 9).Weight("scale", {}, {0.5f});
  AddCodes(model, "w")
      .Node("DequantizeLinear", {"w_codes", "scale"}, {"w"})
      .Node("If", {"condition"}, {"y"}, OnnxBuilder::GraphAttribute("then_branch", branch))
      .Output("y", {1, 2});
  const ConstantPart part = PartOf(model);
  EXPECT_THAT(part.outputs, ElementsAre("w", "own"));
  EXPECT_THAT(RemovedFrom(part), UnorderedElementsAre("w", "w_codes", "scale", "y.then_branch:own",
                                                      "y.then_branch:own_codes"));
}

// Both branches define a different "own"; an input of the model would replace both.
TEST(ConstantPart, LeavesWhatSharesItsNameWithAnother) {
  OnnxBuilder branch, model;
  AddCodes(branch, "own")
      .Node("DequantizeLinear", {"own_codes", "scale"}, {"own"})
      .Node("MatMul", {"x", "own"}, {"there"})
      .Output("there", {1, 2});
  model.Input("x", {1, 2})
      .Input("condition", {}, 9)
      .Weight("scale", {}, {0.5f})
      .NodeWith("If", {"condition"}, {"y"},
                {OnnxBuilder::GraphAttribute("then_branch", branch),
                 OnnxBuilder::GraphAttribute("else_branch", branch)})
      .Output("y", {1, 2});
  EXPECT_THAT(PartOf(model).outputs, IsEmpty());
}

TEST(ConstantPart, LeavesOutputsOfTheModelAndOfBodies) {
  OnnxBuilder model = Dequantizing();
  EXPECT_THAT(PartOf(model.Output("w", {2, 2})).outputs, IsEmpty());
}

// The loop's state is an input of the body, whatever its first value is.
TEST(ConstantPart, LeavesWhatALoopChanges) {
  OnnxBuilder body, model;
  AddCodes(body, "state")
      .Input("state_codes", {2, 2}, OnnxBuilder::kInt8)
      .Node("DequantizeLinear", {"state_codes", "scale"}, {"real"})
      .Node("Relu", {"real"}, {"out"})
      .Output("out", {2, 2});
  model.Weight("scale", {}, {0.5f})
      .Node("Loop", {"", "", "x"}, {"y"}, OnnxBuilder::GraphAttribute("body", body))
      .Output("y", {2, 2});
  EXPECT_THAT(PartOf(model).outputs, IsEmpty());
}

// Without the initializer, the model would require the input.
TEST(ConstantPart, KeepsConstantsThatOldFilesListAmongTheInputs) {
  OnnxBuilder model = Dequantizing();
  const ConstantPart part = PartOf(model.Input("w_codes", {2, 2}, OnnxBuilder::kInt8));
  EXPECT_THAT(part.outputs, ElementsAre("w"));
  EXPECT_THAT(RemovedFrom(part), UnorderedElementsAre("w", "scale"));
}

TEST(ConstantPart, StaysWithinItsBytes) {
  OnnxBuilder model = Dequantizing();
  AddCodes(model, "v")
      .Node("DequantizeLinear", {"v_codes", "scale"}, {"v"})
      .Node("MatMul", {"y", "v"}, {"z"});
  EXPECT_THAT(PartOf(model, {}, 32).outputs, ElementsAre("w", "v"));
  const ConstantPart part = PartOf(model, {}, 31);
  EXPECT_THAT(part.outputs, ElementsAre("w"));
  EXPECT_THAT(RemovedFrom(part), UnorderedElementsAre("w", "w_codes"));
  EXPECT_THAT(PartOf(model, {}, 0).outputs, IsEmpty());
}

TEST(ConstantPart, IsNotFoundInOtherFiles) {
  EXPECT_FALSE(FindConstantPart("", {}, kAnySize));
  EXPECT_FALSE(FindConstantPart("not a model at all", {}, kAnySize));
}

}  // namespace
}  // namespace cboard::runtime
