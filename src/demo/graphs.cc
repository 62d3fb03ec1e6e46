#include "demo/graphs.h"

#include <algorithm>

namespace cboard::demo {
namespace {

compression::StageAttributes ActivationOf(const tensor::QuantizationGrid& grid) {
  return {{"activation_n_bits", std::int64_t{8}},
          {"scale", grid.scale},
          {"zero_point", std::int64_t{grid.zero_point}},
          {"min", (grid.code_min - grid.zero_point) * grid.scale},
          {"max", (grid.code_max - grid.zero_point) * grid.scale}};
}

compression::StageAttributes WeightsOf(const QuantizedNetwork& network,
                                       const QuantizedLayer& layer) {
  return {{"weights_n_bits", std::int64_t{layer.keep_float ? 32 : network.weight_bits}},
          {"weights_per_channel", layer.scales.size() > 1},
          {"largest_scale", static_cast<double>(*std::ranges::max_element(layer.scales))}};
}

std::vector<std::int64_t> OutputShape(const LayerShape& shape) {
  const auto size = static_cast<std::int64_t>(shape.out_size());
  return {-1, static_cast<std::int64_t>(shape.out_channels), size, size};
}

}  // namespace

compression::StageGraph GraphOf(const QuantizedNetwork* quantized, GraphDetail detail) {
  compression::StageGraph graph{.name = std::string(kModel), .nodes = {}};
  const auto picture = static_cast<std::int64_t>(kDigitSize);
  graph.nodes.push_back(
      {.name = "picture", .op = "Placeholder", .output_shapes = {{-1, 1, picture, picture}}});
  for (std::size_t i = 0; i < NetworkShape().size(); ++i) {
    const LayerShape& shape = NetworkShape()[i];
    compression::StageNode node{
        .name = std::string(shape.name),
        .op = std::string(shape.op),
        .inputs = {{graph.nodes.back().name}},
        .output_shapes = {OutputShape(shape)},
        .attributes = {{"kernel", static_cast<std::int64_t>(shape.kernel)},
                       {"stride", static_cast<std::int64_t>(shape.stride)},
                       {"padding", static_cast<std::int64_t>(shape.padding)}}};
    node.float_parameters = shape.out_channels;  // Biases keep 32 bits.
    if (detail == GraphDetail::kQuantized && !quantized->layers[i].keep_float) {
      node.quantized_parameters = shape.weight_count();
      node.weight_bits = quantized->weight_bits;
      node.weights = WeightsOf(*quantized, quantized->layers[i]);
    } else {
      node.float_parameters += shape.weight_count();
    }
    graph.nodes.push_back(std::move(node));
    if (shape.relu) {
      graph.nodes.push_back({.name = std::string(shape.name) + "_relu",
                             .op = "Relu",
                             .inputs = {{std::string(shape.name)}},
                             .output_shapes = {OutputShape(shape)}});
    }
    if (detail != GraphDetail::kFloat) {
      graph.nodes.back().activation = ActivationOf(quantized->layers[i].output);
    }
  }
  return graph;
}

}  // namespace cboard::demo
