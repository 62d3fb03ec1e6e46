// Which input of a layer each of its weights is for.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "compare/layers/model_layers.h"

namespace cboard::compare {

// Channels of a group have inputs of their own, and `each` weights for every one of these, which
// follow each other in a row.
struct InputLayout {
  std::size_t inputs = 0;  // Input channels of all groups.
  std::size_t groups = 1;
  std::size_t each = 1;

  std::size_t in_group() const { return inputs / groups; }
  std::size_t row() const { return in_group() * each; }
  // Convolutions with one input for each channel: a factor may be of either.
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

// That of a layer's rows; nothing for those without nodes, with several weights,
// and for tables.
std::optional<InputLayout> InputsOf(const model::ModelGraph& model, const ModelLayer& layer);

// The tensor that the layer's weights meet: of its node's inputs, the first that is not these.
model::TensorId DataOf(const model::ModelGraph& model, const ModelLayer& layer);

// Multiplies each weight of the rows from `first` on, of `channels`, by the factor of its input;
// without factors, by none.
void ScaleInputs(const InputFactors& inputs, std::size_t first, std::size_t channels,
                 std::span<float> rows);

}  // namespace cboard::compare
