#include "writer/media/png_filter.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>
#include <vector>

#include "testing/every_instruction_set.h"

namespace cboard::writer::media {
namespace {

// A plain implementation of PNG's definition, one byte at a time.
int PlainGuess(PngFilter filter, int left, int up, int corner) {
  if (filter == PngFilter::kNone) return 0;
  if (filter == PngFilter::kSub) return left;
  if (filter == PngFilter::kUp) return up;
  const int estimate = left + up - corner;
  const int from_left = std::abs(estimate - left), from_up = std::abs(estimate - up),
            from_corner = std::abs(estimate - corner);
  if (from_left <= from_up && from_left <= from_corner) return left;
  return from_up <= from_corner ? up : corner;
}

std::vector<std::uint8_t> PlainFilterRows(const Pixels& pixels) {
  std::vector<std::uint8_t> rows;
  for (std::size_t y = 0; y < pixels.height; ++y) {
    std::vector<std::uint8_t> best;
    int least = 0;
    for (const auto filter :
         {PngFilter::kNone, PngFilter::kUp, PngFilter::kSub, PngFilter::kPaeth}) {
      std::vector<std::uint8_t> row = {static_cast<std::uint8_t>(filter)};
      int sum = 0;
      for (std::size_t i = 0; i < pixels.row_bytes(); ++i) {
        const bool has_left = i >= pixels.channels, has_up = y > 0;
        const int left = has_left ? pixels.row(y)[i - pixels.channels] : 0;
        const int up = has_up ? pixels.row(y - 1)[i] : 0;
        const int corner = has_left && has_up ? pixels.row(y - 1)[i - pixels.channels] : 0;
        row.push_back(
            static_cast<std::uint8_t>(pixels.row(y)[i] - PlainGuess(filter, left, up, corner)));
        sum += std::abs(static_cast<std::int8_t>(row.back()));
      }
      if (best.empty() || sum < least) {
        best = row;
        least = sum;
      }
    }
    rows.insert(rows.end(), best.begin(), best.end());
  }
  return rows;
}

std::vector<std::uint8_t> Filtered(const Pixels& pixels) {
  std::vector<std::uint8_t> rows(pixels.height * (pixels.row_bytes() + 1));
  FilterRows(pixels, rows);
  return rows;
}

TEST(FilterRows, ChoosesTheGuessThatFits) {
  Pixels pixels = BlankPixels(4, 40, 1).value();
  std::mt19937 random(3);
  for (std::size_t x = 0; x < 40; ++x) {
    pixels.row(0)[x] = static_cast<std::uint8_t>(x * 3);              // A ramp along the row,
    pixels.row(1)[x] = static_cast<std::uint8_t>(100 + x * 37 % 90);  // something else,
    pixels.row(2)[x] = pixels.row(1)[x];                              // the same again,
    pixels.row(3)[x] = static_cast<std::uint8_t>(random() % 3);       // nearly black.
  }
  const std::vector<std::uint8_t> rows = Filtered(pixels);
  EXPECT_EQ(rows[0 * 41], static_cast<int>(PngFilter::kSub));
  EXPECT_EQ(rows[2 * 41], static_cast<int>(PngFilter::kUp));
  EXPECT_EQ(rows[3 * 41], static_cast<int>(PngFilter::kNone));
}

TEST(FilterRows, AgreesWithTheDefinitionForEveryWidthAndContrast) {
  testing::OnEveryInstructionSet([] {
    std::mt19937 random(17);
    for (std::size_t channels = 1; channels <= 4; ++channels) {
      for (std::size_t width = 1; width <= 140; ++width) {
        Pixels pixels = BlankPixels(6, width, channels).value();
        const unsigned contrast = 1 + random() % 256;
        const std::size_t slope_x = random() % 4, slope_y = random() % 4;
        for (std::size_t i = 0; i < pixels.bytes.size(); ++i) {
          pixels.bytes[i] =
              static_cast<std::uint8_t>(i / channels % width * slope_x +
                                        i / channels / width * slope_y + random() % contrast);
        }
        ASSERT_EQ(Filtered(pixels), PlainFilterRows(pixels)) << width << " x " << channels;
      }
    }
  });
}

// Tests every pair with a few corners, which covers each branch; all 2^24 triples would take long.
TEST(FilterRows, AgreesWithTheDefinitionOfPaethForExtremeNeighbours) {
  testing::OnEveryInstructionSet([] {
    Pixels pixels = BlankPixels(2, 256, 1).value();
    const std::array<std::uint8_t, 7> extremes = {0, 1, 127, 128, 129, 254, 255};
    std::mt19937 random(19);
    for (int trial = 0; trial < 400; ++trial) {
      for (std::uint8_t& byte : pixels.bytes) byte = extremes[random() % extremes.size()];
      // The second row is predicted exactly by Paeth, so that this filter is chosen.
      for (std::size_t x = 0; x < 256; ++x) {
        const int left = x > 0 ? pixels.row(1)[x - 1] : 0,
                  corner = x > 0 ? pixels.row(0)[x - 1] : 0;
        const int guess = PlainGuess(PngFilter::kPaeth, left, pixels.row(0)[x], corner);
        if (random() % 16 != 0) pixels.row(1)[x] = static_cast<std::uint8_t>(guess);
      }
      ASSERT_EQ(Filtered(pixels), PlainFilterRows(pixels));
    }
  });
}

}  // namespace
}  // namespace cboard::writer::media
