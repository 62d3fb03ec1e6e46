// The elements of constants, as numbers: all of them for readers, or the few of a shape or a scale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::model {

// Elements [first, first + out.size()) as they are stored, without scales; they must be in `data`,
// and the type must be one that HoldsRealNumbers.
void LoadStored(DType type, ByteSpan data, std::size_t first, std::span<float> out);

// All values of a constant with at most `max_count` elements; nullopt for larger constants, other
// tensors and other types.
std::optional<std::vector<float>> FloatsOf(const ModelTensor& tensor, std::size_t max_count);
std::optional<std::vector<std::int64_t>> IntegersOf(const ModelTensor& tensor,
                                                    std::size_t max_count);

}  // namespace cboard::model
