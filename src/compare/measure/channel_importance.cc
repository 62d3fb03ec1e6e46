#include "compare/measure/channel_importance.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "compare/layers/weight_rows.h"

namespace cboard::compare {
namespace {

// Adds to `squares` the squared weights by which each input channel of the layer is multiplied.
// Returns false if the channels cannot be identified.
Result<bool> AddSquares(const model::ModelGraph& model, const ModelLayer& layer,
                        std::vector<double>& squares) {
  const std::vector<std::int64_t>& shape = model.tensor(layer.operand).shape;
  const bool is_convolution = model.node(layer.node).op_type == "Conv";
  CBOARD_ASSIGN_OR_RETURN(const WeightRows rows, ReadRows(model, layer));
  // Number of input channels per row of the weights, and number of elements of each input channel.
  std::size_t inputs = squares.size();
  if (is_convolution) inputs = static_cast<std::size_t>(shape[1]);
  if (inputs == 0 || rows.row == 0 || rows.row % inputs != 0 || squares.size() % inputs != 0) {
    return false;
  }
  const std::size_t groups = squares.size() / inputs, each = rows.row / inputs;
  if (rows.channels % groups != 0) return false;
  for (std::size_t row = 0; row < rows.channels; ++row) {
    const std::size_t first = row / (rows.channels / groups) * inputs;
    for (std::size_t i = 0; i < rows.row; ++i) {
      const double weight = rows.values[row * rows.row + i];
      squares[first + i / each] += weight * weight;
    }
  }
  return true;
}

}  // namespace

bool IsChannelwise(std::string_view op_type) {
  constexpr std::array<std::string_view, 13> kOps = {
      "Relu",        "Clip",          "LeakyRelu", "MaxPool",
      "AveragePool", "GlobalMaxPool", "Identity",  "GlobalAveragePool",
      "Dropout",     "Flatten",       "Reshape",   "Unsqueeze",
      "Squeeze"};
  return std::ranges::find(kOps, op_type) != kOps.end();
}

ChannelImportance::ChannelImportance(const model::ModelGraph& model,
                                     std::span<const ModelLayer> layers)
    : model_(model), use_(model) {
  for (const ModelLayer& layer : layers) {
    // Skips layers in bodies of If, Loop and Scan. Skips the recurrent weights R, because they
    // multiply the state and not the input.
    if (layer.node == model::kNoNode || IsInBody(model, layer) || layer.part == "R") continue;
    layers_.emplace(layer.node, &layer);
  }
}

Result<std::vector<double>> ChannelImportance::Of(model::TensorId tensor,
                                                  std::size_t channels) const {
  std::vector<double> squares(channels);
  std::vector<model::TensorId> left = {tensor};
  while (!left.empty()) {
    const model::TensorId next = left.back();
    left.pop_back();
    if (use_.IsOutput(next) || model_.consumers(next).empty()) return std::vector<double>();
    for (const model::NodeId id : model_.consumers(next)) {
      const model::ModelNode& node = model_.node(id);
      if (IsChannelwise(node.op_type) && !node.outputs.empty()) {
        left.push_back(node.outputs[0]);
        continue;
      }
      const auto layer = layers_.find(id);
      if (layer == layers_.end() || node.inputs[0] != next) return std::vector<double>();
      CBOARD_ASSIGN_OR_RETURN(const bool is_added, AddSquares(model_, *layer->second, squares));
      if (!is_added) return std::vector<double>();
    }
  }
  return squares;
}

}  // namespace cboard::compare
