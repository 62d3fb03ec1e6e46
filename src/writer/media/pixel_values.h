// Converts the elements of a tensor to bytes 0…255. Uses the arithmetic of numpy, because
// tensorboardX does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::writer::media {

// The bytes of an image in row-major order. A contiguous uint8 tensor is borrowed, and must outlive
// this object; the elements of other tensors are copied.
class PixelValues {
 public:
  explicit PixelValues(std::span<const std::uint8_t> borrowed) : values_(borrowed) {}
  explicit PixelValues(std::vector<std::uint8_t> owned)
      : owned_(std::move(owned)), values_(owned_) {}
  PixelValues(PixelValues&&) = default;  // Moving a vector does not move its elements.
  PixelValues& operator=(PixelValues&&) = default;

  const std::uint8_t* data() const { return values_.data(); }
  std::size_t size() const { return values_.size(); }

 private:
  std::vector<std::uint8_t> owned_;
  std::span<const std::uint8_t> values_;
};

// Computes `(tensor * 255.0).astype(numpy.uint8)`; uint8 tensors do not change. As in numpy, the
// product has type float16, float32 or, for all other types, float64; fractions are truncated, and
// the rest wraps around: 1.01 becomes 1, and -0.1 becomes 231. Products outside the range of 32-bit
// integers, and NaN, become 0. Quantized tensors are dequantized. Fails only if `tensor` is
// invalid.
Result<PixelValues> ToPixelValues(const TensorView& tensor);

// Computes `(tensor * 255).clip(0, 255)`, which is the rule for embedding sprites. NaN becomes 0.
Result<PixelValues> ToClampedPixelValues(const TensorView& tensor);

}  // namespace cboard::writer::media
