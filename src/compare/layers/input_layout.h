// Finds the input channel of each weight of a layer.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "compare/layers/model_layers.h"

namespace cboard::compare {

// Channels of a group share their inputs; each input has `each` consecutive weights in a row.
struct InputLayout {
  std::size_t inputs = 0;  // Input channels of all groups.
  std::size_t groups = 1;
  std::size_t each = 1;

  std::size_t in_group() const { return inputs / groups; }
  std::size_t row() const { return in_group() * each; }
  // Depthwise convolutions: a factor may belong to the input or to the output.
  bool IsDepthwise() const { return groups == inputs && groups > 1; }
};

// Factors of inputs, or none.
struct InputFactors {
  std::span<const double> factors;
  InputLayout layout;
};

// Factors that turn the baseline's weights into the ones that were quantized; empty for none. The
// layer's output is then multiplied by `outputs`.
struct Equalized {
  std::vector<double> outputs;
  std::vector<double> inputs;
  InputLayout layout;         // Layout of the inputs.
  bool undoes_gains = false;  // The inputs make up for other constants before them; input_gains.h.
};

// The input layout of a layer's rows; nullopt for layers without nodes, for several weights, and
// for tables.
std::optional<InputLayout> InputsOf(const model::ModelGraph& model, const ModelLayer& layer);

// The tensor that is multiplied with the layer's weights: the first other input of its node.
model::TensorId DataOf(const model::ModelGraph& model, const ModelLayer& layer);

// Multiplies each weight of the rows from `first` on, of `channels`, by the factor of its input;
// without factors, by none.
void ScaleInputs(const InputFactors& inputs, std::size_t first, std::size_t channels,
                 std::span<float> rows);

}  // namespace cboard::compare
