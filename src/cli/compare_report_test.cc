#include "cli/compare_report.h"

#include <gmock/gmock.h>

#include <cmath>

namespace cboard::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Comparison WithSqnr(double sqnr_db) {
  Comparison comparison;
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
                 {.action = "keep the layer in float32", .sqnr_db = HUGE_VAL}}});
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
            "                nodes_to_exclude=['conv2'])\n");
}

TEST(CompareReport, ShowsOnlyTheWorstWhenAsked) {
  const std::string text = CompareText(Example(), 1);
  EXPECT_THAT(text, Not(HasSubstr("conv1")));
  EXPECT_THAT(text, HasSubstr("… and 1 better layer\n"));
}

TEST(CompareReport, SaysWhatTheGraphAndOtherProcessorsDo) {
  compare::ModelComparison comparison = Example();
  comparison.lint = {{compare::LintRule::kFloatIsland, "softmax", "1 node computes in floats"}};
  comparison.layers[1].saturation =
      SaturationCount{.pairs = 5000, .saturated = 20, .products = 100, .affected = 10};
  comparison.bytes = {{"weights, int8", 0, 900}};
  const std::string text = CompareText(comparison);
  EXPECT_THAT(text, HasSubstr("float_island, 'softmax': 1 node computes in floats"));
  EXPECT_THAT(text, HasSubstr("'conv1': 20 of 5,000 pairs, in 10 of 100 results"));
  EXPECT_THAT(text, HasSubstr("weights, int8"));
}

}  // namespace
}  // namespace cboard::cli
