// Factors that moved from a layer to those behind it, or from a normalization: equalization before
// quantization (CLE, SmoothQuant, AWQ) multiplies what one of them gives out, channel by channel,
// and divides what the next ones make of it. Neither is damage.
//
// Layers are gone through as they are computed. Where weights are those of the baseline but for a
// factor of each output, these factors are undone in the weights behind, and what is left is looked
// at again: so many of them do not fit by chance.
#pragma once

#include <vector>

#include "cboard/base/result.h"
#include "compression/model_comparison/input_layout.h"

namespace cboard::compare {

struct PairedModels;

// What the baseline's weights are multiplied by to be what was quantized; empty for nothing. The
// layer then gives out `outputs` times what it gave.
struct Equalized {
  std::vector<double> outputs;
  std::vector<double> inputs;
  InputLayout layout;         // Of the inputs.
  bool undoes_gains = false;  // The inputs make up for other constants before them; input_gains.h.
};

// Of all pairs. Reads a few weights of each layer, and all of those that seem to be equalized.
Result<std::vector<Equalized>> FindEqualized(const PairedModels& models);

}  // namespace cboard::compare
