#include "cboard/compare/comparison_log.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cboard/base/file.h"
#include "cboard/compare/compare_models.h"
#include "cboard/compare/model_comparison.h"
#include "compare/output/graph_log.h"
#include "compare/output/log_parts.h"
#include "compare/output/logged_runs.h"
#include "compare/output/verified_log.h"
#include "compare/testing/test_models.h"
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

// Pages draw layers in the order of the log.
TEST(ComparisonLogOfLayers, IsInTheOrderOfExecutionInputsFirst) {
  ModelComparison comparison;  // The worst first.
  for (const auto& [name, node, depth] :
       {std::tuple("second", "second", 4), std::tuple("third", "third", 7),
        std::tuple("first", "first", 0), std::tuple("image", "", 0)}) {
    LayerComparison& layer = comparison.layers.emplace_back();
    layer.name = name;
    layer.node = node;
    layer.depth = static_cast<std::size_t>(depth);
  }
  std::vector<std::string> names;
  for (const LayerComparison* layer : LayersAlongDepth(comparison)) names.push_back(layer->name);
  EXPECT_THAT(names, ::testing::ElementsAre("image", "first", "second", "third"));
}

TEST_F(ComparisonLog, NumbersAreUnderTheLayersName) {
  const auto scalars = Scalars("");
  EXPECT_FLOAT_EQ(scalars.at({"m/layers/hidden/sqnr_db/int8", 0}), 6.0206f);
  EXPECT_FLOAT_EQ(scalars.at({"m/layers/hidden/mse/int8", 0}), 30.0f / 4 / 4);
  EXPECT_EQ(scalars.at({"m/layers/hidden/bytes/fp32", 0}), 16);
}

// A page prints the cosine beside the SQNR; the weights' cosine of 1 would contradict 6 dB.
TEST_F(ComparisonLog, MetricsAreOfThePartThatTheSqnrIsOf) {
  auto comparison = CompareModels(folder_ / "m.onnx", folder_ / "q.onnx", {.samples = 0});
  ASSERT_THAT(comparison, Succeeds());
  const auto layer = std::ranges::find(comparison->layers, "hidden", &LayerComparison::name);
  ASSERT_TRUE(layer != comparison->layers.end() && layer->weight);
  layer->local = layer->weight;
  layer->local->total.sum_squared_error *= 4;
  ASSERT_THAT(LogComparison(*comparison, folder_ / "both"), Succeeds());
  std::map<std::string, float> found;
  for (const auto& point : testing::ScalarsIn(folder_ / "both")) found[point.tag] = point.value;
  EXPECT_NEAR(found.at("m/layers/hidden/sqnr_db/int8"), 0, 1e-3);
  EXPECT_FLOAT_EQ(found.at("m/layers/hidden/mse/int8"), 30.0f / 4);
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

// Weights that were all zero: whatever they became is error, and there is no such logarithm.
TEST_F(ComparisonLog, SaysSoOfLayersOfWhichNothingIsLeft) {
  testing::OnnxBuilder zeros;
  zeros.Input("x", {-1, 2})
      .Weight("w", {2, 2}, {0, 0, 0, 0})
      .Node("MatMul", {"x", "w"}, {"hidden"})
      .Node("Relu", {"hidden"}, {"y"})
      .Output("y", {-1, 2});
  ASSERT_THAT(WriteFileAtomically(folder_ / "zeros.onnx", zeros.Bytes()), Succeeds());
  const auto comparison = CompareModels(folder_ / "zeros.onnx", folder_ / "q.onnx", {.samples = 0});
  ASSERT_THAT(comparison, Succeeds());
  ASSERT_THAT(LogComparison(*comparison, folder_ / "log" / "zeros"), Succeeds());
  const auto scalars = Scalars("zeros");
  EXPECT_EQ(scalars.at({"zeros/layers/hidden/sqnr_db/int8", 0}), -200);
}

TEST_F(ComparisonLog, ChannelsAreSteps) {
  const auto before = Scalars("fp32/max_per_channel"), after = Scalars("int8/max_per_channel");
  EXPECT_EQ(before.at({"m/channels/hidden/weight", 0}), 3);
  EXPECT_EQ(before.at({"m/channels/hidden/weight", 1}), 4);
  EXPECT_EQ(after.at({"m/channels/hidden/weight", 1}), 2);
}

TEST_F(ComparisonLog, ChannelsHaveTheirSqnrAndTheWorstAHistogramOfBothModels) {
  const auto sqnr = Scalars("int8/sqnr_per_channel");
  EXPECT_FLOAT_EQ(sqnr.at({"m/channels/hidden/weight", 0}), 6.0206f);
  EXPECT_FLOAT_EQ(sqnr.at({"m/channels/hidden/weight", 1}), 6.0206f);
  EXPECT_TRUE(Scalars("fp32/sqnr_per_channel").empty());
  for (const char* run : {"fp32", "int8"}) {
    const std::string folder = std::string(run) + "/histogram_per_channel";
    std::size_t channels = 0;
    for (const auto& file : testing::EventFilesIn(folder_ / "log" / folder)) {
      for (const std::string& event : testing::EventBytes(file)) {
        if (event.find("m/channels/hidden/weight") != std::string::npos) ++channels;
      }
    }
    EXPECT_EQ(channels, 2u) << folder;
  }
}

TEST_F(ComparisonLog, BothGraphsAreThereAndFindingsInTheVariants) {
  for (const char* run : {"fp32", "int8"}) {
    std::string events;
    for (const auto& file : testing::EventFilesIn(folder_ / "log" / run)) {
      for (const std::string& event : testing::EventBytes(file)) events += event;
    }
    EXPECT_THAT(events, HasSubstr("MatMul"));
    EXPECT_THAT(events, HasSubstr("Resources"));
    const bool is_variant = std::string_view(run) == "int8";
    EXPECT_EQ(events.find("wrong_scale") != std::string::npos, is_variant) << run;
    // An attribute whose value is the integer 8 or 32.
    const std::string bits = std::string("weight_bits\x12\x02\x18") + (is_variant ? '\x08' : ' ');
    EXPECT_THAT(events, HasSubstr(bits)) << run;
  }
}

// The same files under another name are another model.
TEST_F(ComparisonLog, AnotherModelHasRunsOfItsOwn) {
  const auto log = [&](const std::string& baseline) {
    ASSERT_THAT(WriteFileAtomically(folder_ / baseline, testing::OnnxBuilder::TwoLayers().Bytes()),
                Succeeds());
    const auto comparison = CompareModels(folder_ / baseline, folder_ / "q.onnx", {.samples = 0});
    ASSERT_THAT(comparison, Succeeds());
    ASSERT_THAT(LogComparison(*comparison, folder_ / "log"), Succeeds());
  };
  const auto files = [&](const char* run) {
    return testing::EventFilesIn(folder_ / "log" / run).size();
  };
  log("other.onnx");
  EXPECT_EQ(files("fp32"), 1u);
  EXPECT_EQ(files("int8"), 1u);
  EXPECT_EQ(files("other/fp32"), 1u);
  EXPECT_EQ(files("other/int8"), 1u);
  EXPECT_EQ(files("other/int8/max_per_channel"), 1u);
  EXPECT_EQ(files(""), 2u);  // Where tags keep models apart.
  log("other.onnx");
  log("m.onnx");
  EXPECT_EQ(files("fp32"), 2u);
  EXPECT_EQ(files("int8"), 2u);
  EXPECT_EQ(files("other/fp32"), 2u);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "log" / "m"));
}

// Somebody else's, or those of a program that did not say whose they are.
TEST_F(ComparisonLog, RunsWithoutAModelAreTakenOver) {
  const testing::TempDir other;
  {
    SummaryWriter writer(other / "fp32");
    ASSERT_THAT(writer.AddScalar("n/layers/conv/sqnr_db/fp32", 1, 0), Succeeds());
  }
  ASSERT_THAT(WriteFileAtomically(other / "fp32" / "events.out.tfevents.0.broken", "no events"),
              Succeeds());
  EXPECT_EQ(RunDirectory(other.path(), "m"), other.path());
  EXPECT_EQ(RunDirectory(other / "nothing", "m"), other / "nothing");
}

// Verified runs: `conv` is the red layer of the model "m".
class VerifiedLog : public ::testing::Test {
 protected:
  VerifiedLog() {
    comparison_.baseline = "m.onnx";
    comparison_.samples = 20;
    comparison_.verified_layers = {"/head"};
    comparison_.verified = {
        {.sqnr_db = 5.25},
        {.restored = Restored::kParts, .parts = {{"/conv", Part::kOutput}}, .sqnr_db = 9.75},
        {.restored = Restored::kParts, .parts = {{"/conv", Part::kWeight}}, .sqnr_db = HUGE_VAL},
        {.restored = Restored::kParts, .parts = {{"/a|b", Part::kWeight}}, .why_not = "no | room"},
        {.restored = Restored::kParts,
         .parts = {{"/conv", Part::kOutput}, {"/head", Part::kWeight}},
         .sqnr_db = 17.75},
        {.restored = Restored::kEverything, .sqnr_db = HUGE_VAL}};
  }

  // All bytes of the log, and its scalars.
  std::string Logged(std::map<std::pair<std::string, std::int64_t>, float>* scalars = nullptr) {
    {
      SummaryWriter writer(folder_.path());
      EXPECT_THAT(LogVerified(writer, "m", "int8", comparison_), Succeeds());
      EXPECT_THAT(writer.Close(), Succeeds());
    }
    std::string events;
    for (const auto& file : testing::EventFilesIn(folder_.path())) {
      for (const std::string& event : testing::EventBytes(file)) events += event;
    }
    if (scalars == nullptr) return events;
    for (const auto& point : testing::ScalarsIn(folder_.path())) {
      (*scalars)[{point.tag, point.step}] = point.value;
    }
    return events;
  }

  testing::TempDir folder_;
  ModelComparison comparison_;
};

TEST_F(VerifiedLog, GainsAreUnderTheLayersName) {
  std::map<std::pair<std::string, std::int64_t>, float> scalars;
  Logged(&scalars);
  using Point = std::pair<const std::pair<std::string, std::int64_t>, float>;
  EXPECT_THAT(scalars, ::testing::ElementsAre(
                           Point{{"m/layers/conv/restored_output_gain_db/int8", 0}, 4.5f},
                           Point{{"m/layers/conv/restored_weight_gain_db/int8", 0}, 194.75f},
                           Point{{"m/verified/sqnr_db/int8", 0}, 5.25f},
                           Point{{"m/verified/sqnr_db/int8", 1}, 200.0f},
                           Point{{"m/verified/sqnr_db/int8", 2}, 17.75f}));
}

TEST_F(VerifiedLog, PeopleReadATableAndProgramsJson) {
  const std::string events = Logged();
  EXPECT_THAT(
      events,
      HasSubstr(
          "Output SQNR of the last layer, '/head', with parts in float, measured on 20 samples"));
  EXPECT_THAT(events, HasSubstr("| '/conv' output, '/head' weights in float | 17.8 | 12.5 |\n"));
  EXPECT_THAT(events, HasSubstr("| '/conv' weights in float | exact |  |\n"));
  EXPECT_THAT(events,
              HasSubstr("| '/a\\|b' weights in float | could not be run: no \\| room | |\n"));
  EXPECT_THAT(events, HasSubstr(R"({"v":1,"samples":20,"verified_layers":["/head"],)"));
  EXPECT_THAT(events, HasSubstr(R"({"restored":"parts","text":"'/conv' output in float",)"
                                R"("parts":[{"layer":"/conv","part":"output"}],"sqnr_db":9.75,)"));
}

TEST_F(VerifiedLog, SaysWhyThereIsNothingAndNothingWhenNobodyAsked) {
  comparison_.verified.clear();
  EXPECT_THAT(Logged(), ::testing::Not(HasSubstr("verified")));
  comparison_.why_not_verified = "no output was compared";
  const std::string events = Logged();
  EXPECT_THAT(events, HasSubstr("Nothing was verified: no output was compared."));
  EXPECT_THAT(events, HasSubstr(R"("why_not_verified":"no output was compared")"));
}

TEST(GraphLog, AFileOfWeightsHasANodePerTensor) {
  const model::ModelGraph model =
      OpenedSafetensors({{"fc.weight", {1, 2}, {1, 2}}, {"b", {1}, {3}}});
  const GraphLog log = BuildGraphLog(model, {});
  EXPECT_THAT(log.graph_def, HasSubstr("fc.weight: float32 [1, 2]"));
  EXPECT_THAT(log.resources, HasSubstr("fc.weight"));
  EXPECT_THAT(log.graph_def, HasSubstr("fc.weight: float32 [1, 2] = 1, 2"));
}

TEST(GraphLog, HasTheFirstValuesOfWeightsAsTheyAreUsed) {
  testing::TempDir folder;
  ASSERT_THAT(WriteFileAtomically(folder / "q.onnx", QuantizedFile()), Succeeds());
  const auto model = model::OpenModel(folder / "q.onnx");
  ASSERT_THAT(model, Succeeds());
  EXPECT_THAT(BuildGraphLog(*model, {}).graph_def,
              HasSubstr("w_quantized: int8 [2, 2] = 0.5, 1, 1.5, 2"));
}

}  // namespace
}  // namespace cboard::compare
