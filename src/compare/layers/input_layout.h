// Finds the input channel of each weight of a layer.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "compare/layers/model_layers.h"

namespace cboard::compare {

// The input channel of each weight. The output channels of a group share their input channels; a
// row has `each` consecutive weights per input channel.
struct InputLayout {
  std::size_t inputs = 0;  // Number of input channels of all groups.
  std::size_t groups = 1;
  std::size_t each = 1;

  std::size_t in_group() const { return inputs / groups; }
  std::size_t row() const { return in_group() * each; }
  // In a depthwise convolution, each output channel has a single input channel. So scaling the
  // input channel or the output channel by a factor has the same effect on the weights.
  bool IsDepthwise() const { return groups == inputs && groups > 1; }
};

// Factors by which the weights of each input channel are multiplied; may be empty.
struct InputFactors {
  std::span<const double> factors;
  InputLayout layout;
};

// Equalization factors that turn the baseline's weights into the weights before quantization. An
// empty vector means that there are no factors. `outputs` are the factors of the layer's output
// channels.
struct Equalized {
  std::vector<double> outputs;
  std::vector<double> inputs;
  InputLayout layout;         // Layout of the inputs.
  bool undoes_gains = false;  // `inputs` undo changed gains of a normalization; see input_gains.h.
};

// Returns the input layout of a layer's weights; nullopt for layers without a node, for nodes with
// several weights, and for lookup tables.
std::optional<InputLayout> InputsOf(const model::ModelGraph& model, const ModelLayer& layer);

// Returns the tensor that is multiplied by the layer's weights: the first input of the node that is
// not the weights.
model::TensorId DataOf(const model::ModelGraph& model, const ModelLayer& layer);

// Multiplies each weight by the factor of its input channel. `rows` begins with row `first` of
// `channels` rows. Does nothing if there are no factors.
void ScaleInputs(const InputFactors& inputs, std::size_t first, std::size_t channels,
                 std::span<float> rows);

}  // namespace cboard::compare
