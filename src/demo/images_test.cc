#include "demo/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace cboard::demo {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;

// Digits whose first pixel contains the value that `AsPixel` reads.
Digits Labelled(std::initializer_list<std::pair<int, int>> label_and_reading) {
  Digits digits;
  for (const auto& [label, reading] : label_and_reading) {
    digits.labels.push_back(static_cast<std::uint8_t>(label));
    digits.pixels.resize(digits.labels.size() * kDigitPixels);
    digits.pixels[digits.pixels.size() - kDigitPixels] = static_cast<float>(reading) / 16;
  }
  return digits;
}

class AsPixel {
 public:
  std::span<const float> operator()(std::span<const float> image) {
    scores_.fill(0);
    scores_[static_cast<std::size_t>(image[0] * 16)] = 1;
    return scores_;
  }

 private:
  std::array<float, kDigitClasses> scores_ = {};
};

std::span<const float> PixelAt(const Picture& picture, std::size_t y, std::size_t x) {
  return std::span(picture.pixels).subspan((y * picture.width + x) * 3, 3);
}

// Returns the cell of a digit that was read as another digit, beside its number.
std::span<const float> CellOf(const Picture& matrix, std::size_t truth, std::size_t read) {
  const std::size_t side = (matrix.width + 1) / (kDigitClasses + 1);
  return PixelAt(matrix, (truth + 1) * side, (read + 1) * side);
}

TEST(ConfusionMatrix, IsBlueWhereDigitsAreReadRightlyAndOrangeWhereNot) {
  const Picture matrix =
      ConfusionMatrix(Labelled({{3, 3}, {3, 3}, {8, 3}, {8, 8}, {8, 8}}), AsPixel());
  EXPECT_EQ(matrix.height, matrix.width);
  const auto right = CellOf(matrix, 3, 3);
  EXPECT_LT(right[0], right[2]);
  const auto wrong = CellOf(matrix, 8, 3);
  EXPECT_GT(wrong[0], wrong[2]);
  EXPECT_THAT(CellOf(matrix, 3, 8), Each(FloatEq(1)));  // The row is the digit.
  EXPECT_THAT(CellOf(matrix, 0, 0), Each(FloatEq(1)));
  // All predictions of one digit, two of three of another.
  EXPECT_LT(CellOf(matrix, 3, 3)[0], CellOf(matrix, 8, 8)[0]);
}

TEST(Misclassified, ShowsThoseDigitsAndNoOthers) {
  const Picture wrong = Misclassified(Labelled({{1, 1}, {2, 7}, {4, 4}, {5, 9}}), AsPixel(), 32);
  EXPECT_THAT(PixelAt(wrong, 0, 0), Each(FloatEq(7.0F / 16)));
  const std::size_t cell = (wrong.width + 4) / 8;
  EXPECT_THAT(PixelAt(wrong, 0, cell), Each(FloatEq(9.0F / 16)));
  EXPECT_THAT(PixelAt(wrong, 0, 2 * cell), Each(FloatEq(0.25F)));  // The cell is empty.
}

TEST(Misclassified, IsBlackWithoutAny) {
  EXPECT_THAT(Misclassified(Labelled({{1, 1}}), AsPixel(), 32).pixels, Each(FloatEq(0)));
}

TEST(Kernels, ColoursWeightsByTheirSignAndStrength) {
  const LayerShape shape{"conv", "Conv2D", 1, 2, 2, 1, 1, 0, true};
  const Picture kernels = Kernels(shape, {{0.5F, -0.25F}, {0, 0}});
  EXPECT_GT(PixelAt(kernels, 0, 0)[0], PixelAt(kernels, 0, 0)[2]);
  EXPECT_THAT(PixelAt(kernels, 0, 0), ElementsAre(FloatEq(0.835F), FloatEq(0.369F), FloatEq(0)));
  const auto weak = PixelAt(kernels, 0, kernels.width - 1);
  EXPECT_LT(weak[0], weak[2]);
  EXPECT_FLOAT_EQ(weak[0], 0.5F);
}

TEST(Kernels, HaveARowForEachInputOfSeveral) {
  const LayerShape shape{"conv", "Conv2D", 2, 2, 3, 1, 1, 0, true};
  // The last output has zero weights for its first input, and positive weights for its second.
  const Picture kernels = Kernels(shape, {{-1, -1, -1, -1, 0, 1}, {0, 0, 0}});
  EXPECT_THAT(PixelAt(kernels, 0, kernels.width - 1), Each(FloatEq(1)));
  const auto second = PixelAt(kernels, kernels.height - 1, kernels.width - 1);
  EXPECT_GT(second[0], second[2]);
}

TEST(Kernels, OfALayerThatIsZeroAreWhite) {
  const LayerShape shape{"conv", "Conv2D", 1, 2, 1, 1, 1, 0, true};
  EXPECT_THAT(Kernels(shape, {{0}, {0}}).pixels, Each(FloatEq(1)));
}

}  // namespace
}  // namespace cboard::demo
