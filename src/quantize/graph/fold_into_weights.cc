// Folds factors and offsets by channel into weights and bias.
#include <algorithm>
#include <cmath>

#include "quantize/graph/prepare_graph.h"

namespace cboard::quantize {
namespace {

// A layer whose weights can include a factor and an offset per output channel.
struct ScalableLayer {
  std::size_t node = 0;
  std::size_t channels = 0;
  std::size_t outer = 1;  // Shape of weights: [outer, channels, inner].
  std::size_t inner = 1;
  std::size_t groups = 1;  // Shape for ConvTranspose: [groups, outer, channels of a group, inner].
};

std::optional<ScalableLayer> LayerAt(const Graph& graph, std::size_t node_index) {
  const Node& node = graph.nodes[node_index];
  const Constant* const weight = graph.FindConstant(node.Input(1));
  if (weight == nullptr || weight->element_type != kFloat32) return std::nullopt;
  if (const std::string& bias = node.Input(2); !bias.empty()) {
    const Constant* const value = graph.FindConstant(bias);
    if (value == nullptr || value->element_type != kFloat32) return std::nullopt;
  }
  ScalableLayer layer{.node = node_index};
  const auto& shape = weight->shape;
  const auto size_from = [&](std::size_t first) {
    std::size_t size = 1;
    for (std::size_t i = first; i < shape.size(); ++i) size *= static_cast<std::size_t>(shape[i]);
    return size;
  };
  if (node.Is("Conv") && shape.size() >= 3) {
    layer.channels = static_cast<std::size_t>(shape[0]);
    layer.inner = size_from(1);
    return layer;
  }
  if (node.Is("ConvTranspose") && shape.size() >= 3) {
    layer.groups = static_cast<std::size_t>(node.Int("group", 1));
    if (layer.groups == 0) return std::nullopt;
    layer.channels = static_cast<std::size_t>(shape[1]) * layer.groups;
    layer.outer = static_cast<std::size_t>(shape[0]) / layer.groups;
    layer.inner = size_from(2);
    return layer;
  }
  if (node.Is("Gemm") && shape.size() == 2 && node.Float("beta", 1) == 1) {
    const bool is_transposed = node.Int("transB", 0) != 0;
    layer.channels = static_cast<std::size_t>(shape[is_transposed ? 0 : 1]);
    (is_transposed ? layer.inner : layer.outer) =
        static_cast<std::size_t>(shape[is_transposed ? 1 : 0]);
    const Constant* const bias = graph.FindConstant(node.Input(2));
    if (bias != nullptr && bias->element_count() != layer.channels) return std::nullopt;
    return layer;
  }
  return std::nullopt;
}

// Applies y = factor * x + offset to each channel.
void Apply(Graph& graph, const ScalableLayer& layer, const std::vector<double>& factor,
           const std::vector<double>& offset) {
  Node& node = graph.nodes[layer.node];
  const Constant& weight = graph.constants.at(node.inputs[1]);
  std::vector<float> values = weight.ToFloats();
  const std::size_t group_channels = layer.channels / layer.groups;
  for (std::size_t group = 0, place = 0; group < layer.groups; ++group) {
    for (std::size_t outer = 0; outer < layer.outer; ++outer) {
      for (std::size_t channel = 0; channel < group_channels; ++channel) {
        const double by = factor[group * group_channels + channel];
        for (std::size_t inner = 0; inner < layer.inner; ++inner, ++place) {
          values[place] = static_cast<float>(values[place] * by);
        }
      }
    }
  }
  std::vector<float> bias(layer.channels);
  if (const Constant* const old = graph.FindConstant(node.Input(2)); old != nullptr) {
    bias = old->ToFloats();
    bias.resize(layer.channels);
  }
  for (std::size_t i = 0; i < layer.channels; ++i) {
    bias[i] = static_cast<float>(bias[i] * factor[i] + offset[i]);
  }
  const std::string weight_name = graph.UniqueName(node.inputs[1] + "_folded");
  const std::string bias_name = graph.UniqueName(
      (node.Input(2).empty() ? node.inputs[1] + "_bias" : node.Input(2)) + "_folded");
  Constant folded = Constant::Floats(weight.shape, std::move(values));
  graph.constants.insert_or_assign(weight_name, std::move(folded));
  graph.constants.insert_or_assign(
      bias_name, Constant::Floats({static_cast<std::int64_t>(layer.channels)}, std::move(bias)));
  node.inputs.resize(3);
  node.inputs[1] = weight_name;
  node.inputs[2] = bias_name;
}

// Returns the values of a constant per channel of a tensor of this rank; the constant has one value
// per channel or a single value.
std::optional<std::vector<double>> PerChannel(const Constant* constant, std::size_t rank,
                                              std::size_t channels) {
  if (constant == nullptr || constant->element_type != kFloat32) return std::nullopt;
  const std::vector<float> values = constant->ToFloats();
  if (values.size() == 1 && constant->shape.size() <= rank) {
    return std::vector<double>(channels, values[0]);
  }
  if (values.size() != channels || constant->shape.size() > rank) return std::nullopt;
  // All sizes of the constant, counted from the last dimension, must be 1 except the size of the
  // channel dimension.
  const std::size_t axis_from_end = rank - 1;  // Channels are dimension 1.
  if (constant->shape.size() < axis_from_end) return std::nullopt;
  if (constant->shape[constant->shape.size() - axis_from_end] !=
      static_cast<std::int64_t>(channels)) {
    return std::nullopt;
  }
  return std::vector<double>(values.begin(), values.end());
}

struct Affine {
  std::vector<double> factor, offset;
};

std::optional<Affine> NormalizationOf(const Graph& graph, const Node& node, std::size_t channels) {
  if (!node.Is("BatchNormalization") || node.Int("training_mode", 0) != 0) return std::nullopt;
  for (std::size_t i = 1; i < node.outputs.size(); ++i) {
    if (!node.outputs[i].empty()) return std::nullopt;
  }
  std::vector<float> parts[4];
  for (std::size_t i = 0; i < 4; ++i) {
    const Constant* const part = graph.FindConstant(node.Input(i + 1));
    if (part == nullptr || part->element_type != kFloat32) return std::nullopt;
    parts[i] = part->ToFloats();
    if (parts[i].size() != channels) return std::nullopt;
  }
  const double epsilon = node.Float("epsilon", 1e-5f);
  Affine affine{std::vector<double>(channels), std::vector<double>(channels)};
  for (std::size_t i = 0; i < channels; ++i) {
    affine.factor[i] = parts[0][i] / std::sqrt(parts[3][i] + epsilon);
    affine.offset[i] = parts[1][i] - parts[2][i] * affine.factor[i];
  }
  return affine;
}

std::optional<Affine> ConstantStepOf(const Graph& graph, const Node& node, const std::string& input,
                                     std::size_t rank, std::size_t channels) {
  if (!node.Is("Mul") && !node.Is("Add")) return std::nullopt;
  if (node.inputs.size() != 2 || node.inputs[0] == node.inputs[1]) return std::nullopt;
  const std::string& other = node.inputs[0] == input ? node.inputs[1] : node.inputs[0];
  const auto values = PerChannel(graph.FindConstant(other), rank, channels);
  if (!values) return std::nullopt;
  if (node.Is("Mul")) return Affine{*values, std::vector<double>(channels)};
  return Affine{std::vector<double>(channels, 1.0), *values};
}

}  // namespace

void FoldIntoWeights(Graph& graph, PreparationCounts& counts) {
  const GraphIndex index(graph);
  std::vector<bool> is_removed(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto layer = LayerAt(graph, i);
    if (!layer || graph.nodes[i].outputs.size() != 1) continue;
    const std::size_t rank =
        graph.nodes[i].Is("Gemm") ? 2 : graph.constants.at(graph.nodes[i].inputs[1]).shape.size();
    std::string output = graph.nodes[i].outputs[0];
    while (true) {
      const std::size_t next = index.OnlyConsumer(output);
      if (next == GraphIndex::kNone || graph.nodes[next].HasBody()) break;
      const Node& step = graph.nodes[next];
      auto affine = step.Is("BatchNormalization") && step.Input(0) == output
                        ? NormalizationOf(graph, step, layer->channels)
                        : ConstantStepOf(graph, step, output, rank, layer->channels);
      if (!affine) break;
      ++(step.Is("BatchNormalization") ? counts.folded_normalizations : counts.folded_factors);
      output = step.outputs[0];
      is_removed[next] = true;
      Apply(graph, *layer, affine->factor, affine->offset);
      graph.nodes[i].outputs[0] = output;
    }
  }
  std::size_t place = 0;
  std::erase_if(graph.nodes, [&](const Node&) { return is_removed[place++]; });
  RemoveUnused(graph);
}

}  // namespace cboard::quantize
