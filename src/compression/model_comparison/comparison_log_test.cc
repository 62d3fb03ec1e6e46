#include <gmock/gmock.h>

#include <map>

#include "cboard/base/file.h"
#include "cboard/compression/model_comparison.h"
#include "compression/model_comparison/graph_log.h"
#include "compression/model_comparison/test_models.h"
#include "testing/event_files.h"
#include "testing/temp_dir.h"

namespace cboard::compare {
namespace {

using ::testing::HasSubstr;
using testing::Succeeds;

// x [n, 2] times [[1, 2], [3, 4]], by codes with a step of 1 and a wrong one of 0.5.
std::string QuantizedFile() {
  testing::OnnxBuilder builder;
  builder.Input("x", {-1, 2})
      .Constant<std::int8_t>("w_quantized", {2, 2}, testing::OnnxBuilder::kInt8, {1, 2, 3, 4})
      .Weight("w_scale", {}, {0.5f})
      .Node("DequantizeLinear", {"w_quantized", "w_scale"}, {"w"})
      .Node("MatMul", {"x", "w"}, {"hidden"})
      .Node("Relu", {"hidden"}, {"y"})
      .Output("y", {-1, 2});
  return builder.Bytes();
}

class ComparisonLog : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(WriteFileAtomically(folder_ / "m.onnx", testing::OnnxBuilder::TwoLayers().Bytes()),
                Succeeds());
    ASSERT_THAT(WriteFileAtomically(folder_ / "q.onnx", QuantizedFile()), Succeeds());
    const auto comparison =
        CompareModels(folder_ / "m.onnx", folder_ / "q.onnx", {.samples = 0, .histograms = true});
    ASSERT_THAT(comparison, Succeeds());
    ASSERT_THAT(LogComparison(*comparison, folder_ / "log"), Succeeds());
  }

  std::map<std::pair<std::string, std::int64_t>, float> Scalars(const std::string& run) const {
    std::map<std::pair<std::string, std::int64_t>, float> found;
    for (const auto& point : testing::ScalarsIn(folder_ / "log" / run)) {
      found[{point.tag, point.step}] = point.value;
    }
    return found;
  }

  testing::TempDir folder_;
};

TEST_F(ComparisonLog, NumbersAreUnderTheLayersName) {
  const auto scalars = Scalars("");
  EXPECT_FLOAT_EQ(scalars.at({"m/layers/hidden/sqnr_db/int8", 0}), 6.0206f);
  EXPECT_FLOAT_EQ(scalars.at({"m/layers/hidden/mse/int8", 0}), 30.0f / 4 / 4);
  EXPECT_EQ(scalars.at({"m/layers/hidden/bytes/fp32", 0}), 16);
}

TEST(ComparisonLogOfExports, KeepsTheNamesThatTagsCannotHold) {
  const auto model = [](bool quantized) {
    testing::OnnxBuilder builder;
    builder.Input("x", {-1, 2});
    if (quantized) {
      builder
          .Constant<std::int8_t>("w_quantized", {2, 2}, testing::OnnxBuilder::kInt8, {1, 2, 3, 4})
          .Weight("w_scale", {}, {1})
          .Node("DequantizeLinear", {"w_quantized", "w_scale"}, {"w"});
    } else {
      builder.Weight("w", {2, 2}, {1, 2, 3, 4});
    }
    return builder.Node("MatMul", {"x", "w"}, {"y"}, {}, "/net/fc:0").Output("y", {-1, 2}).Bytes();
  };
  testing::TempDir folder;
  ASSERT_THAT(WriteFileAtomically(folder / "m.onnx", model(false)), Succeeds());
  ASSERT_THAT(WriteFileAtomically(folder / "q.onnx", model(true)), Succeeds());
  const auto comparison =
      CompareModels(folder / "m.onnx", folder / "q.onnx", {.samples = 0, .histograms = true});
  ASSERT_THAT(comparison, Succeeds());
  ASSERT_THAT(LogComparison(*comparison, folder / "log"), Succeeds());
  std::string events;
  for (const auto& file : testing::EventFilesIn(folder / "log")) {
    for (const std::string& event : testing::EventBytes(file)) events += event;
  }
  EXPECT_THAT(events, HasSubstr("m/layers/net/fc_0/sqnr_db/int8"));
  EXPECT_THAT(events, HasSubstr(R"({"v":1,"model":"m","variant":"int8","layer":"/net/fc:0"})"));
  EXPECT_THAT(events, HasSubstr(R"({"v":1,"model":"m","variant":"fp32","layer":"/net/fc:0"})"));
}

TEST_F(ComparisonLog, ChannelsAreSteps) {
  const auto before = Scalars("fp32/max_per_channel"), after = Scalars("int8/max_per_channel");
  EXPECT_EQ(before.at({"hidden/weight", 0}), 3);
  EXPECT_EQ(before.at({"hidden/weight", 1}), 4);
  EXPECT_EQ(after.at({"hidden/weight", 1}), 2);
}

TEST_F(ComparisonLog, BothGraphsAreThere) {
  for (const char* run : {"fp32", "int8"}) {
    std::string events;
    for (const auto& file : testing::EventFilesIn(folder_ / "log" / run)) {
      for (const std::string& event : testing::EventBytes(file)) events += event;
    }
    EXPECT_THAT(events, HasSubstr("MatMul"));
    EXPECT_THAT(events, HasSubstr("Resources"));
    EXPECT_THAT(events, HasSubstr("wrong_scale"));
  }
}

TEST(GraphLog, AFileOfWeightsHasANodePerTensor) {
  const ModelGraph model = OpenedSafetensors({{"fc.weight", {1, 2}, {1, 2}}, {"b", {1}, {3}}});
  const GraphLog log = BuildGraphLog(model, {});
  EXPECT_THAT(log.graph_def, HasSubstr("fc.weight: float32 [1, 2]"));
  EXPECT_THAT(log.resources, HasSubstr("fc.weight"));
}

}  // namespace
}  // namespace cboard::compare
