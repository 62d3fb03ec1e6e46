#include "quantize/rounding/matrix_product.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "quantize/rounding/matrix_product.cc"
#include <hwy/foreach_target.h>
// The header foreach_target must be included before highway.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cboard::quantize {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Keeps some rows and two vectors of columns in registers during the loop over `inner`.
template <std::size_t kRows>
void AddRows(float factor, const StridedMatrix& a, const float* HWY_RESTRICT b,
             std::size_t b_stride, float* HWY_RESTRICT c, std::size_t c_stride, std::size_t columns,
             std::size_t inner) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto at = [&](std::size_t row, std::size_t k) {
    return factor * a.data[static_cast<std::ptrdiff_t>(row) * a.row_stride +
                           static_cast<std::ptrdiff_t>(k) * a.column_stride];
  };
  std::size_t column = 0;
  for (; column + 2 * lanes <= columns; column += 2 * lanes) {
    hn::Vec<decltype(d)> sum[kRows][2];
    for (std::size_t row = 0; row < kRows; ++row) {
      sum[row][0] = hn::LoadU(d, c + row * c_stride + column);
      sum[row][1] = hn::LoadU(d, c + row * c_stride + column + lanes);
    }
    for (std::size_t k = 0; k < inner; ++k) {
      const auto b0 = hn::LoadU(d, b + k * b_stride + column);
      const auto b1 = hn::LoadU(d, b + k * b_stride + column + lanes);
      for (std::size_t row = 0; row < kRows; ++row) {
        const auto one = hn::Set(d, at(row, k));
        sum[row][0] = hn::MulAdd(one, b0, sum[row][0]);
        sum[row][1] = hn::MulAdd(one, b1, sum[row][1]);
      }
    }
    for (std::size_t row = 0; row < kRows; ++row) {
      hn::StoreU(sum[row][0], d, c + row * c_stride + column);
      hn::StoreU(sum[row][1], d, c + row * c_stride + column + lanes);
    }
  }
  const hn::CappedTag<float, 1> single;
  for (; column < columns; ++column) {
    for (std::size_t row = 0; row < kRows; ++row) {
      auto sum = hn::LoadU(single, c + row * c_stride + column);
      for (std::size_t k = 0; k < inner; ++k) {
        sum = hn::MulAdd(hn::Set(single, at(row, k)), hn::LoadU(single, b + k * b_stride + column),
                         sum);
      }
      hn::StoreU(sum, single, c + row * c_stride + column);
    }
  }
}

void AddProduct(float factor, const StridedMatrix& a, const float* b, std::size_t b_stride,
                float* c, std::size_t c_stride, std::size_t rows, std::size_t columns,
                std::size_t inner) {
  // Uses a part of `b` that fits into the cache for all rows.
  constexpr std::size_t kColumns = 256, kInner = 128;
  for (std::size_t first = 0; first < inner; first += kInner) {
    const std::size_t depth = std::min(kInner, inner - first);
    for (std::size_t column = 0; column < columns; column += kColumns) {
      const std::size_t width = std::min(kColumns, columns - column);
      const float* const from = b + first * b_stride + column;
      std::size_t row = 0;
      const auto part = [&] {
        return StridedMatrix{a.data + static_cast<std::ptrdiff_t>(row) * a.row_stride +
                                 static_cast<std::ptrdiff_t>(first) * a.column_stride,
                             a.row_stride, a.column_stride};
      };
      for (; row + 6 <= rows; row += 6) {
        AddRows<6>(factor, part(), from, b_stride, c + row * c_stride + column, c_stride, width,
                   depth);
      }
      for (; row < rows; ++row) {
        AddRows<1>(factor, part(), from, b_stride, c + row * c_stride + column, c_stride, width,
                   depth);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cboard::quantize
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cboard::quantize {

HWY_EXPORT(AddProduct);

void AddProduct(float factor, const StridedMatrix& a, const float* b, std::size_t b_stride,
                float* c, std::size_t c_stride, std::size_t rows, std::size_t columns,
                std::size_t inner) {
  HWY_DYNAMIC_DISPATCH(AddProduct)
  (factor, a, b, b_stride, c, c_stride, rows, columns, inner);
}

}  // namespace cboard::quantize
#endif
