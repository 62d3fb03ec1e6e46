#include "writer/graph_import/onnx_graph.h"

#include <gtest/gtest.h>

#include <map>

#include "cboard/base/file.h"
#include "onnx_model.pb.h"
#include "proto/testing/protobuf_oracle.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::writer {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::ParsedByProtobuf;
using testing::Succeeds;

using cboard_testing::GraphDef;
using cboard_testing::NodeDef;
using cboard_testing_onnx::ModelProto;
using cboard_testing_onnx::NodeProto;
using cboard_testing_onnx::ValueInfoProto;

void Describe(ValueInfoProto& info, const std::string& name, int type,
              const std::vector<std::int64_t>& shape) {
  info.set_name(name);
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (const std::int64_t size : shape) {
    auto& dimension = *tensor.mutable_shape()->add_dim();
    if (size < 0) {
      dimension.set_dim_param("batch");
    } else {
      dimension.set_dim_value(size);
    }
  }
}

NodeProto& AddNode(ModelProto& model, const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs, const std::string& name = "") {
  NodeProto& node = *model.mutable_graph()->add_node();
  node.set_op_type(op);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  if (!name.empty()) node.set_name(name);
  return node;
}

GraphDef Imported(const ModelProto& model) {
  const Result<std::string> graph = GraphDefFromOnnxBytes(model.SerializeAsString());
  EXPECT_THAT(graph, Succeeds());
  return graph ? ParsedByProtobuf<GraphDef>(*graph) : GraphDef();
}

const NodeDef& Find(const GraphDef& graph, const std::string& name, const std::string& op) {
  for (const NodeDef& node : graph.node()) {
    if (node.name() == name && node.op() == op) return node;
  }
  ADD_FAILURE() << "no node " << name << " of op " << op << " in " << graph.DebugString();
  return NodeDef::default_instance();
}

// The model x -> Conv(w) -> h -> Relu -> y
ModelProto SmallModel() {
  ModelProto model;
  Describe(*model.mutable_graph()->add_input(), "x", 1, {-1, 3});
  Describe(*model.mutable_graph()->add_output(), "y", 2, {-1, 8});
  Describe(*model.mutable_graph()->add_value_info(), "h", 1, {-1, 8});
  auto& weight = *model.mutable_graph()->add_initializer();
  weight.set_name("w");
  weight.set_data_type(3);
  weight.add_dims(8);
  weight.add_dims(3);
  NodeProto& conv = AddNode(model, "Conv", {"x", "w", ""}, {"h"}, "Conv_0");
  auto& kernel = *conv.add_attribute();
  kernel.set_name("kernel_shape");
  kernel.add_ints(3);
  kernel.add_ints(3);
  kernel.set_type(7);
  auto& pad = *conv.add_attribute();
  pad.set_name("auto_pad");
  pad.set_s("NOTSET");
  AddNode(model, "Relu", {"h"}, {"y"});
  return model;
}

TEST(OnnxGraph, HasTensorboardXsForm) {
  const GraphDef graph = Imported(SmallModel());
  EXPECT_EQ(graph.versions().producer(), 22);
  const NodeDef& input = Find(graph, "x", "Variable");
  EXPECT_THAT(input.input(), IsEmpty());
  EXPECT_EQ(input.attr().at("dtype").type(), 1);
  ASSERT_EQ(input.attr().at("shape").shape().dim_size(), 2);
  EXPECT_EQ(input.attr().at("shape").shape().dim(0).size(), -1);
  EXPECT_EQ(input.attr().at("shape").shape().dim(1).size(), 3);
  EXPECT_EQ(Find(graph, "y", "Variable").attr().at("dtype").type(), 4);  // uint8

  const NodeDef& conv = Find(graph, "h", "Conv");
  EXPECT_THAT(conv.input(), ElementsAre("x", "w"));
  EXPECT_EQ(conv.attr().at("parameters").s(), "kernel_shape = [3, 3], auto_pad = 'NOTSET'");
  EXPECT_THAT(Find(graph, "y", "Relu").input(), ElementsAre("h"));
}

TEST(OnnxGraph, KeepsWeightsShapesAndNodeNames) {
  const GraphDef graph = Imported(SmallModel());
  const NodeDef& weight = Find(graph, "w", "Const");
  EXPECT_EQ(weight.attr().at("dtype").type(), 6);  // int8
  EXPECT_EQ(weight.attr().at("shape").shape().dim(0).size(), 8);
  const NodeDef& conv = Find(graph, "h", "Conv");
  EXPECT_EQ(conv.attr().at("onnx_name").s(), "Conv_0");
  EXPECT_EQ(conv.attr().at("_output_shapes").list().shape(0).dim(1).size(), 8);
}

TEST(OnnxGraph, AWeightThatIsAlsoAnInputIsOneVariable) {
  ModelProto model = SmallModel();
  Describe(*model.mutable_graph()->add_input(), "w", 3, {8, 3});
  const GraphDef graph = Imported(model);
  EXPECT_EQ(graph.node_size(), 5);
  Find(graph, "w", "Variable");
}

TEST(OnnxGraph, LaterOutputsAreReachedByNumber) {
  ModelProto model;
  Describe(*model.mutable_graph()->add_input(), "x", 1, {4});
  Describe(*model.mutable_graph()->add_output(), "b", 1, {2});
  AddNode(model, "Split", {"x"}, {"a", "b"});
  AddNode(model, "Add", {"a", "b"}, {"c"});
  const GraphDef graph = Imported(model);
  EXPECT_THAT(Find(graph, "c", "Add").input(), ElementsAre("a", "a:1"));
  EXPECT_THAT(Find(graph, "b", "Variable").input(), ElementsAre("a:1"));
}

TEST(OnnxGraph, TensorFlowsTensorNamesBecomeNodeNames) {
  ModelProto model;
  Describe(*model.mutable_graph()->add_input(), "input:0", 1, {4});
  Describe(*model.mutable_graph()->add_output(), "model/out:0", 1, {4});
  AddNode(model, "Relu", {"input:0"}, {"model/relu:0"});
  AddNode(model, "Tanh", {"model/relu:0"}, {"model/out:0"});
  const GraphDef graph = Imported(model);
  EXPECT_THAT(Find(graph, "model/relu", "Relu").input(), ElementsAre("input"));
  EXPECT_THAT(Find(graph, "model/out", "Tanh").input(), ElementsAre("model/relu"));
  Find(graph, "model/out", "Variable");
}

TEST(OnnxGraph, ANodeWithoutOutputNamesIsCalledAfterItself) {
  ModelProto model;
  AddNode(model, "Print", {"x"}, {});
  AddNode(model, "Print", {"x"}, {""}, "log");
  AddNode(model, "TopK", {"x"}, {"", "indices"});
  AddNode(model, "", {}, {""});
  const GraphDef graph = Imported(model);
  EXPECT_EQ(graph.node_size(), 4);
  Find(graph, "Print", "Print");
  Find(graph, "log", "Print");
  Find(graph, "indices", "TopK");
}

TEST(OnnxGraph, AnOutputThatIsAnInputIsThereOnce) {
  ModelProto model;
  Describe(*model.mutable_graph()->add_input(), "x", 1, {});
  Describe(*model.mutable_graph()->add_output(), "x", 1, {});
  EXPECT_EQ(Imported(model).node_size(), 1);
}

TEST(OnnxGraph, InputsAndOutputsWithoutNamesAreLeftOut) {
  ModelProto model;
  model.mutable_graph()->add_input();
  model.mutable_graph()->add_output();
  model.mutable_graph()->add_initializer();
  AddNode(model, "", {""}, {""});
  const GraphDef graph = Imported(model);
  ASSERT_EQ(graph.node_size(), 1);
  EXPECT_EQ(graph.node(0).name(), "node");
}

TEST(OnnxGraph, AttributesOfEveryKindAreReadable) {
  ModelProto model;
  NodeProto& node = AddNode(model, "Op", {}, {"y"});
  const auto add = [&](const std::string& name) -> auto& {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    return attribute;
  };
  add("f").set_f(0.1f);
  add("i").set_i(-3);
  add("s").set_s("a\nb\xff");
  add("t").mutable_t()->set_data_type(10);
  add("g").mutable_g()->set_name("body");
  add("fs").add_floats(1.5f);
  add("ss").add_strings("p");
  add("none");
  auto& many = add("many");
  for (int i = 0; i < 70; ++i) many.add_ints(0);
  const std::string text = Find(Imported(model), "y", "Op").attr().at("parameters").s();
  EXPECT_THAT(text, ::testing::StartsWith("f = 0.1, i = -3, s = 'a"));
  EXPECT_THAT(text, ::testing::HasSubstr("t = tensor HALF [], g = graph, fs = [1.5], ss = ['p'], "
                                         "none = [], many = [0, 0, "));
  EXPECT_THAT(text, ::testing::EndsWith("0, … 70 in all]"));
}

TEST(OnnxGraph, FilesAreReadAndErrorsNameThem) {
  testing::TempDir dir;
  const auto good = dir / "good.onnx";
  ASSERT_THAT(WriteFileAtomically(good, SmallModel().SerializeAsString()), Succeeds());
  EXPECT_THAT(GraphDefFromOnnx(good), Succeeds());

  EXPECT_THAT(GraphDefFromOnnx(dir / "missing.onnx"),
              FailsSaying(ErrorCode::kNotFound, "missing.onnx"));
  const auto empty = dir / "empty.onnx";
  ASSERT_THAT(WriteFileAtomically(empty, ""), Succeeds());
  EXPECT_THAT(GraphDefFromOnnx(empty),
              FailsSaying(ErrorCode::kInvalidArgument, "empty.onnx': this is not an ONNX model"));
  const auto cut = dir / "cut.onnx";
  const std::string bytes = SmallModel().SerializeAsString();
  ASSERT_THAT(WriteFileAtomically(cut, bytes.substr(0, bytes.size() / 2)), Succeeds());
  EXPECT_THAT(GraphDefFromOnnx(cut), FailsSaying(ErrorCode::kDataLoss, "cut.onnx': ONNX model"));
}

TEST(OnnxGraph, EveryTruncationIsAnError) {
  const std::string bytes = SmallModel().SerializeAsString();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(GraphDefFromOnnxBytes(std::string_view(bytes).substr(0, size)).has_value());
  }
}

}  // namespace
}  // namespace cboard::writer
