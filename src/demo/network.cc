#include "demo/network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace cboard::demo {

std::span<const LayerShape> NetworkShape() {
  static constexpr std::array<LayerShape, 5> kLayers = {{
      {"conv0", "Conv2D", 1, 8, 8, 3, 1, 1, true},
      {"conv1", "Conv2D", 8, 8, 16, 3, 2, 1, true},
      {"conv2", "Conv2D", 16, 4, 16, 3, 1, 1, true},
      {"fc0", "MatMul", 16, 4, 32, 4, 1, 0, true},
      {"fc1", "MatMul", 32, 1, 10, 1, 1, 0, false},
  }};
  return kLayers;
}

Network Network::Random(unsigned seed) {
  std::mt19937 random(seed);
  Network network;
  for (const LayerShape& shape : NetworkShape()) {
    std::normal_distribution<float> weight(
        0, std::sqrt(2.0F / static_cast<float>(shape.weights_per_output())));
    Layer layer{std::vector<float>(shape.weight_count()),
                std::vector<float>(shape.out_channels, 0.0F)};
    std::ranges::generate(layer.weights, [&] { return weight(random); });
    network.layers.push_back(std::move(layer));
  }
  return network;
}

FloatRunner::FloatRunner(const Network& network)
    : network_(network), columns_(network.layers.size()), outputs_(network.layers.size()) {
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const LayerShape& shape = NetworkShape()[i];
    const std::size_t inputs = shape.weights_per_output();
    std::vector<float> by_input(shape.weight_count());
    for (std::size_t out = 0; out < shape.out_channels; ++out) {
      for (std::size_t in = 0; in < inputs; ++in) {
        by_input[in * shape.out_channels + out] = network.layers[i].weights[out * inputs + in];
      }
    }
    by_input_.push_back(std::move(by_input));
    outputs_[i].resize(shape.outputs());
  }
}

std::span<const float> FloatRunner::Run(std::span<const float> image) {
  std::span<const float> input = image;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const LayerShape& shape = NetworkShape()[i];
    SpreadInputs(shape, input, 0.0F, columns_[i]);
    const std::size_t inputs = shape.weights_per_output();
    for (std::size_t position = 0; position < shape.positions(); ++position) {
      sums_ = network_.layers[i].biases;
      const float* column = columns_[i].data() + position * inputs;
      for (std::size_t in = 0; in < inputs; ++in) {
        const float* weights = by_input_[i].data() + in * shape.out_channels;
        for (std::size_t out = 0; out < shape.out_channels; ++out) {
          sums_[out] += column[in] * weights[out];
        }
      }
      for (std::size_t out = 0; out < shape.out_channels; ++out) {
        const float value = shape.relu ? std::max(sums_[out], 0.0F) : sums_[out];
        outputs_[i][out * shape.positions() + position] = value;
      }
    }
    input = outputs_[i];
  }
  return input;
}

}  // namespace cboard::demo
