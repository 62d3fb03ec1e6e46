#include "writer/media/draw_boxes.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "testing/matchers.h"
#include "testing/special_values.h"
#include "writer/media/font.h"

namespace cboard::writer::media {
namespace {

using cboard::testing::FailsSaying;
using cboard::testing::FailsWith;
using ::cboard::testing::kInfinity;
using cboard::testing::Succeeds;

Pixels Gray(std::size_t height, std::size_t width, std::size_t channels = 3) {
  return {height, width, channels, std::vector<std::uint8_t>(height * width * channels, 128)};
}

// Converts the image to text: '.' unchanged, 'R' red, 'K' black.
std::vector<std::string> Drawn(const Pixels& pixels) {
  std::vector<std::string> rows;
  for (std::size_t y = 0; y < pixels.height; ++y) {
    std::string row;
    for (std::size_t x = 0; x < pixels.width; ++x) {
      const std::uint8_t* p = pixels.row(y) + x * pixels.channels;
      row += p[0] == 255 && p[1] == 0 && p[2] == 0 ? 'R' : p[0] == 0 ? 'K' : '.';
    }
    rows.push_back(row);
  }
  return rows;
}

TensorView Boxes(const std::vector<double>& corners) {
  return TensorView(corners, {static_cast<std::int64_t>(corners.size() / 4), 4});
}

// The expected image is what Pillow draws.
TEST(DrawBoxes, OutlinesTwoPixelsWide) {
  const std::vector<double> box = {2, 2, 8, 6};
  EXPECT_EQ(Drawn(DrawBoxes(Gray(9, 11), Boxes(box)).value()),
            (std::vector<std::string>{"...........",  //
                                      "..RRRRRRR..",  //
                                      "..RRRRRRR..",  //
                                      "..RR...RR..",  //
                                      "..RR...RR..",  //
                                      "..RR...RR..",  //
                                      "..RRRRRRR..",  //
                                      "..RRRRRRR..",  //
                                      "..........."}));
}

TEST(DrawBoxes, DrawsTheSameBoxFromEitherCorner) {
  const std::vector<double> box = {2, 2, 8, 6}, turned = {8, 6, 2, 2};
  EXPECT_EQ(DrawBoxes(Gray(9, 11), Boxes(box)).value(),
            DrawBoxes(Gray(9, 11), Boxes(turned)).value());
}

TEST(DrawBoxes, CutsOffWhatLiesOutside) {
  const std::vector<double> corner = {-5, -5, 1, 1};
  EXPECT_EQ(Drawn(DrawBoxes(Gray(3, 4), Boxes(corner)).value()),
            (std::vector<std::string>{"RR..", "RR..", "RR.."}));
  for (const std::vector<double>& outside : {std::vector<double>{-9, -9, -5, -5},
                                             {50, 50, 60, 60},
                                             {-50, -50, 50, 50},
                                             {-kInfinity, -kInfinity, kInfinity, kInfinity},
                                             {1e300, 1e300, 1e301, 1e301}}) {
    const std::vector<std::string> label = {"outside"};
    EXPECT_EQ(DrawBoxes(Gray(6, 6), Boxes(outside), label).value(), Gray(6, 6));
  }
}

TEST(DrawBoxes, WritesTheLabelInBlackOnRedAtTheBottom) {
  const std::vector<double> box = {1, 1, 18, 14};
  const std::vector<std::string> label = {"L"};
  EXPECT_EQ(Drawn(DrawBoxes(Gray(16, 20), Boxes(box), label).value()),
            (std::vector<std::string>{".RRRRRRRRRRRRRRRRRR.",  //
                                      ".RRRRRRRRRRRRRRRRRR.",  //
                                      ".RR..............RR.",  //
                                      ".RR..............RR.",  //
                                      ".RR..............RR.",  //
                                      ".RRRRRRRR........RR.",  //
                                      ".RKRRRRRR........RR.",  //
                                      ".RKRRRRRR........RR.",  //
                                      ".RKRRRRRR........RR.",  //
                                      ".RKRRRRRR........RR.",  //
                                      ".RKRRRRRR........RR.",  //
                                      ".RKRRRRRR........RR.",  //
                                      ".RKKKKKRR........RR.",  //
                                      ".RRRRRRRR........RR.",  //
                                      ".RRRRRRRRRRRRRRRRRR.",  //
                                      ".RRRRRRRRRRRRRRRRRR."}));
}

TEST(DrawBoxes, TakesAnyTextAsALabel) {
  const std::vector<double> box = {3, 3, 9, 9};
  for (const std::string& text : {std::string("\xff\xfe"), std::string(1, '\0'), std::string("😀"),
                                  std::string(1000000, 'x')}) {
    const std::vector<std::string> label = {text};
    EXPECT_THAT(DrawBoxes(Gray(12, 12), Boxes(box), label), Succeeds());
  }
  const std::vector<std::string> empty = {""};
  EXPECT_EQ(DrawBoxes(Gray(12, 12), Boxes(box), empty).value(),
            DrawBoxes(Gray(12, 12), Boxes(box)).value());
}

TEST(DrawBoxes, ResizesFirstSoThatLinesStaySharp) {
  const std::vector<double> box = {2, 2, 8, 6}, larger = {4, 4, 16, 12};
  EXPECT_EQ(DrawBoxes(Gray(10, 11), Boxes(box), {}, 2).value(),
            DrawBoxes(Gray(20, 22), Boxes(larger)).value());
}

TEST(DrawBoxes, MakesLinesOpaqueAndGrayPicturesGray) {
  const std::vector<double> box = {1, 1, 1, 1};
  const Pixels rgba = DrawBoxes(Gray(2, 2, 4), Boxes(box)).value();
  EXPECT_EQ(rgba.bytes[0], 255);
  EXPECT_EQ(rgba.bytes[3], 255);
  const Pixels gray_alpha = DrawBoxes(Gray(2, 2, 2), Boxes(box)).value();
  EXPECT_EQ(gray_alpha.bytes[0], 76);
  EXPECT_EQ(gray_alpha.bytes[1], 255);
}

TEST(DrawBoxes, DrawsNothingForNoBoxes) {
  const std::vector<float> none;
  EXPECT_EQ(DrawBoxes(Gray(3, 3), TensorView(none, {0, 4})).value(), Gray(3, 3));
}

TEST(DrawBoxes, RefusesWhatIsNoBox) {
  const std::vector<double> with_nan = {1, 2, 3, 4, 1, std::nan(""), 3, 4};
  EXPECT_THAT(DrawBoxes(Gray(3, 3), Boxes(with_nan)),
              FailsSaying(ErrorCode::kInvalidArgument, "box 1 has a corner that is NaN"));
  const std::vector<double> four = {1, 2, 3, 4};
  EXPECT_THAT(DrawBoxes(Gray(3, 3), TensorView(four)), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(DrawBoxes(Gray(3, 3), TensorView(four, {2, 2})),
              FailsWith(ErrorCode::kInvalidArgument));
  const std::vector<std::string> two = {"a", "b"};
  EXPECT_THAT(DrawBoxes(Gray(3, 3), Boxes(four), two),
              FailsSaying(ErrorCode::kInvalidArgument, "2 labels for 1 boxes"));
}

}  // namespace
}  // namespace cboard::writer::media
