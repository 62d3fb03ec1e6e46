// Runs the network in integers: 8-bit (or narrower) weights and activations, 32-bit sums.
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
  // The upper end of each layer's activation range, as a share of the largest calibrated
  // activation. Values much below 1 clip activations that the network needs.
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

  // Returns the stored size of the layer's weights, scales and biases.
  std::size_t BytesOf(std::size_t layer) const;
};

// The smallest and largest output of each layer over `calibration`.
struct ActivationRange {
  float min = 0;
  float max = 0;
};
std::vector<ActivationRange> Calibrate(const Network& network, const Digits& calibration);

// Quantizes a network. Borrows `network`.
QuantizedNetwork Quantize(const Network& network, std::span<const ActivationRange> ranges,
                          const QuantizationScheme& scheme);

// Returns `network` in float with weights rounded to `bits`.
Network WithRoundedWeights(const Network& network, int bits, bool per_channel);

// Returns `network` without the smallest `share` of each layer's weights; the first layer does not
// change.
Network WithPrunedWeights(const Network& network, double share);

class QuantizedRunner {
 public:
  explicit QuantizedRunner(const QuantizedNetwork& network);

  std::span<const float> Run(std::span<const float> image);

  // Returns the output of a layer for the last picture as real values: [channel][row][column].
  std::vector<float> Output(std::size_t layer) const;

 private:
  void RunInteger(std::size_t layer, std::span<const std::int16_t> input,
                  const tensor::QuantizationGrid& grid);
  void RunFloat(std::size_t layer, std::span<const std::int16_t> input,
                const tensor::QuantizationGrid& grid);

  const QuantizedNetwork& network_;
  // The weights, widened once to the type that the processor multiplies.
  std::vector<std::vector<std::int16_t>> weights_;
  std::vector<std::vector<std::int16_t>> codes_;  // The output of each layer.
  std::vector<std::int16_t> input_, columns_;
  std::vector<float> float_columns_, scores_;
};

}  // namespace cboard::demo
