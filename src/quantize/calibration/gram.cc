#include "quantize/calibration/gram.h"

#include <algorithm>

namespace cboard::quantize {

void AddGram(std::span<const float> values, std::size_t width, std::vector<double>& gram) {
  if (width == 0) return;
  gram.resize(width * width);
  const std::size_t rows = values.size() / width;
  // Blocks of rows are summed in float32 by outer products of four rows, so that the compiler makes
  // vectors of it; blocks are added in float64.
  constexpr std::size_t kRows = 64;
  std::vector<float> block(width);
  for (std::size_t first = 0; first < rows; first += kRows) {
    const std::size_t last = std::min(rows, first + kRows);
    for (std::size_t i = 0; i < width; ++i) {
      std::fill(block.begin() + static_cast<std::ptrdiff_t>(i), block.end(), 0.0f);
      for (std::size_t row = first; row < last; ++row) {
        const float* const x = values.data() + row * width;
        const float factor = x[i];
        if (factor == 0) continue;
        for (std::size_t j = i; j < width; ++j) block[j] += factor * x[j];
      }
      double* const out = gram.data() + i * width;
      for (std::size_t j = i; j < width; ++j) out[j] += block[j];
    }
  }
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = i + 1; j < width; ++j) gram[j * width + i] = gram[i * width + j];
  }
}

}  // namespace cboard::quantize
