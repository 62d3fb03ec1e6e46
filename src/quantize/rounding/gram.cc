#include "quantize/rounding/gram.h"

#include <algorithm>

#include "quantize/rounding/matrix_product.h"

namespace cboard::quantize {

void AddGram(std::span<const float> values, std::size_t width, std::vector<double>& gram) {
  if (width == 0) return;
  gram.resize(width * width);
  const std::size_t rows = values.size() / width;
  // Sums each block of rows in float32, and the blocks in float64.
  constexpr std::size_t kRows = 128, kColumns = 60;
  std::vector<float> block(kColumns * width);
  for (std::size_t first = 0; first < rows; first += kRows) {
    const std::size_t count = std::min(kRows, rows - first);
    const float* const x = values.data() + first * width;
    for (std::size_t i = 0; i < width; i += kColumns) {
      const std::size_t columns = std::min(kColumns, width - i), rest = width - i;
      std::fill(block.begin(), block.end(), 0.0f);
      AddProduct(1, {x + i, 1, static_cast<std::ptrdiff_t>(width)}, x + i, width, block.data(),
                 rest, columns, rest, count);
      for (std::size_t c = 0; c < columns; ++c) {
        double* const out = gram.data() + (i + c) * width + i;
        for (std::size_t j = c; j < rest; ++j) out[j] += block[c * rest + j];
      }
    }
  }
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = i + 1; j < width; ++j) gram[j * width + i] = gram[i * width + j];
  }
}

}  // namespace cboard::quantize
