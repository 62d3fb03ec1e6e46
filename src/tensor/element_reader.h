// Parts of a tensor as real values, a buffer at a time, so that no pass over a tensor needs a copy
// of it. Tensors are plain: callers have made them with PlainTensor::Of (convert.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cboard/tensor/tensor_view.h"

namespace cboard::tensor {

// Elements that a pass converts at once: small enough to stay in the first-level cache.
inline constexpr std::size_t kChunkElements = 1024;

// The scale and zero point of consecutive elements [first, first + count).
struct QuantizedRun {
  std::size_t first = 0;
  std::size_t count = 0;
  double scale = 1;
  double zero_point = 0;
};

// Which scale belongs to which element of a quantized tensor.
class ScaleLookup {
 public:
  // `tensor` is quantized. Borrows its scales.
  explicit ScaleLookup(const TensorView& tensor);

  // Calls `visit(QuantizedRun)` for elements [first, end) in order, a run per change of scale.
  template <typename Visitor>
  void ForEachRun(std::size_t first, std::size_t end, Visitor&& visit) const {
    std::size_t column = first % row_length_;
    std::size_t scale =
        (first / row_length_ * runs_per_row_ + column / run_length_) % scales_.size();
    std::size_t in_run = column % run_length_;
    while (first < end) {
      const std::size_t count = std::min({run_length_ - in_run, row_length_ - column, end - first});
      visit(QuantizedRun{first, count, static_cast<double>(scales_[scale]),
                         zero_points_.empty() ? 0.0 : static_cast<double>(zero_points_[scale])});
      first += count;
      column = column + count == row_length_ ? 0 : column + count;
      in_run = 0;
      scale = scale + 1 == scales_.size() ? 0 : scale + 1;
    }
  }

  // Turns the codes of elements [first, first + codes.size()) into real values.
  void Dequantize(std::size_t first, std::span<double> codes) const;

  // How many consecutive elements share a scale, where the shape does not cut them short.
  std::size_t run_length() const { return run_length_; }

 private:
  std::span<const float> scales_;
  std::span<const std::int32_t> zero_points_;
  std::size_t row_length_;    // Runs do not cross from one row to the next.
  std::size_t run_length_;    // …and have this length, except the last one of a row.
  std::size_t runs_per_row_;  // Scales repeat after all of them are used.
};

// Writes elements [first, first + out.size()) of `tensor`, dequantized when it is quantized.
void ReadDoubles(const TensorView& tensor, std::size_t first, std::span<double> out);

// True for unquantized dtypes whose every value is a float32.
bool FitsFloat32(const TensorView& tensor);

// Like ReadDoubles, for tensors that FitsFloat32.
void ReadFloats(const TensorView& tensor, std::size_t first, std::span<float> out);

// True for tensors of 8-bit codes.
inline bool HoldsBytes(const TensorView& tensor) {
  return tensor.dtype == DType::kInt8 || tensor.dtype == DType::kUint8;
}

// Elements [first, first + count) where they are. They must be aligned.
template <typename Element>
std::span<const Element> ElementsOf(const TensorView& tensor, std::size_t first,
                                    std::size_t count) {
  return {static_cast<const Element*>(tensor.data) + first, count};
}

// Elements [first, first + count) as real values, in order: calls `visit` with spans of floats when
// they hold every value, otherwise with spans of doubles. Arrays of these types are not copied.
template <typename Visitor>
void ForEachBlock(const TensorView& tensor, std::size_t first, std::size_t count, Visitor&& visit) {
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.data);
  constexpr std::size_t kUncopiedBlock = 4 * kChunkElements;
  const auto visit_uncopied = [&]<typename Real>(std::span<const Real> elements) {
    for (; !elements.empty();
         elements = elements.subspan(std::min(elements.size(), kUncopiedBlock))) {
      visit(elements.first(std::min(elements.size(), kUncopiedBlock)));
    }
  };
  const auto visit_converted = [&]<typename Real>(Real, auto read) {
    std::array<Real, kChunkElements> chunk;
    for (std::size_t done = 0; done < count; done += chunk.size()) {
      const auto part = std::span(chunk).first(std::min(chunk.size(), count - done));
      read(tensor, first + done, part);
      visit(std::span<const Real>(part));
    }
  };
  if (tensor.dtype == DType::kFloat32 && address % alignof(float) == 0) {
    visit_uncopied(ElementsOf<float>(tensor, first, count));
  } else if (tensor.dtype == DType::kFloat64 && address % alignof(double) == 0) {
    visit_uncopied(ElementsOf<double>(tensor, first, count));
  } else if (FitsFloat32(tensor)) {
    visit_converted(float{}, ReadFloats);
  } else {
    visit_converted(double{}, ReadDoubles);
  }
}

}  // namespace cboard::tensor
