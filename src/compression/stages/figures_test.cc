#include "compression/stages/figures.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <set>

#include "testing/matchers.h"

namespace cboard::compression::stages {
namespace {

using ::cboard::testing::FailsWith;
using ::cboard::testing::Succeeds;

using Pixel = std::array<int, 3>;

Pixel At(const writer::media::Pixels& figure, std::size_t x, std::size_t y) {
  const std::uint8_t* const pixel = figure.row(y) + 3 * x;
  return {pixel[0], pixel[1], pixel[2]};
}

template <typename Predicate>
std::size_t Count(const writer::media::Pixels& figure, Predicate&& predicate) {
  std::size_t count = 0;
  for (std::size_t y = 0; y < figure.height; ++y) {
    for (std::size_t x = 0; x < figure.width; ++x) count += predicate(At(figure, x, y)) ? 1u : 0u;
  }
  return count;
}

// Counts the pixels of the line and its smoothed borders; text and grid are grey.
std::size_t BluePixels(const writer::media::Pixels& figure) {
  return Count(figure, [](const Pixel& pixel) { return pixel[2] - pixel[0] > 40; });
}

TEST(DrawLine, DrawsADarkLineOnWhite) {
  const auto figure = DrawLine({1, 0.9, 0.5, 0.99}, "Layer", "Cosine similarity");
  ASSERT_THAT(figure, Succeeds());
  EXPECT_THAT(writer::media::ValidatePixels(*figure), Succeeds());
  EXPECT_EQ(At(*figure, 1, 1), (Pixel{255, 255, 255}));
  EXPECT_GT(BluePixels(*figure), 300u);
}

TEST(DrawLine, LeavesAGapWhereAValueIsMissing) {
  const auto whole = DrawLine({1, 1, 1, 1, 1}, "Layer", "Cosine similarity");
  const auto gap = DrawLine({1, NAN, NAN, NAN, 1}, "Layer", "Cosine similarity");
  ASSERT_THAT(whole, Succeeds());
  ASSERT_THAT(gap, Succeeds());
  EXPECT_LT(BluePixels(*gap) * 4, BluePixels(*whole));
}

TEST(DrawLine, RefusesALineWithoutANumber) {
  EXPECT_THAT(DrawLine({}, "x", "y"), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(DrawLine({NAN, HUGE_VAL}, "x", "y"), FailsWith(ErrorCode::kInvalidArgument));
}

TEST(DrawBars, ColoursBarsByTheirBitsAsTheToolkitDoes) {
  const auto figure = DrawBars({{"Conv2d", 2}, {"Conv2d", 4}, {"Linear", 8}}, "Layers",
                               "Number of bits", BarColours::kByBits);
  ASSERT_THAT(figure, Succeeds());
  const auto count = [&](const Pixel& colour) {
    return Count(*figure, [&](const Pixel& pixel) { return pixel == colour; });
  };
  const auto two = count({255, 99, 71});    // tomato
  const auto four = count({65, 105, 225});  // royalblue
  const auto eight = count({50, 205, 50});  // limegreen
  EXPECT_GT(two, 1000u);
  EXPECT_NEAR(static_cast<double>(four) / static_cast<double>(two), 2, 0.1);
  EXPECT_NEAR(static_cast<double>(eight) / static_cast<double>(two), 4, 0.2);
}

TEST(DrawBars, FitsThousandsOfLayersAndNamesOfAnyBytes) {
  std::vector<Bar> bars(3000, Bar{"Conv2d", 8});
  const auto many = DrawBars(bars, "Layers", "Number of bits", BarColours::kByBits);
  ASSERT_THAT(many, Succeeds());
  EXPECT_LE(many->width, 2000u);
  EXPECT_THAT(DrawBars({{"äöüäöüäöüäöüäöü", 8}}, "x", "y", BarColours::kByBits), Succeeds());
  EXPECT_THAT(DrawBars({}, "x", "y", BarColours::kOne), FailsWith(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace cboard::compression::stages
