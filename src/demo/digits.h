// The handwritten digits of scikit-learn: 1,797 images of 8 x 8 pixels.
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

// Images of digits with their labels. Each pixel is 0, 1/16, …, or 1.
struct Digits {
  std::vector<float> pixels;  // kDigitPixels per picture, row by row.
  std::vector<std::uint8_t> labels;

  std::size_t size() const { return labels.size(); }
  std::span<const float> image(std::size_t index) const {
    return std::span(pixels).subspan(index * kDigitPixels, kDigitPixels);
  }
};

// Reads scikit-learn's file digits.csv, which may be compressed with gzip. A line has 64 pixels
// from 0 to 16, and a label. Fails with kNotFound if the file is missing, and with kDataLoss if a
// line has another format; the error gives the number of the line.
Result<Digits> ReadDigits(const std::filesystem::path& file);

// Digits for training and for testing. Every fourth image is for testing.
struct DigitsSplit {
  Digits train;
  Digits test;
};
DigitsSplit Split(const Digits& digits);

}  // namespace cboard::demo
