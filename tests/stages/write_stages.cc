// Writes the stages of a small network below the directory it is given, with every part of
// StageLogger: what stock TensorBoard and the board are asked about in test_stages.py.
#include <cmath>
#include <iostream>
#include <random>

#include "cboard/compression/stage_logger.h"
#include "cboard/compression/stage_names.h"

namespace cboard {
namespace {

compression::StageGraph Network(bool quantized) {
  compression::StageGraph graph{.name = "Net"};
  graph.nodes = {{.name = "x", .op = "Input", .output_shapes = {{-1, 3, 8, 8}}},
                 {.name = "conv1",
                  .op = "Conv2d",
                  .inputs = {{"x"}},
                  .attributes = {{"stride", std::string("(1, 1)")}},
                  .float_parameters = 224},
                 {.name = "relu1", .op = "ReLU", .inputs = {{"conv1"}}},
                 {.name = "fc", .op = "Linear", .inputs = {{"relu1"}}, .float_parameters = 5130}};
  if (!quantized) return graph;
  for (compression::StageNode& node : graph.nodes) {
    node.activation = {{"activation_n_bits", std::int64_t{8}}, {"scale", 0.02}};
    if (node.float_parameters == 0) continue;
    node.weights = {{"weights_n_bits", std::int64_t{8}}};
    node.quantized_parameters = node.float_parameters;
    node.float_parameters = 0;
    node.weight_bits = 8;
  }
  return graph;
}

// Channel 2 of conv1 is far wider than the others.
std::vector<float> Activations(std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> values(4 * 16);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = normal(random) * (i / 16 == 2 ? 40.0f : 1.0f);
  }
  return values;
}

std::vector<float> Rounded(const std::vector<float>& values, float step) {
  std::vector<float> rounded;
  for (const float value : values) rounded.push_back(std::round(value / step) * step);
  return rounded;
}

Result<void> Write(const std::filesystem::path& directory) {
  CBOARD_RETURN_IF_ERROR(SetLogFolder(directory));
  CBOARD_ASSIGN_OR_RETURN(const auto logger, StageLogger::Open({.model = "net"}));
  for (const std::string_view stage : compression::StageNames()) {
    const bool quantized = stage == "after_quantization";
    CBOARD_RETURN_IF_ERROR(logger->LogGraph(stage, Network(quantized)));
  }
  std::mt19937 random(1);
  compression::OutputStatistics before, after;
  compression::ModelSimilarity similarity, local;
  for (std::size_t sample = 0; sample < compression::kSimilaritySamples; ++sample) {
    const std::vector<float> conv = Activations(random), rounded = Rounded(conv, 1.0f);
    const std::vector<float> zeros(4);
    const std::vector<std::int64_t> shape = {1, 4, 16};
    CBOARD_RETURN_IF_ERROR(before.Add(TensorView(conv, shape)));
    CBOARD_RETURN_IF_ERROR(after.Add(TensorView(rounded, shape)));
    CBOARD_RETURN_IF_ERROR(similarity.AddSample(
        {{"conv1", TensorView(conv, shape), TensorView(rounded, shape)}, {"dead", zeros, zeros}}));
    CBOARD_RETURN_IF_ERROR(
        local.AddSample({{"conv1", TensorView(conv, shape), TensorView(rounded, shape)}}));
  }
  CBOARD_RETURN_IF_ERROR(logger->LogStatistics("thresholds_selection", "conv1", before));
  CBOARD_RETURN_IF_ERROR(logger->LogStatistics("after_quantization", "conv1", after));
  CBOARD_RETURN_IF_ERROR(logger->LogSimilarity(similarity));
  CBOARD_RETURN_IF_ERROR(logger->LogLocalErrors(local));
  const std::vector<compression::LayerBits> bits = {
      {.layer = "conv1", .op = "Conv2d", .weights = 8},
      {.layer = "fc", .op = "Linear", .weights = 4}};
  CBOARD_RETURN_IF_ERROR(logger->LogBitWidths(bits));
  return logger->Close();
}

}  // namespace
}  // namespace cboard

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_stages DIRECTORY\n";
    return 2;
  }
  if (const auto written = cboard::Write(argv[1]); !written) {
    std::cerr << written.error().message << '\n';
    return 1;
  }
  return 0;
}
