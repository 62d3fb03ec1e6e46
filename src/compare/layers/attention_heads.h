// llama.cpp's order of the rows of attention weights.
//
// Rotary embeddings turn pairs of channels. Hugging Face's models pair channel i of a head with
// channel i of its other half; llama.cpp pairs neighbours, and its converter has changed the order
// of the rows of attn_q and attn_k for that.
#pragma once

#include <cstddef>

#include "compare/layers/model_layers.h"

namespace cboard::compare {

// Number of attention heads of a layer whose rows a converter to GGUF may have reordered; otherwise
// 0. Depends on the architecture, so only the weights show whether it happened.
std::size_t PairedHeadsOf(const model::ModelGraph& model, const ModelLayer& layer);

// The position of row `row` of `rows` in llama.cpp's order.
std::size_t PairedPlace(std::size_t heads, std::size_t rows, std::size_t row);

}  // namespace cboard::compare
