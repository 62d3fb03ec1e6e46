#include "writer/summary/tag_cleaning.h"

#include <cstdint>

#include "testing/matchers.h"
#include "writer/summary/word_characters.h"

namespace cboard::writer::summary {
namespace {

using testing::FailsSaying;

TEST(CleanTag, KeepsWhatTensorboardXKeeps) {
  for (const char* tag : {"loss", "a/b-c.d_9", "", "größe/学習率", "слой1", "x²"}) {
    EXPECT_EQ(CleanTag(tag), tag);
  }
}

TEST(CleanTag, ReplacesEveryOtherCharacterByOneUnderscore) {
  EXPECT_EQ(CleanTag("train loss (%)"), "train_loss____");
  EXPECT_EQ(CleanTag("a\nb\tc:d\\e"), "a_b_c_d_e");
  EXPECT_EQ(CleanTag("5€ → 😀"), "5_____");
}

TEST(CleanTag, StripsLeadingSlashes) {
  EXPECT_EQ(CleanTag("//a/b/"), "a/b/");
  EXPECT_EQ(CleanTag("/é"), "é");
  EXPECT_EQ(CleanTag(" /a"), "_/a");
  EXPECT_EQ(CleanTag("///"), "");
}

TEST(CleanTag, TurnsInvalidUtf8IntoUnderscores) {
  EXPECT_EQ(CleanTag("a\xFF\xC0z"), "a__z");
  EXPECT_EQ(CleanTag("\xE2\x82"), "__");
}

TEST(CleanTag, ChangesNothingTheSecondTime) {
  for (const char* tag : {"/ /x", "ä ö", "a\xFF/", "//", "..", "5€"}) {
    EXPECT_EQ(CleanTag(CleanTag(tag)), CleanTag(tag));
  }
}

TEST(IsCleanAsciiTag, AgreesWithCleanTag) {
  EXPECT_TRUE(IsCleanAsciiTag("a/b-c.d_9"));
  EXPECT_TRUE(IsCleanAsciiTag(""));
  EXPECT_FALSE(IsCleanAsciiTag("/a"));
  EXPECT_FALSE(IsCleanAsciiTag("a b"));
  EXPECT_FALSE(IsCleanAsciiTag("é"));
}

// Both numbers come from Python 3.11. For all c with re.match(r"\w", chr(c)) in ascending order:
// their count, and hash = hash * 31 + c modulo 2^64.
TEST(IsWordCharacter, AgreesWithPythonOnEveryCodePoint) {
  std::uint64_t hash = 0;
  int count = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (!IsWordCharacter(c)) continue;
    hash = hash * 31 + c;
    ++count;
  }
  EXPECT_EQ(count, 133548);
  EXPECT_EQ(hash, 0xd8ad992bf62965e8u);
}

TEST(SubRunPath, JoinsTagAndKey) {
  EXPECT_EQ(SubRunPath("runs/a", "loss", "train").value(), "runs/a/loss/train");
  EXPECT_EQ(SubRunPath("runs/a", "net/loss", "fold 1/val").value(), "runs/a/net/loss/fold 1/val");
  EXPECT_EQ(SubRunPath("runs/a", "", "trial..1").value(), "runs/a/trial..1");
}

TEST(SubRunPath, NeverLeavesTheDirectory) {
  for (const char* name : {"..", "../x", "a/../b", "a/..", "."}) {
    EXPECT_THAT(SubRunPath("runs", "tag", name),
                FailsSaying(ErrorCode::kInvalidArgument, "choose another name for this part"));
    EXPECT_THAT(SubRunPath("runs", name, "key"),
                FailsSaying(ErrorCode::kInvalidArgument, "choose another name for this part"));
  }
  for (const char* name : {"/etc", "a//b", "a/", "/"}) {
    EXPECT_THAT(SubRunPath("runs", "tag", name),
                FailsSaying(ErrorCode::kInvalidArgument, "remove slashes"));
    EXPECT_THAT(SubRunPath("runs", name, "key"),
                FailsSaying(ErrorCode::kInvalidArgument, "remove slashes"));
  }
}

TEST(SubRunPath, RefusesWhatCannotBeADirectory) {
  EXPECT_THAT(
      SubRunPath("runs", "tag", ""),
      FailsSaying(ErrorCode::kInvalidArgument, "key '' cannot be the name of a run's directory"));
  EXPECT_THAT(SubRunPath("runs", "tag", std::string_view("a\0b", 3)),
              FailsSaying(ErrorCode::kInvalidArgument, "zero byte"));
  EXPECT_THAT(SubRunPath("runs", "tag", std::string(255, 'x')), testing::Succeeds());
  EXPECT_THAT(SubRunPath("runs", "tag", std::string(256, 'x')),
              FailsSaying(ErrorCode::kInvalidArgument, "shorten it to 255"));
}

}  // namespace
}  // namespace cboard::writer::summary
