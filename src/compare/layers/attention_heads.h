// llama.cpp's order of the rows of attention weights.
//
// Rotary embeddings turn pairs of channels. Hugging Face's models pair channel i of a head with
// channel i of its other half; llama.cpp pairs neighbours, and its converter has changed the order
// of the rows of attn_q and attn_k for that.
#pragma once

#include <cstddef>

#include "compare/layers/model_layers.h"

namespace cboard::compare {

// How many heads the rows of a layer belong to, if it is one whose rows a converter to GGUF may
// have put in pairs; otherwise 0. Not every architecture's are: only the weights themselves tell.
std::size_t PairedHeadsOf(const model::ModelGraph& model, const ModelLayer& layer);

// Where llama.cpp stores row `row` of `rows` that are in pairs.
std::size_t PairedPlace(std::size_t heads, std::size_t rows, std::size_t row);

}  // namespace cboard::compare
