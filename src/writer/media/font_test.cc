#include "writer/media/font.h"

#include <gtest/gtest.h>

#include <set>

namespace cboard::writer::media {
namespace {

TEST(GlyphOf, GivesEveryPrintableCharacterAShapeOfItsOwn) {
  std::set<Glyph> shapes;
  for (char32_t character = U' '; character <= U'~'; ++character) {
    const Glyph& glyph = GlyphOf(character);
    EXPECT_TRUE(shapes.insert(glyph).second) << static_cast<char>(character);
    for (const std::uint8_t row : glyph) EXPECT_LT(row, 1 << kGlyphWidth);
  }
  EXPECT_EQ(GlyphOf(U' '), Glyph{});
}

TEST(GlyphOf, DrawsAFrameForWhatItDoesNotHave) {
  for (const char32_t character : {U'\0', U'\n', U'\x7f', U'é', U'\U0001f600'}) {
    EXPECT_EQ(&GlyphOf(character), &GlyphOf(U'\xfffd'));
    EXPECT_NE(GlyphOf(character), GlyphOf(U' '));
  }
}

TEST(HasInk, ReadsDotsFromLeftToRight) {
  const Glyph& glyph = GlyphOf(U'L');
  EXPECT_TRUE(HasInk(glyph, 0, 0));
  EXPECT_FALSE(HasInk(glyph, 0, 4));
  EXPECT_TRUE(HasInk(glyph, 6, 4));
}

TEST(DecodeUtf8, CountsCharactersAndNotBytes) {
  EXPECT_EQ(DecodeUtf8("aé€😀"), U"aé€😀");
  EXPECT_EQ(DecodeUtf8("\xff\x80z").back(), U'z');
  EXPECT_EQ(DecodeUtf8(""), U"");
}

}  // namespace
}  // namespace cboard::writer::media
