// Visits the elements of a weight by the scale that they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cboard::quantize {

// The nearest integer, ties to even, of a magnitude below 2^22. std::nearbyint is a function call
// on processors that the compiler may not assume to have SSE4.1.
inline float RoundToInteger(float value) {
  constexpr float kShift = 12582912;  // 1.5 * 2^23: its last bit counts ones.
  return (value + kShift) - kShift;
}

// The rows of a weight: the indices of one dimension; without a dimension, all elements are one
// row.
class WeightRows {
 public:
  WeightRows(const std::vector<std::int64_t>& shape, std::int64_t axis) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const auto size = static_cast<std::size_t>(shape[i]);
      const auto place = static_cast<std::int64_t>(i);
      if (place < axis) outer_ *= size;
      if (place == axis) count_ = size;
      if (place > axis) inner_ *= size;
    }
  }

  std::size_t count() const { return count_; }
  std::size_t row_size() const { return outer_ * inner_; }

  // Calls visit(row, element) for all elements in order.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    ForEachRun([&](std::size_t row, std::size_t begin, std::size_t end) {
      for (std::size_t element = begin; element < end; ++element) visit(row, element);
    });
  }

  // Calls visit(row, begin, end) for elements of one row that lie beside each other, in their
  // order. A loop over a run is compiled to vector instructions.
  template <typename Visit>
  void ForEachRun(const Visit& visit) const {
    std::size_t begin = 0;
    for (std::size_t outer = 0; outer < outer_; ++outer) {
      for (std::size_t row = 0; row < count_; ++row, begin += inner_) {
        visit(row, begin, begin + inner_);
      }
    }
  }

 private:
  std::size_t outer_ = 1, count_ = 1, inner_ = 1;
};

}  // namespace cboard::quantize
