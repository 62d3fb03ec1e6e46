#include "cboard/base/strings.h"

#include <gtest/gtest.h>

namespace cboard {
namespace {

TEST(Utf8, AcceptsEveryLengthOfSequence) { EXPECT_TRUE(IsValidUtf8("aé€😀")); }

TEST(Utf8, RefusesOverlongSurrogateCutAndStrayBytes) {
  EXPECT_FALSE(IsValidUtf8("\xC0\x80"));
  EXPECT_FALSE(IsValidUtf8("\xED\xA0\x80"));
  EXPECT_FALSE(IsValidUtf8("\xE2\x82"));
  EXPECT_FALSE(IsValidUtf8("\x80"));
  EXPECT_FALSE(IsValidUtf8("\xF5\x80\x80\x80"));
}

TEST(Utf8, FindsAStrayByteAtAnyPlace) {
  for (std::size_t size = 1; size < 20; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      EXPECT_TRUE(IsValidUtf8(text));
      text[at] = '\x80';
      EXPECT_FALSE(IsValidUtf8(text)) << at << " of " << size;
      EXPECT_EQ(ToValidUtf8(text),
                std::string(at, 'a') + "\xEF\xBF\xBD" + std::string(size - at - 1, 'a'));
    }
  }
}

TEST(Utf8, ReplacementMakesItValid) {
  EXPECT_EQ(ToValidUtf8("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_TRUE(IsValidUtf8(ToValidUtf8("\xE2\x82\xFF\xC0")));
}

TEST(Quoted, EscapesControlsAndCutsLongText) {
  EXPECT_EQ(Quoted("a\nb"), "'a\\x0ab'");
  EXPECT_EQ(Quoted("abcdef", 3), "'abc…'");
  EXPECT_EQ(Quoted(""), "''");
  EXPECT_EQ(Quoted("ééé", 3), "'é…'");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(Split("a,,b", ',').size(), 3u);
  EXPECT_EQ(Split("", ',').size(), 1u);
}

TEST(ShapeText, CutsLongShapes) {
  using Shape = std::vector<std::int64_t>;
  EXPECT_EQ(ShapeText(Shape{}), "[]");
  EXPECT_EQ(ShapeText(Shape{3, 224}), "[3, 224]");
  EXPECT_EQ(ShapeText(Shape(8, 1)), "[1, 1, 1, 1, 1, 1, 1, 1]");
  EXPECT_EQ(ShapeText(Shape(1000, 1)), "[1, 1, 1, 1, 1, 1, 1, 1, …]");
}

TEST(Numbers, ReadWellToPeople) {
  EXPECT_EQ(ShortestDecimal(0.1), "0.1");
  EXPECT_EQ(HumanBytes(512), "512 B");
  EXPECT_EQ(HumanBytes(1536), "1.5 KiB");
  EXPECT_EQ(HumanCount(1234567), "1,234,567");
  EXPECT_EQ(HumanCount(12), "12");
}

}  // namespace
}  // namespace cboard
