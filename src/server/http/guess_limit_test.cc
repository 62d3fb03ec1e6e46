#include "server/http/guess_limit.h"

#include <gtest/gtest.h>

namespace cboard::server {
namespace {

using std::chrono::seconds;

constexpr GuessLimit::Time kStart{std::chrono::hours(1)};

TEST(GuessLimit, LetsAnAddressBeWrongAFewTimes) {
  GuessLimit limit;
  for (int i = 0; i < GuessLimit::kFreeGuesses; ++i) {
    EXPECT_FALSE(limit.WaitBefore("10.0.0.1", kStart)) << i;
    limit.CountWrong("10.0.0.1", kStart);
  }
  EXPECT_EQ(limit.WaitBefore("10.0.0.1", kStart), GuessLimit::kPause);
  EXPECT_FALSE(limit.WaitBefore("10.0.0.2", kStart));
}

TEST(GuessLimit, AllowsOneGuessPerPauseFromThenOn) {
  GuessLimit limit;
  for (int i = 0; i < GuessLimit::kFreeGuesses; ++i) limit.CountWrong("10.0.0.1", kStart);
  int guesses = 0;
  for (seconds passed{0}; passed < seconds(600); ++passed) {
    if (limit.WaitBefore("10.0.0.1", kStart + passed)) continue;
    limit.CountWrong("10.0.0.1", kStart + passed);
    ++guesses;
  }
  EXPECT_EQ(guesses, 600 / GuessLimit::kPause.count() - 1);
}

TEST(GuessLimit, ForgetsAfterAWhile) {
  GuessLimit limit;
  for (int i = 0; i < GuessLimit::kFreeGuesses; ++i) limit.CountWrong("10.0.0.1", kStart);
  const auto later = kStart + GuessLimit::kFreeGuesses * GuessLimit::kPause;
  for (int i = 0; i < GuessLimit::kFreeGuesses; ++i) {
    EXPECT_FALSE(limit.WaitBefore("10.0.0.1", later));
    limit.CountWrong("10.0.0.1", later);
  }
  EXPECT_TRUE(limit.WaitBefore("10.0.0.1", later));
}

TEST(GuessLimit, KnowsAClientByItsNetwork) {
  EXPECT_EQ(ClientNetwork("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(ClientNetwork("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(ClientNetwork("fe80::1%eth0"), "fe80::/64");
}

TEST(GuessLimit, TakesNoMoreMemoryThanItMay) {
  GuessLimit limit;
  for (int i = 0; i < GuessLimit::kFreeGuesses; ++i) limit.CountWrong("10.0.0.1", kStart);
  for (std::size_t i = 0; i < 2 * GuessLimit::kMaxAddresses; ++i) {
    limit.CountWrong("10.1." + std::to_string(i / 256) + "." + std::to_string(i % 256), kStart);
  }
  EXPECT_TRUE(limit.WaitBefore("10.0.0.1", kStart)) << "the worst address was forgotten";
}

}  // namespace
}  // namespace cboard::server
