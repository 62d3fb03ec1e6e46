#include <gmock/gmock.h>

#include <cmath>

#include "cli/reports/reports.h"

namespace cboard::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

tensor::Comparison WithSqnr(double sqnr_db) {
  tensor::Comparison comparison;
  comparison.total.count = comparison.total.reference.count = 4;
  comparison.total.reference.sum_squares = 1;
  comparison.total.sum_squared_error = std::pow(10, -sqnr_db / 10);
  return comparison;
}

compare::ModelComparison Example() {
  compare::ModelComparison comparison{.baseline = "fp32.onnx",
                                      .variant = "int8.onnx",
                                      .baseline_bytes = 4096,
                                      .variant_bytes = 1024,
                                      .why_not_run = "no samples were asked for"};
  comparison.layers.push_back(
      {.name = "conv2",
       .op_type = "Conv",
       .bits = 8,
       .precision = "int8",
       .weight = WithSqnr(12.5),
       .diagnosis = {.level = compare::Level::kRed,
                     .cause = compare::Cause::kWrongScale,
                     .explanation = "scale is wrong: weights are 0.5 times the baseline's"},
       .fixes = {{.action = "16 bits", .sqnr_db = 80, .size_bytes = 2048},
                 {.action = "keep the layer in float32", .sqnr_db = HUGE_VAL}},
       .float_nodes = {"conv2"}});
  comparison.layers.push_back(
      {.name = "conv1", .op_type = "Conv", .bits = 8, .precision = "int8", .weight = WithSqnr(45)});
  return comparison;
}

TEST(CompareReport, SaysWhatTheFilesSuggestAndThatOutputsAreExact) {
  compare::ModelComparison comparison = Example();
  comparison.remarks = {"Both are the same file."};
  comparison.layers[0].accumulated = WithSqnr(20);
  comparison.layers[0].accumulated->total.sum_squared_error = 0;
  EXPECT_THAT(CompareText(comparison),
              AllOf(HasSubstr("1 green\nBoth are the same file.\n"),
                    HasSubstr("The last layer, 'conv2', gives exactly what the baseline gives.\n"),
                    Not(HasSubstr("exact dB"))));
}

TEST(CompareReport, NamesTheWorstLayerWithCauseAndFixes) {
  EXPECT_EQ(CompareText(Example()),
            "'fp32.onnx' (4.0 KiB) and 'int8.onnx' (1.0 KiB, int8)\n"
            "2 layers compared: 1 red, 0 amber, 1 green\n"
            "Only weights were compared: no samples were asked for.\n"
            "\n"
            "level  layer  operator  bits  weights dB  cause\n"
            "red    conv2  Conv         8        12.5  wrong_scale\n"
            "green  conv1  Conv         8        45.0\n"
            "\n"
            "'conv2' (red, weight): scale is wrong: weights are 0.5 times the baseline's\n"
            "  - 16 bits: 80.0 dB, 2.0 KiB\n"
            "  - keep the layer in float32: exact\n"
            "\n"
            "To keep the red layers in float32 (for other quantizers, see --json):\n"
            "quantize_static(model_input, model_output, calibration_data_reader,\n"
            "                nodes_to_exclude=['conv2'])\n"
            "\n"
            "More: --all (outputs by head, every damaged layer, 0 notes on the graph, bytes), "
            "--json\n");
}

TEST(CompareReport, BeginsWithVerdictCauseFixAndSettings) {
  compare::ModelComparison comparison = Example();
  comparison.verdict.level = compare::VerdictLevel::kBroken;
  comparison.verdict.sentence = "Broken: output 'y' (scores): all values became 0; on 20 samples.";
  comparison.verdict.blame_note = "Blame is measured: 30 runs.";
  compare::Suspect suspect;
  suspect.layer = "concat";
  suspect.layers = {"concat", "concat2"};
  suspect.sentence = "one scale for branches of very different size";
  suspect.cause = "shared_scale";
  suspect.part = "output";
  suspect.is_measured = true;
  suspect.sqnr_db = -3.4;
  suspect.agreement = 0;
  suspect.fixes = {{.action = "keep 'concat' in float32",
                    .price = "1 node in float32",
                    .setting = "quantize_static(a,\n                b)\n",
                    .level = compare::VerdictLevel::kSound,
                    .sqnr_db = 29.7,
                    .agreement = 0.998},
                   {.action = "16 bits for this output",
                    .price = "16-bit activations",
                    .setting = {},
                    .level = compare::VerdictLevel::kSound,
                    .sqnr_db = 29.5}};
  comparison.verdict.suspects = {suspect};
  EXPECT_THAT(
      CompareText(comparison),
      ::testing::StartsWith(
          "Broken: output 'y' (scores): all values became 0; on 20 samples.\n"
          "Cause: 'concat' (output, shared_scale): one scale for branches of very different size\n"
          "  In 2 layers: 'concat', 'concat2'\n"
          "  Fix: keep 'concat' in float32: the damaged outputs go from -3.4 dB, agreement 0 % "
          "to 29.7 dB, agreement 99.8 %, sound (measured); price: 1 node in float32\n"
          "  Or: 16 bits for this output: 29.5 dB, sound (measured); price: 16-bit activations\n"
          "  Apply it with ONNX Runtime:\n"
          "    quantize_static(a,\n"
          "                    b)\n"
          "Blame is measured: 30 runs.\n"
          "\n"
          "'fp32.onnx' (4.0 KiB)"));
  compare::Suspect second = suspect;
  second.layer = "log";
  comparison.verdict.suspects = {suspect, second};
  EXPECT_THAT(
      CompareText(comparison),
      HasSubstr("Second cause: 'log' (output, shared_scale): one scale for branches of very "
                "different size\n  In 2 layers: 'concat', 'concat2'\n"
                "  Fix, with the first one: keep 'concat' in float32: "));
  comparison.verdict.suspects = {suspect};
  EXPECT_THAT(CompareText(comparison), Not(HasSubstr("To keep the red layers in float32")));
  EXPECT_THAT(CompareText(comparison, {.all = true}),
              HasSubstr("To keep the red layers in float32"));

  std::string& setting = comparison.verdict.suspects[0].fixes[0].setting;
  for (int i = 0; i < 20; ++i) setting += "line " + std::to_string(i) + "\n";
  EXPECT_THAT(CompareText(comparison), HasSubstr("    line 1\n"
                                                 "    … 18 more lines: --all or --json\n"));
  EXPECT_THAT(CompareText(comparison, {.all = true}), HasSubstr("    line 19\n"));
  EXPECT_THAT(CompareText(comparison), Not(HasSubstr("compare again")));
}

TEST(CompareReport, SaysSoIfFixesRepairOnlyAPart) {
  compare::ModelComparison comparison = Example();
  comparison.verdict.level = compare::VerdictLevel::kBroken;
  comparison.verdict.sentence = "Broken: it is.";
  compare::Suspect suspect{.layer = "norm", .sentence = "outliers", .is_measured = true};
  suspect.sqnr_db = 0.5;
  suspect.fixes = {{.action = "16 bits for this output",
                    .price = "16-bit activations",
                    .setting = {},
                    .level = compare::VerdictLevel::kDegraded,
                    .sqnr_db = 8.2}};
  comparison.verdict.suspects = {suspect};
  EXPECT_THAT(
      CompareText(comparison),
      HasSubstr("  Partial fix: 16 bits for this output: the damaged outputs go from 0.5 dB "
                "to 8.2 dB, degraded (measured); price: 16-bit activations\n"
                "No fix that was tried makes the outputs sound. Apply the first one and "
                "compare again: the rest has other causes.\n"));
}

TEST(CompareReport, SaysSoIfNoFixHelps) {
  compare::ModelComparison comparison = Example();
  comparison.verdict.level = compare::VerdictLevel::kBroken;
  comparison.verdict.sentence = "Broken: it is.";
  comparison.verdict.suspects = {
      {.layer = "conv", .sentence = "many small errors add up", .is_measured = true}};
  EXPECT_THAT(CompareText(comparison), HasSubstr("  Fix: none found; no change that was tried"));
  comparison.verdict.suspects[0].is_measured = false;
  EXPECT_THAT(CompareText(comparison), Not(HasSubstr("Fix: none found")));
}

TEST(CompareReport, SaysHowOutputsGetOtherQuantizers) {
  compare::ModelComparison comparison = Example();
  comparison.layers[0].output_tensor = "conv2/out";
  comparison.layers[0].fixes.insert(
      comparison.layers[0].fixes.begin(),
      {.action = "a range", .sqnr_db = 40, .output = compare::Fix::OutputQuantizer{8, -1.5, 2}});
  EXPECT_THAT(CompareText(comparison),
              HasSubstr("\nOr to give the outputs of red layers other quantizers:\n"
                        "quantize_static(model_input, model_output, calibration_data_reader,\n"
                        "                extra_options={'TensorQuantOverrides': {\n"
                        "                    'conv2/out': [{'quant_type': QuantType.QUInt8, "
                        "'rmin': np.float32(-1.5), 'rmax': np.float32(2)}],\n"
                        "                }})\n"));
  comparison.is_generated = true;
  EXPECT_THAT(CompareText(comparison), Not(HasSubstr("TensorQuantOverrides")));
}

TEST(CompareReport, SaysWhatIsLeftOfTheChannelsThatCount) {
  compare::ModelComparison comparison = Example();
  comparison.layers[0].local = WithSqnr(34);
  comparison.layers[0].useful_output_db = 33.5;
  EXPECT_THAT(CompareText(comparison), Not(HasSubstr("next layer's weights")));
  comparison.layers[0].useful_output_db = 14.25;
  EXPECT_THAT(CompareText(comparison),
              HasSubstr("0.5 times the baseline's; weighted by the next layer's weights, output "
                        "SQNR is 14.2 dB\n"));
}

TEST(CompareReport, TellsLongNamesApartByTheirEnds) {
  compare::ModelComparison comparison = Example();
  comparison.layers[0].name = "If_0/then_branch/" + std::string(60, 'n') + "/LSTM/W";
  comparison.layers[1].name = "If_0/then_branch/" + std::string(60, 'n') + "/LSTM/R";
  const std::string text = CompareText(comparison), end = std::string(52, 'n') + "/LSTM/";
  EXPECT_THAT(text, HasSubstr("red    …" + end + "W  Conv"));
  EXPECT_THAT(text, HasSubstr("green  …" + end + "R  Conv"));
  EXPECT_THAT(text, HasSubstr("'…" + end + "W' (red, "));
}

TEST(CompareReport, ShowsOnlyTheWorstWhenAsked) {
  const std::string text = CompareText(Example(), {.top = 1});
  EXPECT_THAT(text, Not(HasSubstr("conv1")));
  EXPECT_THAT(text, HasSubstr("… and 1 better layer\n"));
}

TEST(CompareReport, SaysWhatTheGraphAndOtherProcessorsDo) {
  compare::ModelComparison comparison = Example();
  comparison.lint = {{compare::LintRule::kFloatIsland, "softmax", "1 node computes in floats"}};
  comparison.layers[1].saturation =
      tensor::SaturationCount{.pairs = 5000, .saturated = 20, .products = 100, .affected = 10};
  comparison.bytes = {{"weights, int8", 0, 900}};
  EXPECT_THAT(CompareText(comparison), Not(HasSubstr("float_island")));
  const std::string text = CompareText(comparison, {.all = true});
  EXPECT_THAT(text, HasSubstr("float_island, 'softmax': 1 node computes in floats"));
  EXPECT_THAT(text, HasSubstr("'conv1': 20 of 5,000 pairs, in 10 of 100 results"));
  EXPECT_THAT(text, HasSubstr("weights, int8"));
}

TEST(CompareReport, SaysWhatTheLastLayerWouldKeep) {
  using compare::Part;
  using compare::Restored;
  compare::ModelComparison comparison = Example();
  comparison.samples = 20;
  comparison.layers[1].diagnosis.level = compare::Level::kAmber;
  comparison.verified_layers = {"head"};
  comparison.verified = {
      {.sqnr_db = 5.2},
      {.restored = Restored::kParts, .parts = {{"conv2", Part::kOutput}}, .sqnr_db = 9.7},
      {.restored = Restored::kParts,
       .parts = {{"conv2", Part::kOutput}, {"head", Part::kWeight}, {"conv2", Part::kWeight}},
       .sqnr_db = 14.1},
      {.restored = Restored::kParts,
       .parts = {{"conv1", Part::kWeight}},
       .why_not = "cannot load 'int8.onnx'"},
      {.restored = Restored::kRedLayers, .sqnr_db = 12},
      {.restored = Restored::kRedAndAmberLayers, .sqnr_db = 13},
      {.restored = Restored::kAllWeights, .sqnr_db = 6.8},
      {.restored = Restored::kAllOutputs, .sqnr_db = 20},
      {.restored = Restored::kEverything, .sqnr_db = HUGE_VAL}};
  EXPECT_THAT(
      CompareText(comparison),
      HasSubstr("\nOutput SQNR of the last layer, 'head', with parts in float:\n"
                "  measured on 20 samples                                  dB\n"
                "  as it is                                               5.2\n"
                "  'conv2' output in float                                9.7\n"
                "  'conv2' output and weights, 'head' weights in float   14.1\n"
                "  'conv1' weights in float                                    could not be run: "
                "cannot load 'int8.onnx'\n"
                "  the red layer in float                                12.0\n"
                "  the 2 red and amber layers in float                   13.0\n"
                "  all weights in float                                   6.8\n"
                "  all outputs in float                                  20.0\n"
                "  everything in float                                  exact\n"));
  EXPECT_THAT(CompareText(comparison), Not(HasSubstr("still not the baseline's")));
  comparison.verified.back().layer_sqnr_db = {40};
  EXPECT_THAT(CompareText(comparison), HasSubstr("answers are still not the baseline's"));
}

TEST(CompareReport, SaysWhyNothingWasVerified) {
  compare::ModelComparison comparison = Example();
  comparison.why_not_verified = "no output was compared";
  EXPECT_THAT(CompareText(comparison),
              HasSubstr("\nNothing was verified: no output was compared.\n"));
}

}  // namespace
}  // namespace cboard::cli
