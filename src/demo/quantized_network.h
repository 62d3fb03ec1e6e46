// Runs the network with integers: weights and activations have 8 bits or fewer, sums have 32 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cboard/tensor/compare.h"
#include "demo/digits.h"
#include "demo/network.h"

namespace cboard::demo {

struct QuantizationScheme {
  int weight_bits = 8;
  bool per_channel = true;
  // The upper end of each layer's activation range, as a fraction of the largest activation during
  // calibration. If it is much smaller than 1, activations that the network needs are clipped.
  std::vector<double> reach;            // One per layer; empty: 1 for all.
  std::vector<std::size_t> keep_float;  // Layers that are computed in floating point.
};

struct QuantizedLayer {
  std::vector<std::int8_t> codes;    // [out channel][in channel][row][column]
  std::vector<float> scales;         // One, or one per out channel.
  std::vector<std::int32_t> biases;  // In units of input scale times weight scale.
  tensor::QuantizationGrid output;   // Grid of the activations.
  bool keep_float = false;
};

struct QuantizedNetwork {
  const Network* original = nullptr;  // Borrowed; used for layers in float.
  tensor::QuantizationGrid input;
  int weight_bits = 8;
  std::vector<QuantizedLayer> layers;

  // Returns the stored size of a layer in bytes: weights, scales and biases.
  std::size_t BytesOf(std::size_t layer) const;
};

// The smallest and the largest output of a layer for all images of `calibration`.
struct ActivationRange {
  float min = 0;
  float max = 0;
};
std::vector<ActivationRange> Calibrate(const Network& network, const Digits& calibration);

// Quantizes a network. The result borrows `network`.
QuantizedNetwork Quantize(const Network& network, std::span<const ActivationRange> ranges,
                          const QuantizationScheme& scheme);

// Returns a copy of `network` in float, with weights rounded to `bits` bits.
Network WithRoundedWeights(const Network& network, int bits, bool per_channel);

// Returns a copy of `network` in which the smallest weights of each layer are zero. `share` is the
// fraction of these weights. The first layer does not change.
Network WithPrunedWeights(const Network& network, double share);

class QuantizedRunner {
 public:
  explicit QuantizedRunner(const QuantizedNetwork& network);

  std::span<const float> Run(std::span<const float> image);

  // Returns the output of a layer for the last image, as real values [channel][row][column].
  std::vector<float> Output(std::size_t layer) const;

 private:
  void RunInteger(std::size_t layer, std::span<const std::int16_t> input,
                  const tensor::QuantizationGrid& grid);
  void RunFloat(std::size_t layer, std::span<const std::int16_t> input,
                const tensor::QuantizationGrid& grid);

  const QuantizedNetwork& network_;
  // The weights, converted once to the integer type that the processor multiplies.
  std::vector<std::vector<std::int16_t>> weights_;
  std::vector<std::vector<std::int16_t>> codes_;  // The output of each layer.
  std::vector<std::int16_t> input_, columns_;
  std::vector<float> float_columns_, scores_;
};

}  // namespace cboard::demo
