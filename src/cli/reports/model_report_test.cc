#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/reports/reports.h"
#include "model/graph/graph_assembler.h"

namespace cboard::cli {
namespace {

using ::testing::HasSubstr;

// The model y = MatMul(x, w), where w has 8 bits and a scale per column.
model::ModelGraph SmallModel() {
  model::GraphAssembler graph(model::ModelFormat::kOnnx,
                              model::MappedFile::FromMemory(std::string(100, 'x'), "m.onnx"));
  graph.AddMetadata("producer", "tests");
  const model::TensorId x = graph.Tensor("x"), y = graph.Tensor("y"), w = graph.Tensor("w");
  graph.Describe(x, DType::kFloat32, {-1, 3});
  graph.Describe(y, DType::kFloat32, {-1, 2});
  EXPECT_TRUE(graph.SetConstant(w, DType::kInt8, {3, 2}, {graph.Keep("abcdef")}));
  graph.tensor(w).quantization =
      model::ModelQuantization{.granularity = Quantization::Granularity::kPerChannel,
                               .scales = {0.5f, 0.25f},
                               .axis = 1,
                               .code_min = -128,
                               .code_max = 127};
  graph.AddNode({.name = "dense/MatMul", .op_type = "MatMul", .inputs = {x, w}, .outputs = {y}});
  graph.AddInput(x);
  graph.AddOutput(y);
  EXPECT_TRUE(graph.Sort());
  return *graph.Finish();
}

TEST(ModelReport, ShowsWhereTheBytesAre) {
  EXPECT_EQ(ModelText("m.onnx", SmallModel()),
            "'m.onnx': onnx, 100 B, 1 node, 1 constant of 6 elements in 6 B, 6 "
            "multiply-accumulates for one sample\n"
            "producer: tests\n"
            "input 'x' float32 [?, 3]\n"
            "output 'y' float32 [?, 2]\n"
            "\n"
            "operator  nodes  weights  multiply-accumulates\n"
            "MatMul        1      6 B                     6\n"
            "\n"
            "stored as  quantization            constants  elements  bytes    share\n"
            "int8       8 bit per channel, qdq          1         6    6 B  100.0 %\n"
            "\n"
            "largest nodes  operator  weights  multiply-accumulates  output\n"
            "dense/MatMul   MatMul        6 B                     6  [?, 2]\n");
}

TEST(ModelReport, AsJsonHasNullForWhatIsNotKnown) {
  EXPECT_EQ(
      ModelJson("m.onnx", SmallModel()),
      R"({"path":"m.onnx","format":"onnx","file_bytes":100,)"
      R"("metadata":[{"key":"producer","value":"tests"}],)"
      R"("totals":{"nodes":1,"constants":1,"elements":6,"weight_bytes":6,"macs":6,)"
      R"("nodes_without_macs":0},)"
      R"("inputs":[{"name":"x","type":"float32","shape":[null,3],"quantization":null}],)"
      R"("outputs":[{"name":"y","type":"float32","shape":[null,2],"quantization":null}],)"
      R"("nodes":[{"name":"dense/MatMul","op_type":"MatMul","scope":"dense","inputs":["x","w"],)"
      R"("outputs":["y"],"output_shapes":[[null,2]],"weight_bytes":6,"output_bytes":8,"macs":6}],)"
      R"("constants":[{"name":"w","type":"int8","shape":[3,2],"bytes":6,"sparse":false,)"
      R"("quantization":{"origin":"qdq","bits":8,"granularity":"per channel","axis":1,)"
      R"("group_size":0,"scale_count":2,"min_scale":0.25,"max_scale":0.5}}]})"
      "\n");
}

TEST(ModelReport, ListsTensorsWhereThereAreNoNodes) {
  model::GraphAssembler graph(model::ModelFormat::kSafetensors,
                              model::MappedFile::FromMemory("", "m"));
  for (const char* name : {"small", "large\x1b[31m"}) {
    const std::string bytes(std::string_view(name).size(), 'x');
    const model::TensorId id = graph.Tensor(name);
    EXPECT_TRUE(graph.SetConstant(id, DType::kUint8, {static_cast<std::int64_t>(bytes.size())},
                                  {graph.Keep(bytes)}));
  }
  const std::string text = ModelText("m", *graph.Finish(), 1);
  EXPECT_THAT(text, HasSubstr("largest tensors  stored as  shape  bytes\n"
                              "large\\x1b[31m    uint8      [10]    10 B\n"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("\nsmall")));
}

TEST(HumanWork, KeepsThreeDigits) {
  EXPECT_EQ(HumanWork(0), "0");
  EXPECT_EQ(HumanWork(999), "999");
  EXPECT_EQ(HumanWork(1'820'000'000), "1.82 G");
  EXPECT_EQ(HumanWork(999'999), "1 M");
}

}  // namespace
}  // namespace cboard::cli
