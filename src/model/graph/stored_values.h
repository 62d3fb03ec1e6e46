// Reads elements of constants as numbers: parts of weights, or all values of a shape or a scale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::model {

// Reads elements [first, first + out.size()) as they are stored, without scales. They must exist in
// `data`, and HoldsRealNumbers must be true for the type.
void LoadStored(DType type, ByteSpan data, std::size_t first, std::span<float> out);

// Returns all values of a constant with at most `max_count` elements; nullopt for larger constants,
// other tensors and non-numeric types.
std::optional<std::vector<float>> FloatsOf(const ModelTensor& tensor, std::size_t max_count);
std::optional<std::vector<std::int64_t>> IntegersOf(const ModelTensor& tensor,
                                                    std::size_t max_count);

}  // namespace cboard::model
