#include "cboard/compression/layer_report.h"

#include <gmock/gmock.h>

#include <cmath>

#include "compression/testing/read_back.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::compression {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::Find;
using ::cboard::testing::ReadBack;
using ::cboard::testing::Succeeds;
using ::cboard::testing::TempDir;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr auto kInvalid = ErrorCode::kInvalidArgument;

// Detects the format of a file and reads it.
Result<LayerReport> Read(const std::string& text, const std::string& name) {
  const auto kind = DetectLayerReport(text, name);
  if (!kind)
    return Fail(ErrorCode::kNotFound,
                "no known report format has the name " + name + " and this beginning");
  return ParseLayerReport(text, name, *kind);
}

const LayerFigures& Only(const Result<LayerReport>& report, std::string_view layer) {
  static const LayerFigures none;
  if (!report) {
    ADD_FAILURE() << report.error().message;
    return none;
  }
  for (const ReportedLayer& entry : report->models.at(0).layers) {
    if (entry.layer == layer) return entry.figures;
  }
  ADD_FAILURE() << "there is no layer " << layer;
  return none;
}

TEST(AimetReport, ReadsScoresAndErrorsByTheNameOfTheFile) {
  const std::string text = R"({"conv1": 0.7013, "layer1.0.conv1": 0.6954, "fc": NaN})";
  EXPECT_THAT(Only(Read(text, "out/per_layer_quant_enabled.json"), "layer1.0.conv1"),
              ElementsAre(Pair("score_if_only_this_is_quantized", 0.6954)));
  EXPECT_THAT(Only(Read(text, "per_layer_quant_disabled.json"), "conv1"),
              ElementsAre(Pair("score_if_all_but_this_are_quantized", 0.7013)));
  EXPECT_THAT(Only(Read(text, "per_layer_mse_loss.json"), "conv1"),
              ElementsAre(Pair("mse", 0.7013)));
  const auto errors = Read(text, "per_layer_mse_loss.json");
  EXPECT_THAT(errors->models[0].layers, SizeIs(2));
  EXPECT_THAT(errors->warnings, ::testing::Contains("1 figures are NaN and left out"));
  EXPECT_THAT(Read(R"({"a": NaN})", "per_layer_mse_loss.json"),
              FailsSaying(kInvalid, "all values of the report are NaN"));
  EXPECT_EQ(DetectLayerReport(text, "scores.json"), std::nullopt);
  EXPECT_THAT(ParseLayerReport(text, "scores.json", LayerReportKind::kAimet),
              FailsSaying(kInvalid,
                          "scores.json: the file name does not say which metric the numbers are"));
}

TEST(AimetReport, ReadsRangesOfTensorsAndOfChannels) {
  const auto activations =
      Read(R"({"conv1_output_0": [0.0, 6.5], "conv1_input_0": [-2.1, 2.6]})", "activations.json");
  EXPECT_THAT(Only(activations, "conv1"),
              ElementsAre(Pair("range_max", 6.5), Pair("range_min", 0)));
  Only(activations, "conv1_input_0");
  const auto weights = Read(
      R"({"conv1_weight": {"conv1_weight_0": [-1, 1], "conv1_weight_1": [-8, 2],
                           "conv1_weight_2": [-0.5, 1]}})",
      "weights.json");
  EXPECT_THAT(Only(weights, "conv1_weight"),
              ElementsAre(Pair("channel_count", 3), Pair("channel_spread", 8), Pair("range_max", 2),
                          Pair("range_min", -8)));
}

TEST(AimetReport, SaysWhichLayerIsNone) {
  EXPECT_THAT(Read(R"({"conv1": [0, 1], "fc": "high"})", "activations.json"),
              FailsSaying(kInvalid, "activations.json: layer 'fc' holds neither a number"));
  EXPECT_THAT(ParseLayerReport("[1, 2]", "per_layer_mse_loss.json", LayerReportKind::kAimet),
              FailsSaying(kInvalid, "expected an object of layers"));
  EXPECT_THAT(ParseLayerReport("{}", "per_layer_mse_loss.json", LayerReportKind::kAimet),
              FailsSaying(kInvalid, "the report contains no layer"));
  EXPECT_THAT(ParseLayerReport("{\"a\": 1", "per_layer_mse_loss.json", LayerReportKind::kAimet),
              FailsSaying(kInvalid, "per_layer_mse_loss.json:1:8"));
  EXPECT_THAT(ParseLayerReport(" \n", "per_layer_mse_loss.json", LayerReportKind::kAimet),
              FailsSaying(kInvalid, "found an empty file"));
}

constexpr const char kDebuggerCsv[] =
    "op_name,tensor_idx,num_elements,stddev,mean_error,max_abs_error,mean_squared_error,scale,"
    "zero_point,tensor_name\r\n"
    "CONV_2D,7,401408,0.0068,0.00012,0.0118,0.0000462,0.02355,-128,"
    "\"model/conv1/Relu;model/conv1/BiasAdd, fused\"\r\n"
    "FULLY_CONNECTED,9,1000,0.11,0.07,0.5,0.0169,0.1,4,model/fc/MatMul\r\n";

TEST(TfliteDebuggerReport, ComputesTheErrorInSteps) {
  const auto report = Read(kDebuggerCsv, "layer_stats.csv");
  const auto& fc = Only(report, "model/fc/MatMul");
  EXPECT_THAT(fc.at("mse"), 0.0169);
  EXPECT_THAT(fc.at("rmse_by_scale"), DoubleNear(1.3, 1e-9));
  EXPECT_THAT(fc.at("zero_point"), 4);
  const auto& conv = Only(report, "model/conv1/Relu;model/conv1/BiasAdd, fused");
  EXPECT_THAT(conv.at("rmse_by_scale"), DoubleNear(0.2886, 1e-3)) << "ideal rounding";
}

TEST(TfliteDebuggerReport, LeavesOutWhatIsNoNumber) {
  const auto report = Read(
      "tensor_name,mean_squared_error,scale\n"
      "a,0.5,0\n"
      "b,,1\n"
      ",1,1\n"
      "\n"
      "c,none,-\n",
      "x.csv");
  EXPECT_THAT(Only(report, "a"), ElementsAre(Pair("mse", 0.5), Pair("scale", 0)));
  EXPECT_THAT(Only(report, "b"), ElementsAre(Pair("scale", 1)));
  EXPECT_THAT(report->models[0].layers, SizeIs(2));
  EXPECT_THAT(report->warnings, ElementsAre("1 rows name no layer"));
}

TEST(TfliteDebuggerReport, SaysWhereATableBreaks) {
  const auto kind = LayerReportKind::kTfliteDebugger;
  EXPECT_THAT(ParseLayerReport("tensor_name,mean_squared_error\na,1,2\n", "x.csv", kind),
              FailsSaying(kInvalid, "x.csv:2: the row has 3 fields, but the first row has 2"));
  EXPECT_THAT(ParseLayerReport("tensor_name,mean_squared_error\n\"a,1\n", "x.csv", kind),
              FailsSaying(kInvalid, "x.csv:2: a quoted field has no closing quote"));
  EXPECT_THAT(ParseLayerReport("name,error\na,1\n", "x.csv", kind),
              FailsSaying(kInvalid, "lacks the column 'tensor_name'"));
  EXPECT_THAT(ParseLayerReport("", "x.csv", kind), FailsSaying(kInvalid, "found an empty file"));
  EXPECT_THAT(ParseLayerReport("tensor_name,mean_squared_error\n", "x.csv", kind),
              FailsSaying(kInvalid, "no row of the table has both a layer name and a number"));
}

TEST(NeuralCompressorReport, KeepsItsNormalizedErrorApart) {
  const auto activations = Read(
      "OP name,MSE,Activation min,Activation max\n"
      "v0/cg/conv0/conv2d/Conv2D,0.0021,0.0,20.5\n",
      "activations_table.csv");
  EXPECT_THAT(
      Only(activations, "v0/cg/conv0/conv2d/Conv2D"),
      ElementsAre(Pair("normalized_mse", 0.0021), Pair("range_max", 20.5), Pair("range_min", 0)));
  EXPECT_THAT(activations->warnings, SizeIs(1));
  const auto weights = Read(
      "OP name,MSE,Input model min,Input model max,Input model mean,Input model standard "
      "deviation,Input model variance,Optimized model min,Optimized model max,Optimized model "
      "mean,Optimized model standard deviation,Optimized model variance\n"
      "conv1,1e-06,-0.5,0.5,0,0.1,0.01,-0.51,0.49,0,0.1,0.01\n",
      "weights_table.csv");
  EXPECT_EQ(Only(weights, "conv1").at("weight_max"), 0.5);
  EXPECT_EQ(Only(weights, "conv1").at("compressed_weight_max"), 0.49);
}

constexpr const char kQuantReport[] = R"({
  "output_similarity_metrics_repr": {"mse": 0.02, "cs": 0.99, "sqnr": 100.0},
  "output_similarity_metrics_val": {"mse": 0.03, "cs": 0.98, "sqnr": 50.0},
  "intermediate_similarity_metrics_repr": {"conv1_bn": {"mse": 0.001, "cs": 0.999, "sqnr": 1000.0}},
  "intermediate_similarity_metrics_val": {
    "conv1_bn": {"mse": 0.002, "cs": 0.998, "sqnr": 100.0},
    "conv2": {"mse": 1.5, "cs": 0.2, "sqnr": 0.0}}})";

TEST(MctReport, TurnsItsPowerRatioIntoDecibels) {
  const auto report = Read(kQuantReport, "quant_report.json");
  EXPECT_THAT(Only(report, "conv1_bn"),
              ElementsAre(Pair("cosine", 0.998), Pair("mse", 0.002), Pair("sqnr_db", 20)));
  EXPECT_THAT(Only(report, "conv2"), ElementsAre(Pair("cosine", 0.2), Pair("mse", 1.5)))
      << "a ratio of 0 has no decibels";
  EXPECT_THAT(report->models[0].figures.at("output_sqnr_db"), DoubleNear(16.99, 0.01));
  EXPECT_THAT(ParseLayerReport(R"({"a": 1})", "quant_report.json", LayerReportKind::kMct),
              FailsSaying(kInvalid, "expected \"intermediate_similarity_metrics_val\""));
}

TEST(ModelExplorerReport, ReadsGraphsAndTheirNodes) {
  const auto report = Read(
      R"({"main": {"results": {"conv1": {"value": 31.5, "bgColor": "red"}, "fc": {"value": "x"}},
          "thresholds": [{"value": 20, "bgColor": "red"}]},
          "decoder": {"results": {"mm": {"value": 3}}}})",
      "sqnr db.json");
  EXPECT_THAT(Only(report, "conv1"), ElementsAre(Pair("sqnr_db", 31.5)));
  ASSERT_THAT(report->models, SizeIs(2));
  EXPECT_EQ(report->models[1].model, "decoder");
  EXPECT_THAT(report->warnings,
              ElementsAre("1 nodes of graph 'main' have no number and are left out"));
  EXPECT_THAT(Only(Read(R"({"results": {"a": {"value": 1}}})", "mse.json"), "a"),
              ElementsAre(Pair("mse", 1)));
  EXPECT_THAT(ParseLayerReport(R"({"main": 5})", "x.json", LayerReportKind::kModelExplorer),
              FailsSaying(kInvalid, "graph 'main' must be an object"));
  EXPECT_THAT(ParseLayerReport(R"({"main": {}})", "x.json", LayerReportKind::kModelExplorer),
              FailsSaying(kInvalid, "has no \"results\""));
}

TEST(ModelExplorerNodeData, IsReadBackAsItWasWritten) {
  const std::vector<NodeDataGraph> graphs = {
      {"net", {{"conv\"1\"", 31.5}, {"fc", -3}, {"dead", NAN}}}, {"other", {{"a", 1}}}};
  const auto report = Read(ModelExplorerNodeData(graphs, true), "sqnr_db.json");
  ASSERT_THAT(report, Succeeds());
  EXPECT_EQ(report->models[0].model, "net");
  EXPECT_THAT(report->models[0].layers, SizeIs(2));
  EXPECT_THAT(Only(report, "conv\"1\""), ElementsAre(Pair("sqnr_db", 31.5)));
}

TEST(DetectLayerReport, TakesBenchmarksForNone) {
  for (const char* text :
       {R"({"alexnet": {"fp32": {"accuracy": 0.9}, "int8": {}}})", R"({"_source": {"url": ""}})",
        R"([{"model": "a"}])", R"({"framework": "torch", "a": {}})", R"({"seconds": 5, "a": {}})",
        "", "{", "{\"", "model,accuracy\na,1\n"}) {
    EXPECT_EQ(DetectLayerReport(text, "results.json"), std::nullopt) << text;
  }
}

TEST(ImportLayerReport, LogsFiguresUnderTheTagsOfLayers) {
  const TempDir directory;
  const std::string source = directory / "resnet18/quant_report.json";
  const auto report = Read(kQuantReport, source);
  ASSERT_THAT(report, Succeeds());
  const auto imported = ImportLayerReport(*report, source, {.directory = directory / "runs"});
  ASSERT_THAT(imported, Succeeds());
  ASSERT_THAT(*imported, SizeIs(1));
  EXPECT_EQ(imported->front().model, "resnet18") << "the folder's name: quant_report says nothing";
  EXPECT_EQ(imported->front().values, 5u + 3u);
  const auto logged = ReadBack(directory / "runs");
  EXPECT_EQ(Find(logged, "resnet18/layers/conv1_bn/sqnr_db/int8", "resnet18").value, 20);
  EXPECT_EQ(Find(logged, "resnet18/metrics/output_cosine/int8", "resnet18").value, 0.98f);
}

TEST(ImportLayerReport, KeepsModelsAndVariantsInPlace) {
  const TempDir directory;
  LayerReport report{.models = {{.model = "../up", .layers = {{"a/b", {{"x/y", 1}}}}}}};
  const auto imported =
      ImportLayerReport(report, "f.json", {.directory = directory / "runs", .variant = "w4/a8"});
  ASSERT_THAT(imported, Succeeds());
  EXPECT_THAT(testing::RunsAndTags(ReadBack(directory.path())), SizeIs(1));
  EXPECT_THAT(testing::RunsAndTags(ReadBack(directory / "runs")),
              ElementsAre("%2E.%2Fup %2E.%2Fup/layers/a/b/x%2Fy/w4%2Fa8"));
}

TEST(ImportLayerReport, SaysWhyNothingCanBeWritten) {
  const TempDir directory;
  ASSERT_THAT(WriteFileAtomically(directory / "runs", "a file"), Succeeds());
  const LayerReport report{.models = {{.model = "m", .layers = {{"a", {{"mse", 1}}}}}}};
  EXPECT_FALSE(ImportLayerReport(report, "f.json", {.directory = directory / "runs"}));
}

}  // namespace
}  // namespace cboard::compression
