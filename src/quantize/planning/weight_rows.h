// The elements of a weight by the scale that they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cboard::quantize {

// Rows are the indices of one dimension; without one, all elements are one row.
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

  // Calls visit(row, element) for the elements in their order.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    std::size_t element = 0;
    for (std::size_t outer = 0; outer < outer_; ++outer) {
      for (std::size_t row = 0; row < count_; ++row) {
        for (std::size_t inner = 0; inner < inner_; ++inner) visit(row, element++);
      }
    }
  }

 private:
  std::size_t outer_ = 1, count_ = 1, inner_ = 1;
};

}  // namespace cboard::quantize
