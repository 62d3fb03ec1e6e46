#include "demo/quantized_network.h"

#include <algorithm>
#include <cmath>

namespace cboard::demo {
namespace {

constexpr tensor::QuantizationGrid kInputGrid{1.0 / 16, 0, 0,
                                              // Pixels are multiples of 1/16, so this quantization
                                              // grid represents them exactly.
                                              255};

std::int32_t LargestCode(int bits) { return (1 << (bits - 1)) - 1; }

// Returns the scales of the weights: one per output channel, or a single one.
std::vector<float> ScalesOf(const LayerShape& shape, const Layer& layer, int bits,
                            bool per_channel) {
  const std::size_t parts = per_channel ? shape.out_channels : 1;
  const std::size_t part = shape.weight_count() / parts;
  std::vector<float> scales;
  for (std::size_t i = 0; i < parts; ++i) {
    float largest = 0;
    for (const float weight : std::span(layer.weights).subspan(i * part, part)) {
      largest = std::max(largest, std::abs(weight));
    }
    scales.push_back(largest > 0 ? largest / static_cast<float>(LargestCode(bits)) : 1.0F);
  }
  return scales;
}

std::size_t ScaleIndex(std::span<const float> scales, std::size_t channel) {
  return scales.size() == 1 ? 0 : channel;
}

std::vector<std::int8_t> CodesOf(const LayerShape& shape, const Layer& layer,
                                 std::span<const float> scales, int bits) {
  const auto limit = static_cast<float>(LargestCode(bits));
  std::vector<std::int8_t> codes(shape.weight_count());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const float scale = scales[ScaleIndex(scales, i / shape.weights_per_output())];
    codes[i] = static_cast<std::int8_t>(
        std::clamp(std::nearbyint(layer.weights[i] / scale), -limit, limit));
  }
  return codes;
}

// Returns an 8-bit quantization grid for the observed range. The grid always contains zero.
tensor::QuantizationGrid GridOf(const ActivationRange& range, double reach) {
  const double low = std::min(0.0, range.min * reach);
  const double high = std::max(low + 1e-6, range.max * reach);
  const double scale = (high - low) / 255;
  return {scale, static_cast<std::int32_t>(std::nearbyint(-low / scale)), 0, 255};
}

std::int16_t CodeOf(double value, const tensor::QuantizationGrid& grid) {
  const double code = std::nearbyint(value / grid.scale) + grid.zero_point;
  return static_cast<std::int16_t>(
      std::clamp(code, static_cast<double>(grid.code_min), static_cast<double>(grid.code_max)));
}

float ValueOf(std::int16_t code, const tensor::QuantizationGrid& grid) {
  return static_cast<float>((code - grid.zero_point) * grid.scale);
}

}  // namespace

std::size_t QuantizedNetwork::BytesOf(std::size_t layer) const {
  const QuantizedLayer& stored = layers[layer];
  const std::size_t bits = stored.keep_float ? 32 : static_cast<std::size_t>(weight_bits);
  return (stored.codes.size() * bits + 7) / 8 + 4 * stored.biases.size() +
         (stored.keep_float ? 0 : 4 * stored.scales.size());
}

std::vector<ActivationRange> Calibrate(const Network& network, const Digits& calibration) {
  std::vector<ActivationRange> ranges(network.layers.size());
  FloatRunner runner(network);
  for (std::size_t i = 0; i < calibration.size(); ++i) {
    runner.Run(calibration.image(i));
    for (std::size_t layer = 0; layer < ranges.size(); ++layer) {
      const auto [min, max] = std::ranges::minmax(runner.output(layer));
      ranges[layer].min = std::min(ranges[layer].min, min);
      ranges[layer].max = std::max(ranges[layer].max, max);
    }
  }
  return ranges;
}

QuantizedNetwork Quantize(const Network& network, std::span<const ActivationRange> ranges,
                          const QuantizationScheme& scheme) {
  QuantizedNetwork quantized{&network, kInputGrid, scheme.weight_bits, {}};
  tensor::QuantizationGrid input = kInputGrid;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const LayerShape& shape = NetworkShape()[i];
    QuantizedLayer layer;
    layer.keep_float = std::ranges::find(scheme.keep_float, i) != scheme.keep_float.end();
    layer.scales = ScalesOf(shape, network.layers[i], scheme.weight_bits, scheme.per_channel);
    layer.codes = CodesOf(shape, network.layers[i], layer.scales, scheme.weight_bits);
    for (std::size_t out = 0; out < shape.out_channels; ++out) {
      const double unit = input.scale * layer.scales[ScaleIndex(layer.scales, out)];
      layer.biases.push_back(
          static_cast<std::int32_t>(std::nearbyint(network.layers[i].biases[out] / unit)));
    }
    const double reach = layer.keep_float || scheme.reach.empty() ? 1 : scheme.reach[i];
    input = layer.output = GridOf(ranges[i], reach);
    quantized.layers.push_back(std::move(layer));
  }
  return quantized;
}

Network WithRoundedWeights(const Network& network, int bits, bool per_channel) {
  Network rounded = network;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const LayerShape& shape = NetworkShape()[i];
    const std::vector<float> scales = ScalesOf(shape, network.layers[i], bits, per_channel);
    const std::vector<std::int8_t> codes = CodesOf(shape, network.layers[i], scales, bits);
    for (std::size_t k = 0; k < codes.size(); ++k) {
      const float scale = scales[ScaleIndex(scales, k / shape.weights_per_output())];
      rounded.layers[i].weights[k] = static_cast<float>(codes[k]) * scale;
    }
  }
  return rounded;
}

Network WithPrunedWeights(const Network& network, double share) {
  Network pruned = network;
  for (std::size_t i = 1; i < network.layers.size(); ++i) {
    std::vector<float>& weights = pruned.layers[i].weights;
    std::vector<float> sizes(weights.size());
    std::ranges::transform(weights, sizes.begin(), [](float weight) { return std::abs(weight); });
    const auto cut =
        sizes.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(sizes.size()));
    if (cut == sizes.end()) continue;
    std::ranges::nth_element(sizes, cut);
    for (float& weight : weights) {
      if (std::abs(weight) < *cut) weight = 0;
    }
  }
  return pruned;
}

QuantizedRunner::QuantizedRunner(const QuantizedNetwork& network)
    : network_(network), codes_(network.layers.size()) {
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const QuantizedLayer& layer = network.layers[i];
    weights_.emplace_back(layer.codes.begin(), layer.codes.end());
    codes_[i].resize(NetworkShape()[i].outputs());
  }
}

void QuantizedRunner::RunInteger(std::size_t index, std::span<const std::int16_t> input,
                                 const tensor::QuantizationGrid& grid) {
  const LayerShape& shape = NetworkShape()[index];
  const QuantizedLayer& layer = network_.layers[index];
  const std::size_t inputs = shape.weights_per_output();
  // Subtracts the zero point from the codes here, so that the sums of products need no correction.
  SpreadInputs(shape, input, static_cast<std::int16_t>(grid.zero_point), columns_);
  if (grid.zero_point != 0) {
    for (std::int16_t& code : columns_) code = static_cast<std::int16_t>(code - grid.zero_point);
  }
  for (std::size_t out = 0; out < shape.out_channels; ++out) {
    const double to_output =
        grid.scale * layer.scales[ScaleIndex(layer.scales, out)] / layer.output.scale;
    const std::int16_t* weights = weights_[index].data() + out * inputs;
    for (std::size_t position = 0; position < shape.positions(); ++position) {
      const std::int16_t* column = columns_.data() + position * inputs;
      std::int32_t sum = layer.biases[out];
      for (std::size_t in = 0; in < inputs; ++in) sum += weights[in] * column[in];
      // Limiting the code to the first code of the grid has the same effect as the ReLU.
      const double code = std::nearbyint(sum * to_output) + layer.output.zero_point;
      codes_[index][out * shape.positions() + position] =
          static_cast<std::int16_t>(std::clamp(code, static_cast<double>(layer.output.code_min),
                                               static_cast<double>(layer.output.code_max)));
    }
  }
}

void QuantizedRunner::RunFloat(std::size_t index, std::span<const std::int16_t> input,
                               const tensor::QuantizationGrid& grid) {
  const LayerShape& shape = NetworkShape()[index];
  const Layer& layer = network_.original->layers[index];
  const tensor::QuantizationGrid& output = network_.layers[index].output;
  const std::size_t inputs = shape.weights_per_output();
  std::vector<float> values(input.size());
  std::ranges::transform(input, values.begin(), [&](auto code) { return ValueOf(code, grid); });
  SpreadInputs<float>(shape, values, 0, float_columns_);
  for (std::size_t out = 0; out < shape.out_channels; ++out) {
    const float* weights = layer.weights.data() + out * inputs;
    for (std::size_t position = 0; position < shape.positions(); ++position) {
      const float* column = float_columns_.data() + position * inputs;
      float sum = layer.biases[out];
      for (std::size_t in = 0; in < inputs; ++in) sum += weights[in] * column[in];
      if (shape.relu) sum = std::max(sum, 0.0F);
      codes_[index][out * shape.positions() + position] = CodeOf(sum, output);
    }
  }
}

std::span<const float> QuantizedRunner::Run(std::span<const float> image) {
  input_.resize(image.size());
  std::ranges::transform(image, input_.begin(),
                         [&](float pixel) { return CodeOf(pixel, network_.input); });
  std::span<const std::int16_t> input = input_;
  const tensor::QuantizationGrid* grid = &network_.input;
  for (std::size_t i = 0; i < network_.layers.size(); ++i) {
    if (network_.layers[i].keep_float) {
      RunFloat(i, input, *grid);
    } else {
      RunInteger(i, input, *grid);
    }
    input = codes_[i];
    grid = &network_.layers[i].output;
  }
  scores_ = Output(network_.layers.size() - 1);
  return scores_;
}

std::vector<float> QuantizedRunner::Output(std::size_t layer) const {
  std::vector<float> values(codes_[layer].size());
  std::ranges::transform(codes_[layer], values.begin(), [&](std::int16_t code) {
    return ValueOf(code, network_.layers[layer].output);
  });
  return values;
}

}  // namespace cboard::demo
