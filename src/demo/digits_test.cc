#include "demo/digits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cboard/base/file.h"
#include "testing/temp_dir.h"

namespace cboard::demo {
namespace {

using ::testing::HasSubstr;

std::string Line(int pixel, int label) {
  std::string line;
  for (std::size_t i = 0; i < kDigitPixels; ++i) line += std::to_string(pixel) + ".0,";
  return line + std::to_string(label) + ".0\n";
}

TEST(ReadDigits, GivesPicturesAndLabels) {
  const testing::TempDir directory;
  std::string text;
  for (int i = 0; i < 120; ++i) text += Line(i % 17, i % 10);
  ASSERT_TRUE(WriteFileAtomically(directory.path() / "digits.csv", text));
  const auto digits = ReadDigits(directory.path() / "digits.csv");
  ASSERT_TRUE(digits) << digits.error().message;
  ASSERT_EQ(digits->size(), 120);
  EXPECT_EQ(digits->labels[13], 3);
  EXPECT_FLOAT_EQ(digits->image(13)[63], 13.0F / 16);
  const DigitsSplit split = Split(*digits);
  EXPECT_EQ(split.train.size(), 90);
  EXPECT_EQ(split.test.size(), 30);
  EXPECT_EQ(split.test.labels[0], 3);
}

TEST(ReadDigits, NamesTheLineThatIsNoDigit) {
  const testing::TempDir directory;
  const auto file = directory.path() / "digits.csv";
  for (const std::string& bad :
       {std::string("1,2,3\n"), Line(17, 1), Line(1, 10), Line(-1, 0), std::string("a,b\n")}) {
    ASSERT_TRUE(WriteFileAtomically(file, Line(1, 2) + bad));
    const auto digits = ReadDigits(file);
    ASSERT_FALSE(digits);
    EXPECT_EQ(digits.error().code, ErrorCode::kDataLoss);
    EXPECT_THAT(digits.error().message, HasSubstr(":2: expected 64 pixels"));
  }
}

TEST(ReadDigits, RefusesAPackedFileThatIsBroken) {
  const testing::TempDir directory;
  const auto file = directory.path() / "digits.csv.gz";
  ASSERT_TRUE(WriteFileAtomically(file, "\x1f\x8b\x08 but not gzip"));
  EXPECT_EQ(ReadDigits(file).error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(ReadDigits(directory.path() / "none").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace cboard::demo
