#include "demo/images.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

namespace cboard::demo {
namespace {

using Colour = std::array<float, 3>;
constexpr Colour kWhite = {1, 1, 1};
constexpr Colour kInk = {0.08F, 0.09F, 0.11F};
constexpr Colour kHead = {0.91F, 0.92F, 0.94F};
constexpr Colour kBlue = {0, 0.447F, 0.698F};
constexpr Colour kOrange = {0.835F, 0.369F, 0};

Colour Between(const Colour& from, const Colour& to, float share) {
  Colour mixed;
  for (std::size_t i = 0; i < 3; ++i) mixed[i] = from[i] + (to[i] - from[i]) * share;
  return mixed;
}

void Fill(Picture& picture, std::size_t top, std::size_t left, std::size_t height,
          std::size_t width, const Colour& colour) {
  for (std::size_t y = top; y < top + height; ++y) {
    for (std::size_t x = left; x < left + width; ++x) {
      std::ranges::copy(colour, picture.pixels.begin() +
                                    static_cast<std::ptrdiff_t>((y * picture.width + x) * 3));
    }
  }
}

// The shapes of the digits, as 3 x 5 points, row by row.
constexpr std::array<std::string_view, 10> kGlyphs = {
    "####.##.##.####", ".#.##..#..#.###", "###..#####..###", "###..####..####", "#.##.####..#..#",
    "####..###..####", "####..####.####", "###..#..#..#..#", "####.#####.####", "####.####..####"};
constexpr std::size_t kGlyphWidth = 3;
constexpr std::size_t kGlyphHeight = 5;
constexpr std::size_t kPoint = 2;  // Width of a point in pixels.

// Draws a number in the middle of a square cell.
void Write(Picture& picture, std::size_t top, std::size_t left, std::size_t cell,
           std::size_t number, const Colour& colour) {
  const std::string digits = std::to_string(number);
  const std::size_t width = (digits.size() * (kGlyphWidth + 1) - 1) * kPoint;
  top += (cell - kGlyphHeight * kPoint) / 2;
  left += (cell - width) / 2;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::string_view glyph = kGlyphs[static_cast<std::size_t>(digits[i] - '0')];
    for (std::size_t point = 0; point < glyph.size(); ++point) {
      if (glyph[point] != '#') continue;
      Fill(picture, top + point / kGlyphWidth * kPoint,
           left + (i * (kGlyphWidth + 1) + point % kGlyphWidth) * kPoint, kPoint, kPoint, colour);
    }
  }
}

std::size_t ReadAs(std::span<const float> scores) {
  return static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
}

}  // namespace

Picture ConfusionMatrix(const Digits& digits, const Scores& scores) {
  std::array<std::array<std::size_t, kDigitClasses>, kDigitClasses> counts = {};
  for (std::size_t i = 0; i < digits.size(); ++i) {
    ++counts[digits.labels[i]][ReadAs(scores(digits.image(i)))];
  }
  constexpr std::size_t kCell = 28;
  constexpr std::size_t kGap = 1;
  constexpr std::size_t kSide = (kDigitClasses + 1) * (kCell + kGap) - kGap;
  // Number of errors for which a cell gets the full color. It is small, because a few errors among
  // fifty images must be visible.
  constexpr float kManyErrors = 4;
  Picture picture(kSide, kSide, 0.8F);
  const auto cell = [&](std::size_t row, std::size_t column, const Colour& paper, const Colour& ink,
                        std::size_t number, bool is_written) {
    const std::size_t top = row * (kCell + kGap);
    const std::size_t left = column * (kCell + kGap);
    Fill(picture, top, left, kCell, kCell, paper);
    if (is_written) Write(picture, top, left, kCell, number, ink);
  };
  cell(0, 0, kHead, kInk, 0, false);
  for (std::size_t i = 0; i < kDigitClasses; ++i) {
    cell(i + 1, 0, kHead, kInk, i, true);
    cell(0, i + 1, kHead, kInk, i, true);
  }
  for (std::size_t truth = 0; truth < kDigitClasses; ++truth) {
    std::size_t all = 0;
    for (const std::size_t count : counts[truth]) all += count;
    for (std::size_t read = 0; read < kDigitClasses; ++read) {
      const std::size_t count = counts[truth][read];
      const auto some = static_cast<float>(count);
      const float share = count == 0      ? 0
                          : truth == read ? some / static_cast<float>(all)
                                          : 0.3F + 0.7F * std::min(1.0F, some / kManyErrors);
      cell(truth + 1, read + 1, Between(kWhite, truth == read ? kBlue : kOrange, share),
           share > 0.5F ? kWhite : kInk, count, count > 0);
    }
  }
  return picture;
}

Picture Misclassified(const Digits& digits, const Scores& scores, std::size_t at_most) {
  constexpr std::size_t kEnlarged = 6;
  constexpr std::size_t kGap = 4;
  constexpr std::size_t kColumns = 8;
  constexpr std::size_t kCell = kDigitSize * kEnlarged + kGap;
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < digits.size() && wrong.size() < at_most; ++i) {
    if (ReadAs(scores(digits.image(i))) != digits.labels[i]) wrong.push_back(i);
  }
  const std::size_t rows = std::max<std::size_t>(1, (wrong.size() + kColumns - 1) / kColumns);
  Picture picture(rows * kCell - kGap, kColumns * kCell - kGap, wrong.empty() ? 0 : 0.25F);
  for (std::size_t k = 0; k < wrong.size(); ++k) {
    const std::span<const float> image = digits.image(wrong[k]);
    for (std::size_t i = 0; i < image.size(); ++i) {
      Fill(picture, k / kColumns * kCell + i / kDigitSize * kEnlarged,
           k % kColumns * kCell + i % kDigitSize * kEnlarged, kEnlarged, kEnlarged,
           {image[i], image[i], image[i]});
    }
  }
  return picture;
}

Picture Kernels(const LayerShape& shape, const Layer& layer) {
  constexpr std::size_t kGap = 4;
  // Minimum width of the image in pixels, so that a few kernels do not become a thin strip.
  constexpr std::size_t kWidth = 240;
  const std::size_t kernels = shape.in_channels * shape.out_channels;
  const std::size_t columns =
      shape.in_channels > 1 ? shape.out_channels : std::min<std::size_t>(kernels, 4);
  const std::size_t rows = (kernels + columns - 1) / columns;
  const std::size_t enlarged = std::max<std::size_t>(8, kWidth / (columns * shape.kernel));
  const std::size_t cell = shape.kernel * enlarged + kGap;
  Picture picture(rows * cell - kGap, columns * cell - kGap, 0.25F);
  float strongest = 0;
  for (const float weight : layer.weights) strongest = std::max(strongest, std::abs(weight));
  if (strongest == 0) strongest = 1;
  const std::size_t points = shape.kernel * shape.kernel;
  for (std::size_t i = 0; i < layer.weights.size(); ++i) {
    const std::size_t out = i / (points * shape.in_channels);
    const std::size_t in = i / points % shape.in_channels;
    const std::size_t place = in * shape.out_channels + out;
    const std::size_t point = i % points;
    const float weight = layer.weights[i] / strongest;
    Fill(picture, place / columns * cell + point / shape.kernel * enlarged,
         place % columns * cell + point % shape.kernel * enlarged, enlarged, enlarged,
         Between(kWhite, weight > 0 ? kOrange : kBlue, std::abs(weight)));
  }
  return picture;
}

}  // namespace cboard::demo
