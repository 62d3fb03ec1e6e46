#include "cboard/tune/goals.h"

#include <gmock/gmock.h>

#include "testing/matchers.h"

namespace cboard::tune {
namespace {

using testing::FailsSaying;

TEST(MaxDrop, ReadsRelativeAndAbsoluteDrops) {
  EXPECT_DOUBLE_EQ(MaxDrop::Parse("1%")->Limit(0.8, Better::kHigher), 0.792);
  EXPECT_DOUBLE_EQ(MaxDrop::Parse("1pp")->Limit(0.8, Better::kHigher), 0.79);
  EXPECT_DOUBLE_EQ(MaxDrop::Parse("1pp")->Limit(80, Better::kHigher), 79);
  EXPECT_DOUBLE_EQ(MaxDrop::Parse("0.5")->Limit(80, Better::kHigher), 79.5);
  EXPECT_DOUBLE_EQ(MaxDrop::Parse("10%")->Limit(20, Better::kLower), 22);
}

TEST(MaxDrop, RefusesOtherTexts) {
  for (const char* text : {"", "%", "-1%", "1 percent", "nan", "1%%"}) {
    EXPECT_THAT(MaxDrop::Parse(text), FailsSaying(ErrorCode::kInvalidArgument, "expected 1%"))
        << text;
  }
}

TEST(MaxDrop, PrintsTheTextThatItReads) {
  for (const char* text : {"1%", "0.5pp", "3"}) EXPECT_EQ(MaxDrop::Parse(text)->Text(), text);
}

TEST(IsAsGood, ForgivesTheErrorsOfDecimalNumbers) {
  EXPECT_TRUE(IsAsGood(0.99, MaxDrop::Parse("1%")->Limit(1, Better::kHigher), Better::kHigher));
  EXPECT_FALSE(IsAsGood(0.9899, 0.99, Better::kHigher));
  EXPECT_TRUE(IsAsGood(0.1, 0.2, Better::kLower));
}

TEST(ParseSize, ReadsUnitsAndSharesOfTheBaseline) {
  EXPECT_EQ(*ParseSize("4MB", 1), 4'000'000u);
  EXPECT_EQ(*ParseSize("1.5 MiB", 1), 1'572'864u);
  EXPECT_EQ(*ParseSize("25%", 1000), 250u);
  EXPECT_THAT(ParseSize("4 megabytes", 1),
              FailsSaying(ErrorCode::kInvalidArgument, "expected 4MB"));
}

TEST(ParseDuration, ReadsSecondsMinutesAndHours) {
  EXPECT_DOUBLE_EQ(*ParseDuration("90"), 90);
  EXPECT_DOUBLE_EQ(*ParseDuration("10m"), 600);
  EXPECT_DOUBLE_EQ(*ParseDuration("1.5h"), 5400);
  EXPECT_THAT(ParseDuration("soon"), FailsSaying(ErrorCode::kInvalidArgument, "expected 90s"));
}

}  // namespace
}  // namespace cboard::tune
