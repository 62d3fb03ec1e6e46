// Computes the Gram matrix of rows: the sum over all rows of row^T row.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cboard::quantize {

// Adds the Gram matrix [width, width] of the rows in `values` to `gram`, which is empty or has that
// size. Fills both triangles.
void AddGram(std::span<const float> values, std::size_t width, std::vector<double>& gram);

}  // namespace cboard::quantize
