// The order in which llama.cpp stores the rows of attention weights.
//
// Rotary embeddings rotate pairs of channels. Models of Hugging Face pair channel i of the first
// half of a head with channel i of its second half. llama.cpp pairs neighbouring channels, so its
// converter reorders the rows of attn_q and attn_k.
#pragma once

#include <cstddef>

#include "compare/layers/model_layers.h"

namespace cboard::compare {

// Returns the number of attention heads of a layer if a converter to GGUF may have reordered its
// rows; otherwise 0. Not every architecture is reordered, so the weights must be compared in both
// orders.
std::size_t PairedHeadsOf(const model::ModelGraph& model, const ModelLayer& layer);

// Returns the position that row `row` of `rows` has in llama.cpp's order.
std::size_t PairedPlace(std::size_t heads, std::size_t rows, std::size_t row);

}  // namespace cboard::compare
