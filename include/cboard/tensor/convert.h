// The real values of a tensor, whatever it is stored as.
//
//   CBOARD_ASSIGN_OR_RETURN(const std::vector<float> pixels, ToFloats(image));
//
// Quantized tensors are dequantized: real = (code - zero_point) * scale. For whole tensors that
// are needed element by element; statistics.h and histogram.h read tensors without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/base/small_floats.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::tensor {

using cboard::BfloatToFloat;
using cboard::HalfToFloat;

// A valid tensor whose elements are contiguous and of a plain type (base/dtype.h). Borrows tensors
// that are plain already, and copies others: strided ones, integers of 4 and 2 bits to 8, floats of
// 8 and 4 bits to float32, or to float64 if they are quantized, then dequantized.
//
//   CBOARD_ASSIGN_OR_RETURN(const PlainTensor plain, PlainTensor::Of(given));
//   Sum(plain.view());
class PlainTensor {
 public:
  // Borrows `tensor`, view and elements.
  static Result<PlainTensor> Of(const TensorView& tensor);
  static Result<PlainTensor> Of(TensorView&&) = delete;

  const TensorView& view() const { return made_ ? *made_ : *given_; }
  // True if the elements are copies, which live as long as this object.
  bool is_copy() const { return made_.has_value(); }

 private:
  explicit PlainTensor(const TensorView& given) : given_(&given) {}

  const TensorView* given_;
  std::optional<TensorView> made_;
  std::vector<std::byte> elements_;  // The elements of `made_`.
};

// Reads elements [first, first + out.size()) of a contiguous array, which need not be aligned.
// `dtype` holds real numbers and is not a block type.
void LoadFloats(DType dtype, const void* elements, std::size_t first, std::span<float> out);

// Converts as many float16 as `out` has room for; they need not be aligned.
void HalvesToFloats(const void* halves, std::span<float> out);

// Row-major, one entry per element. Exact, except that 64-bit integers beyond ±2^53 and products
// of a quantization round to the nearest double. Fails only when `tensor` is not valid.
Result<std::vector<double>> ToDoubles(const TensorView& tensor);

// ToDoubles rounded to the nearest float; doubles beyond the range of float become infinite.
Result<std::vector<float>> ToFloats(const TensorView& tensor);

}  // namespace cboard::tensor
