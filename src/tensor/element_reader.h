// Reads a tensor as real values in chunks, so that no copy of the whole tensor is needed. Tensors
// must be plain: PlainTensor::Of (convert.h) converts them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cboard/tensor/tensor_view.h"

namespace cboard::tensor {

// Number of elements that are converted at once. They fit into the first-level cache.
inline constexpr std::size_t kChunkElements = 1024;

// A run of consecutive elements [first, first + count) with the same scale and zero point.
struct QuantizedRun {
  std::size_t first = 0;
  std::size_t count = 0;
  double scale = 1;
  double zero_point = 0;
};

// Finds the scale of each element of a quantized tensor.
class ScaleLookup {
 public:
  // Creates a lookup for `tensor`, which must be quantized. The lookup borrows the scales of the
  // tensor.
  explicit ScaleLookup(const TensorView& tensor);

  // Calls `visit(QuantizedRun)` once for each run of elements in [first, end) that have the same
  // scale, in order.
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

  // Converts the codes of elements [first, first + codes.size()) to real values, in place.
  void Dequantize(std::size_t first, std::span<double> codes) const;

  // Number of consecutive elements that share a scale. The last run of a row may be shorter.
  std::size_t run_length() const { return run_length_; }

 private:
  std::span<const float> scales_;
  std::span<const std::int32_t> zero_points_;
  std::size_t row_length_;    // Runs end at the end of a row.
  std::size_t run_length_;    // Length of a run, except the last one of a row.
  std::size_t runs_per_row_;  // Number of runs after which the scales repeat.
};

// Reads the elements [first, first + out.size()) of `tensor`. Quantized elements are dequantized.
void ReadDoubles(const TensorView& tensor, std::size_t first, std::span<double> out);

// True for unquantized dtypes whose values all fit into float32.
bool FitsFloat32(const TensorView& tensor);

// Does the same as ReadDoubles, for tensors for which FitsFloat32 is true.
void ReadFloats(const TensorView& tensor, std::size_t first, std::span<float> out);

// True for tensors that contain 8-bit codes.
inline bool HoldsBytes(const TensorView& tensor) {
  return tensor.dtype == DType::kInt8 || tensor.dtype == DType::kUint8;
}

// Returns the elements [first, first + count) without a copy. The elements must be aligned.
template <typename Element>
std::span<const Element> ElementsOf(const TensorView& tensor, std::size_t first,
                                    std::size_t count) {
  return {static_cast<const Element*>(tensor.data) + first, count};
}

// Calls `visit` with the real values of the elements [first, first + count), in order. The values
// are spans of floats if float32 can represent them, otherwise spans of doubles. Arrays of float32
// or float64 are not copied.
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
