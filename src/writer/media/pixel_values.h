// The elements of a tensor as bytes 0…255, with the arithmetic of numpy that tensorboardX relies
// on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::writer::media {

// In row-major order. Bytes of a contiguous uint8 tensor are borrowed and must outlive this; all
// others are owned.
class PixelValues {
 public:
  explicit PixelValues(std::span<const std::uint8_t> borrowed) : values_(borrowed) {}
  explicit PixelValues(std::vector<std::uint8_t> owned)
      : owned_(std::move(owned)), values_(owned_) {}
  PixelValues(PixelValues&&) = default;  // Moving a vector leaves its elements where they are.
  PixelValues& operator=(PixelValues&&) = default;

  const std::uint8_t* data() const { return values_.data(); }
  std::size_t size() const { return values_.size(); }

 private:
  std::vector<std::uint8_t> owned_;
  std::span<const std::uint8_t> values_;
};

// `(tensor * 255.0).astype(numpy.uint8)`, except that uint8 is taken as it is. The product has the
// type numpy gives it (float16, float32, else float64), fractions are dropped and the rest wraps
// around: 1.01 becomes 1, -0.1 becomes 231. Values outside of 32-bit integers, and NaN, become 0.
// Quantized tensors are dequantized. Fails only when `tensor` is invalid.
Result<PixelValues> ToPixelValues(const TensorView& tensor);

// `(tensor * 255).clip(0, 255)`, the gentler rule of embedding sprites; NaN becomes 0.
Result<PixelValues> ToClampedPixelValues(const TensorView& tensor);

}  // namespace cboard::writer::media
