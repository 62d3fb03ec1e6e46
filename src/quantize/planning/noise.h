// Predicts, from statistics alone, how much noise the rounding of an activation adds to the layers
// that take it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cboard/quantize/plan.h"
#include "cboard/quantize/statistics.h"
#include "quantize/graph/graph.h"
#include "quantize/placement/placement.h"

namespace cboard::quantize {

// A weight as sums over its kernel: energy[output * inputs + input] is the sum of squares that
// connect an input channel with an output channel. Inputs count from the output's group.
struct WeightEnergy {
  std::size_t outputs = 0;
  std::size_t inputs = 0;  // The number of one group.
  std::size_t groups = 1;
  std::vector<double> energy;
  std::vector<float> largest;  // The largest magnitude, in the order of `energy`.

  // The channel of the layer's input that is `input` of `output`.
  std::size_t ChannelOf(std::size_t output, std::size_t input) const {
    return output / (outputs / groups) * inputs + input;
  }
};

// Nothing for weights that are no matrix or kernel, and for transposed convolutions.
std::optional<WeightEnergy> EnergyOf(const Node& node, const Constant& weight);

// Mean powers of an activation's channels; empty if statistics have none.
std::vector<double> ChannelPowers(const TensorStatistics& statistics);

// The mean share of noise in a layer's outputs, each output limited to 1: `noise` is the variance
// of the error of each input value.
double NoiseShare(const WeightEnergy& weight, const std::vector<double>& powers, double noise);

struct NoisyTensor {
  std::string tensor;
  double sqnr_db = 0;  // At the layer's output that suffers most from this tensor's rounding.
};

// The quantized activations of a plan that do not share another's scale, the noisiest first.
std::vector<NoisyTensor> RankActivations(const Graph& graph, const Placement& placement,
                                         const Statistics& statistics, const Plan& plan);

}  // namespace cboard::quantize
