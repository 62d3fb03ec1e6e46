#include "compression/tuning/trial_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "compression/testing/graph_def_builder.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::compression {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;
using testing::Succeeds;

class TrialGraphs : public ::testing::Test {
 protected:
  TrialGraph Open(const testing::GraphDefBuilder& graph) {
    graph.Save(dir_ / "graph.pb");
    Result<TrialGraph> opened = TrialGraph::Open(dir_ / "graph.pb");
    EXPECT_THAT(opened, Succeeds());
    return *std::move(opened);
  }

  testing::TempDir dir_;
};

TEST_F(TrialGraphs, NamesTheWeightsByTheirConstNodes) {
  const TrialGraph graph = Open(testing::FloatGraph());
  std::map<std::string, std::vector<std::int64_t>> shapes;
  graph.ForEachWeight([&](std::string_view name, const Result<TensorView>& values) {
    ASSERT_THAT(values, Succeeds());
    shapes[std::string(name)] = values->shape;
  });
  EXPECT_THAT(shapes, ElementsAre(std::pair("v0/cg/conv0/conv2d/kernel",
                                            std::vector<std::int64_t>{3, 3, 1, 32}),
                                  std::pair("v0/cg/fc/biases", std::vector<std::int64_t>{32})));
  EXPECT_EQ(graph.precision(), "fp32");
}

TEST_F(TrialGraphs, AnyRequantizeMakesTheGraphAnInt8One) {
  const TrialGraph graph = Open(testing::QuantizedGraph());
  EXPECT_EQ(graph.precision(), "int8");
  std::vector<std::string> names;
  graph.ForEachWeight([&](std::string_view name, const Result<TensorView>& values) {
    ASSERT_THAT(values, Succeeds());
    names.emplace_back(name);
  });
  // The ranges of the quantized convolution are not weights.
  EXPECT_THAT(names, ElementsAre("v0/cg/conv0/conv2d/kernel_qint8_const", "v0/cg/conv0/bias"));
}

TEST_F(TrialGraphs, KnowsTheScaleOfRequantizedCodes) {
  const TrialGraph graph = Open(testing::QuantizedGraph());
  const auto scale = graph.ScaleOfOutput(testing::kRequantize, DType::kUint8);
  ASSERT_TRUE(scale);
  EXPECT_FLOAT_EQ(scale->scale, 6.0f / 255);
  EXPECT_EQ(scale->zero_point, 0);
  EXPECT_FALSE(graph.ScaleOfOutput(testing::kRequantize, DType::kFloat32));
  EXPECT_FALSE(graph.ScaleOfOutput("v0/cg/conv0/bias", DType::kUint8));
  EXPECT_FALSE(graph.ScaleOfOutput("nowhere", DType::kUint8));
}

TEST_F(TrialGraphs, IsLoggedWithoutTheValuesOfLargeConstants) {
  const testing::GraphDefBuilder whole = testing::FloatGraph();
  const TrialGraph graph = Open(whole);
  const Result<std::string> trimmed = graph.Trimmed();
  ASSERT_THAT(trimmed, Succeeds());
  EXPECT_LT(trimmed->size() + 3 * 3 * 32 * sizeof(float), whole.Encode().size());
  std::vector<std::string> names, keys;
  ASSERT_THAT(proto::ForEachNode(*trimmed,
                                 [&](const proto::NodeView& node) {
                                   names.emplace_back(node.name);
                                   if (node.name != "v0/cg/conv0/conv2d/kernel") return;
                                   EXPECT_EQ(node.op, "Const");
                                   const auto note = [&](std::string_view key, std::string_view) {
                                     keys.emplace_back(key);
                                   };
                                   EXPECT_THAT(proto::ForEachAttribute(node.bytes, note),
                                               Succeeds());
                                 }),
              Succeeds());
  EXPECT_THAT(names, ElementsAre("input", "v0/cg/conv0/conv2d/kernel", "v0/cg/conv0/conv2d/Conv2D",
                                 "v0/cg/conv0/Relu", "v0/cg/fc/biases", "v0/cg/fc/BiasAdd"));
  EXPECT_THAT(keys, ElementsAre("dtype"));
  EXPECT_THAT(*trimmed, HasSubstr("biases"));
}

TEST_F(TrialGraphs, RefusesOtherFiles) {
  std::ofstream(dir_ / "text") << "no model at all";
  EXPECT_FALSE(TrialGraph::Open(dir_ / "text"));
  EXPECT_THAT(TrialGraph::Open(dir_ / "missing.pb"), FailsWith(ErrorCode::kNotFound));
}

}  // namespace
}  // namespace cboard::compression
