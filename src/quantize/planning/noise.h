// Predicts from statistics how much noise the rounding of an activation adds to the layers that use
// it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cboard/quantize/plan.h"
#include "cboard/quantize/statistics.h"
#include "quantize/graph/graph.h"
#include "quantize/placement/placement.h"

namespace cboard::quantize {

// Energy of a weight, summed over its kernel: energy[output * inputs + input] is the sum of squares
// that connect an input channel with an output channel. Inputs are counted within the output's
// group.
struct WeightEnergy {
  std::size_t outputs = 0;
  std::size_t inputs = 0;  // Number of inputs of one group.
  std::size_t groups = 1;
  std::vector<double> energy;
  std::vector<float> largest;  // The largest magnitudes, in the order of `energy`.

  // Returns the channel of the layer's input for `input` of `output`.
  std::size_t ChannelOf(std::size_t output, std::size_t input) const {
    return output / (outputs / groups) * inputs + input;
  }
};

// Returns nullopt for weights that are neither a matrix nor a kernel, and for transposed
// convolutions.
std::optional<WeightEnergy> EnergyOf(const Node& node, const Constant& weight);

// Returns the mean powers of an activation's channels; empty if the statistics have none.
std::vector<double> ChannelPowers(const TensorStatistics& statistics);

// Returns the mean share of noise in a layer's outputs, where each output counts at most 1. `noise`
// is the error variance of each input value.
double NoiseShare(const WeightEnergy& weight, const std::vector<double>& powers, double noise);

struct NoisyTensor {
  std::string tensor;
  double sqnr_db = 0;  // SQNR of the output that this tensor's rounding damages most.
};

// Returns the quantized activations of a plan that own their scale, the noisiest first.
std::vector<NoisyTensor> RankActivations(const Graph& graph, const Placement& placement,
                                         const Statistics& statistics, const Plan& plan);

}  // namespace cboard::quantize
