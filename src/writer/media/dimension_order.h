// Parses the order of a tensor's dimensions: "CHW", "nhwc" and every other order of the letters.
//
//   CBOARD_ASSIGN_OR_RETURN(const DimensionOrder order, ParseDimensions(shape, "HWC", "CHW"));
//   order['W'].stride;  // Elements from one column to the next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::writer::media {

struct Dimension {
  std::size_t size = 1;
  std::size_t stride = 0;  // In elements; 0 for a dimension that the tensor does not have.
};

class DimensionOrder {
 public:
  const Dimension& operator[](char letter) const { return dimensions_[Index(letter)]; }
  Dimension& operator[](char letter) { return dimensions_[Index(letter)]; }

 private:
  static std::size_t Index(char letter) { return static_cast<std::size_t>(letter - 'A'); }

  std::array<Dimension, 26> dimensions_;
};

// Parses `dataformats`. It must contain exactly the letters of `expected`, in any order and in
// either case. `shape` is the shape of a contiguous row-major tensor whose element count does not
// overflow. Fails with kInvalidArgument if a letter is unknown, repeated or missing, or if the
// number of letters differs from the rank; the message names the format and the shape.
Result<DimensionOrder> ParseDimensions(std::span<const std::int64_t> shape,
                                       std::string_view dataformats, std::string_view expected);

}  // namespace cboard::writer::media
