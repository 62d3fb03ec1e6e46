// Reads elements of constants as numbers: a part of the weights, or all values of a shape or a
// scale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::model {

// Reads the stored elements [first, first + out.size()) without applying scales. The elements must
// exist in `data`, and HoldsRealNumbers must be true for the type.
void LoadStored(DType type, ByteSpan data, std::size_t first, std::span<float> out);

// These functions return all values of a constant with at most `max_count` elements. They return
// nullopt for larger constants, for tensors that are not constants, and for types that are not
// numeric.
std::optional<std::vector<float>> FloatsOf(const ModelTensor& tensor, std::size_t max_count);
std::optional<std::vector<std::int64_t>> IntegersOf(const ModelTensor& tensor,
                                                    std::size_t max_count);

}  // namespace cboard::model
