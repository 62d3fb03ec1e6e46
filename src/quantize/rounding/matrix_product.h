// Multiplies large float matrices.
#pragma once

#include <cstddef>

namespace cboard::quantize {

// A matrix whose element (i, k) is at data[i * row_stride + k * column_stride].
struct StridedMatrix {
  const float* data = nullptr;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t column_stride = 1;
};

// Computes c += factor * a * b for a [rows, inner] and b [inner, columns]; b and c are row-major
// with rows of b_stride and c_stride elements. The result does not depend on how a caller divides
// the columns.
void AddProduct(float factor, const StridedMatrix& a, const float* b, std::size_t b_stride,
                float* c, std::size_t c_stride, std::size_t rows, std::size_t columns,
                std::size_t inner);

}  // namespace cboard::quantize
