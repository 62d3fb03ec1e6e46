#include "base/base64_url.h"

#include <gtest/gtest.h>

namespace cboard {
namespace {

// The test vectors of RFC 4648, section 10, without padding.
TEST(Base64Url, GivesTheVectorsOfTheStandard) {
  EXPECT_EQ(ToBase64Url(""), "");
  EXPECT_EQ(ToBase64Url("f"), "Zg");
  EXPECT_EQ(ToBase64Url("fo"), "Zm8");
  EXPECT_EQ(ToBase64Url("foo"), "Zm9v");
  EXPECT_EQ(ToBase64Url("foobar"), "Zm9vYmFy");
  EXPECT_EQ(ToBase64Url("\xfb\xff"), "-_8");
}

TEST(Base64Url, DecodesWhatItEncodes) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    bytes += static_cast<char>(i * 7);
    EXPECT_EQ(FromBase64Url(ToBase64Url(bytes)), bytes);
  }
}

TEST(Base64Url, RefusesOtherCharacters) {
  for (const char* text : {"Zg==", "a+b/", "a b", "\xc3\xa4"}) {
    EXPECT_FALSE(FromBase64Url(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace cboard
