#include "quantize/planning/noise.h"

#include <algorithm>
#include <cmath>

#include "quantize/ranges/range_search.h"

namespace cboard::quantize {

std::optional<WeightEnergy> EnergyOf(const Node& node, const Constant& weight) {
  const auto& shape = weight.shape;
  WeightEnergy result;
  std::size_t kernel = 1;
  bool is_transposed = false;  // True if rows are inputs.
  if (node.Is("Conv") && shape.size() >= 3) {
    result.outputs = static_cast<std::size_t>(shape[0]);
    result.inputs = static_cast<std::size_t>(shape[1]);
    result.groups = static_cast<std::size_t>(node.Int("group", 1));
    for (std::size_t i = 2; i < shape.size(); ++i) kernel *= static_cast<std::size_t>(shape[i]);
  } else if ((node.Is("Gemm") || node.Is("MatMul")) && shape.size() == 2) {
    is_transposed = !(node.Is("Gemm") && node.Int("transB", 0) != 0);
    result.outputs = static_cast<std::size_t>(shape[is_transposed ? 1 : 0]);
    result.inputs = static_cast<std::size_t>(shape[is_transposed ? 0 : 1]);
  } else {
    return std::nullopt;
  }
  const std::vector<float> values = weight.ToFloats();
  if (result.outputs == 0 || result.inputs == 0 || result.groups == 0 ||
      result.outputs % result.groups != 0 ||
      values.size() != result.outputs * result.inputs * kernel) {
    return std::nullopt;
  }
  result.energy.resize(result.outputs * result.inputs);
  result.largest.resize(result.energy.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t place = i / kernel;
    if (is_transposed) place = i % result.outputs * result.inputs + i / result.outputs;
    result.energy[place] += static_cast<double>(values[i]) * values[i];
    result.largest[place] = std::max(result.largest[place], std::abs(values[i]));
  }
  return result;
}

std::vector<double> ChannelPowers(const TensorStatistics& statistics) {
  std::vector<double> powers = statistics.channel_sum_squares;
  if (powers.empty() || statistics.count == 0) return {};
  const double count = static_cast<double>(statistics.count) / static_cast<double>(powers.size());
  for (double& power : powers) power /= count;
  return powers;
}

double NoiseShare(const WeightEnergy& weight, const std::vector<double>& powers, double noise) {
  if (powers.size() != weight.inputs * weight.groups) return 0;
  double share = 0;
  std::size_t count = 0;
  for (std::size_t output = 0; output < weight.outputs; ++output) {
    double signal = 0, energy = 0;
    for (std::size_t input = 0; input < weight.inputs; ++input) {
      const double one = weight.energy[output * weight.inputs + input];
      signal += one * powers[weight.ChannelOf(output, input)];
      energy += one;
    }
    if (signal <= 0) continue;  // Ignores a dead output: no signal can be lost.
    share += std::min(1.0, noise * energy / signal);
    ++count;
  }
  return count == 0 ? 0 : share / static_cast<double>(count);
}

std::vector<NoisyTensor> RankActivations(const Graph& graph, const Placement& placement,
                                         const Statistics& statistics, const Plan& plan) {
  const GraphIndex index(graph);
  std::vector<NoisyTensor> ranked;
  for (const auto& [tensor, activation] : plan.activations) {
    const auto found = statistics.tensors.find(tensor);
    if (activation.is_float || found == statistics.tensors.end()) continue;
    const TensorStatistics& values = found->second;
    const double noise =
        RangeCost(values).MeanSquaredError({activation.low, activation.high}, activation.bits);
    const double power = values.sum_squares / std::max(1.0, static_cast<double>(values.count));
    double share = power > 0 ? std::min(1.0, noise / power) : 0;
    const std::vector<double> powers = ChannelPowers(values);
    for (const std::size_t consumer : index.Consumers(tensor)) {
      const Node& node = graph.nodes[consumer];
      if (placement.nodes[consumer].role != NodeRole::kCompute || powers.empty()) continue;
      if (const auto weight = EnergyOf(node, *graph.FindConstant(node.inputs[1]))) {
        share = std::max(share, NoiseShare(*weight, powers, noise));
      }
    }
    // Adds the noise of a tensor that shares a scale to the tensor that owns the scale.
    std::string source = tensor;
    for (int depth = 0; depth < 1000; ++depth) {
      const auto shared = plan.activations.find(source);
      if (shared == plan.activations.end() || shared->second.shares.empty()) break;
      source = shared->second.shares;
    }
    ranked.push_back({source, share > 0 ? -10 * std::log10(share) : 200});
  }
  std::ranges::sort(ranked, [](const NoisyTensor& a, const NoisyTensor& b) {
    return a.sqnr_db != b.sqnr_db ? a.sqnr_db < b.sqnr_db : a.tensor < b.tensor;
  });
  std::vector<NoisyTensor> unique;
  for (NoisyTensor& one : ranked) {
    if (std::ranges::find(unique, one.tensor, &NoisyTensor::tensor) == unique.end()) {
      unique.push_back(std::move(one));
    }
  }
  return unique;
}

}  // namespace cboard::quantize
