// The Gram matrix of rows: the sum over rows of row^T row.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cboard::quantize {

// Adds the Gram matrix [width, width] of `values`, rows of `width`, to `gram`, which is empty or
// has that size. Both triangles are filled.
void AddGram(std::span<const float> values, std::size_t width, std::vector<double>& gram);

}  // namespace cboard::quantize
