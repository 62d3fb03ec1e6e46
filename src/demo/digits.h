// The handwritten digits that come with scikit-learn: 1,797 pictures of 8 x 8 pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::demo {

inline constexpr std::size_t kDigitSize = 8;
inline constexpr std::size_t kDigitPixels = kDigitSize * kDigitSize;
inline constexpr std::size_t kDigitClasses = 10;

// Pictures with their labels. A pixel is one of 0, 1/16, …, 1.
struct Digits {
  std::vector<float> pixels;  // kDigitPixels per picture, row by row.
  std::vector<std::uint8_t> labels;

  std::size_t size() const { return labels.size(); }
  std::span<const float> image(std::size_t index) const {
    return std::span(pixels).subspan(index * kDigitPixels, kDigitPixels);
  }
};

// Reads scikit-learn's digits.csv, packed by gzip or not: 64 pixels from 0 to 16 and a label per
// line. Fails with kNotFound, and with kDataLoss naming the line that is not one of digits.
Result<Digits> ReadDigits(const std::filesystem::path& file);

// Every fourth picture is for testing, the others are for training.
struct DigitsSplit {
  Digits train;
  Digits test;
};
DigitsSplit Split(const Digits& digits);

}  // namespace cboard::demo
