// Which dimension of a tensor is which: "CHW", "nhwc" and every other order of the letters.
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
  std::size_t stride = 0;  // In elements. A dimension the tensor does not have repeats itself.
};

class DimensionOrder {
 public:
  const Dimension& operator[](char letter) const { return dimensions_[Index(letter)]; }
  Dimension& operator[](char letter) { return dimensions_[Index(letter)]; }

 private:
  static std::size_t Index(char letter) { return static_cast<std::size_t>(letter - 'A'); }

  std::array<Dimension, 26> dimensions_;
};

// Reads `dataformats` as an order of exactly the capital letters `expected`, in either case, for a
// contiguous row-major tensor of `shape`, whose element count must not overflow. Fails with
// kInvalidArgument, naming the format and the shape, when a letter is unknown, repeated or missing
// or the count differs from the rank.
Result<DimensionOrder> ParseDimensions(std::span<const std::int64_t> shape,
                                       std::string_view dataformats, std::string_view expected);

}  // namespace cboard::writer::media
