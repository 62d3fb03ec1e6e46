// Converts any tensor to its real values.
//
//   CBOARD_ASSIGN_OR_RETURN(const std::vector<float> pixels, ToFloats(image));
//
// Quantized tensors are dequantized: real = (code - zero_point) * scale. Use this for whole tensors
// that are needed as arrays; statistics.h and histogram.h read tensors without a copy.
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

// A valid tensor whose elements are contiguous and of a plain type (base/dtype.h). A tensor that is
// already plain is borrowed. All others are copied: strided tensors as contiguous elements;
// integers of 4 and 2 bits as 8 bits; floats of 8 and 4 bits as float32 or, if they are quantized,
// as dequantized float64.
//
//   CBOARD_ASSIGN_OR_RETURN(const PlainTensor plain, PlainTensor::Of(given));
//   Sum(plain.view());
class PlainTensor {
 public:
  // Converts a tensor to a plain one if needed. The result borrows `tensor` and its elements.
  static Result<PlainTensor> Of(const TensorView& tensor);
  static Result<PlainTensor> Of(TensorView&&) = delete;

  const TensorView& view() const { return made_ ? *made_ : *given_; }
  // True if the elements were copied. The copies live as long as this object.
  bool is_copy() const { return made_.has_value(); }

 private:
  explicit PlainTensor(const TensorView& given) : given_(&given) {}

  const TensorView* given_;
  std::optional<TensorView> made_;
  std::vector<std::byte> elements_;  // The elements of `made_`.
};

// Converts the elements [first, first + out.size()) of a contiguous array to floats. The array need
// not be aligned. `dtype` must hold real numbers and must not be a block type.
void LoadFloats(DType dtype, const void* elements, std::size_t first, std::span<float> out);

// Converts out.size() float16 values to floats. They need not be aligned.
void HalvesToFloats(const void* halves, std::span<float> out);

// Returns the real values of a tensor in row-major order. The values are exact, with two
// exceptions: 64-bit integers beyond ±2^53 and dequantized products are rounded to the nearest
// double. Fails only if `tensor` is not valid.
Result<std::vector<double>> ToDoubles(const TensorView& tensor);

// Returns the real values of a tensor, rounded to the nearest float; values beyond the range of
// float become infinite.
Result<std::vector<float>> ToFloats(const TensorView& tensor);

}  // namespace cboard::tensor
