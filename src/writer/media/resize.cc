#include "writer/media/resize.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "cboard/base/strings.h"

namespace cboard::writer::media {
namespace {

// Weights are integers with 22 fractional bits. Sums of integers are exact in any order, and 255 *
// 2^22 fits into 32 bits.
constexpr int kWeightBits = 22;
constexpr double kLanczosRadius = 3;

double Sinc(double x) {
  return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}

double Lanczos(double x) {
  return std::abs(x) < kLanczosRadius ? Sinc(x) * Sinc(x / kLanczosRadius) : 0;
}

// The source pixels that contribute to one target pixel, with their weights.
struct Taps {
  std::size_t first = 0;
  std::vector<std::int32_t> weights;
};

Taps TapsOf(std::size_t target, std::size_t source_size, double scale) {
  // If the image gets smaller, the filter becomes wider, so that every source pixel contributes.
  const double widening = std::max(scale, 1.0);
  const double center = (static_cast<double>(target) + 0.5) * scale;
  const double reach = kLanczosRadius * widening;
  const auto limit = static_cast<double>(source_size);
  const auto first = static_cast<std::size_t>(std::clamp(center - reach + 0.5, 0.0, limit - 1));
  const auto last = static_cast<std::size_t>(std::clamp(center + reach + 0.5, 0.0, limit));
  std::vector<double> weights;
  double total = 0;
  for (std::size_t i = first; i < std::max(last, first + 1); ++i) {
    weights.push_back(Lanczos((static_cast<double>(i) + 0.5 - center) / widening));
    total += weights.back();
  }
  Taps taps{first, {}};
  for (const double weight : weights) {
    taps.weights.push_back(
        static_cast<std::int32_t>(std::lround(weight / total * (1 << kWeightBits))));
  }
  return taps;
}

std::uint8_t ToByte(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);

Result<Pixels> ResizeRows(const Pixels& source, std::size_t width) {
  CBOARD_ASSIGN_OR_RETURN(Pixels target, BlankPixels(source.height, width, source.channels));
  const double scale = static_cast<double>(source.width) / static_cast<double>(width);
  for (std::size_t x = 0; x < width; ++x) {
    const Taps taps = TapsOf(x, source.width, scale);
    for (std::size_t y = 0; y < source.height; ++y) {
      for (std::size_t c = 0; c < source.channels; ++c) {
        const std::uint8_t* from = source.row(y) + taps.first * source.channels + c;
        std::int32_t sum = kHalf;
        for (std::size_t i = 0; i < taps.weights.size(); ++i) {
          sum += taps.weights[i] * from[i * source.channels];
        }
        target.row(y)[x * source.channels + c] = ToByte(sum);
      }
    }
  }
  return target;
}

Result<Pixels> ResizeColumns(const Pixels& source, std::size_t height) {
  CBOARD_ASSIGN_OR_RETURN(Pixels target, BlankPixels(height, source.width, source.channels));
  const double scale = static_cast<double>(source.height) / static_cast<double>(height);
  std::vector<std::int32_t> sums(source.row_bytes());
  for (std::size_t y = 0; y < height; ++y) {
    const Taps taps = TapsOf(y, source.height, scale);
    std::ranges::fill(sums, kHalf);
    for (std::size_t i = 0; i < taps.weights.size(); ++i) {
      const std::uint8_t* from = source.row(taps.first + i);
      const std::int32_t weight = taps.weights[i];
      for (std::size_t x = 0; x < sums.size(); ++x) sums[x] += weight * from[x];
    }
    std::ranges::transform(sums, target.row(y), ToByte);
  }
  return target;
}

}  // namespace

Result<Pixels> Resize(const Pixels& pixels, double factor) {
  CBOARD_RETURN_IF_ERROR(ValidatePixels(pixels));
  if (factor == 1) return pixels;
  if (!(factor > 0) || !std::isfinite(factor)) {
    return Fail(ErrorCode::kInvalidArgument,
                "rescale is " + ShortestDecimal(factor) + ", expected a positive number");
  }
  const double height = static_cast<double>(pixels.height) * factor;
  const double width = static_cast<double>(pixels.width) * factor;
  if (height < 1 || width < 1) {
    return Fail(ErrorCode::kInvalidArgument, "the factor rescale, " + ShortestDecimal(factor) +
                                                 ", is too small for an image of " +
                                                 std::to_string(pixels.height) + " x " +
                                                 std::to_string(pixels.width) + " pixels");
  }
  // Limits the size first, because it is undefined to convert a double beyond the range of an
  // integer.
  const auto limit = static_cast<double>(kMaxPixelBytes) + 1;
  const auto new_height = static_cast<std::size_t>(std::min(height, limit));
  const auto new_width = static_cast<std::size_t>(std::min(width, limit));
  CBOARD_RETURN_IF_ERROR(
      CheckedPixelBytes("resized image", {new_height, new_width, pixels.channels}));
  CBOARD_ASSIGN_OR_RETURN(const Pixels wide, ResizeRows(pixels, new_width));
  return ResizeColumns(wide, new_height);
}

}  // namespace cboard::writer::media
