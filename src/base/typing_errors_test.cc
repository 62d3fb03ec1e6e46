#include "cboard/base/typing_errors.h"

#include <gtest/gtest.h>

namespace cboard {
namespace {

TEST(TypingErrors, CountLettersThatAreOtherMissingOrTooMany) {
  EXPECT_EQ(TypingErrors("acuracy", "accuracy"), 1u);
  EXPECT_EQ(TypingErrors("--log-dir", "--log_dir"), 0u);
  EXPECT_EQ(TypingErrors("", "abc"), 3u);
  EXPECT_EQ(TypingErrors("kitten", "sitting"), 3u);
}

}  // namespace
}  // namespace cboard
