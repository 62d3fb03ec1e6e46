#include "cboard/base/result.h"

#include <gtest/gtest.h>

#include <string>

namespace cboard {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return Fail(ErrorCode::kInvalidArgument, "odd");
  return value / 2;
}

Result<std::string> Text(int value) { return std::to_string(value); }

Result<void> RequirePositive(int value) {
  if (value <= 0) return Fail(ErrorCode::kInvalidArgument, "not positive");
  return {};
}

TEST(Result, ChainsFunctionsThatReturnResults) {
  const Result<std::string> text = Half(8).and_then(Half).and_then(Text);
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(*text, "2");
}

TEST(Result, StopsAChainAtTheFirstError) {
  const Result<std::string> text = Half(6).and_then(Half).and_then(Text);
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().message, "odd");
}

TEST(Result, ChainsFunctionsWithoutAValue) {
  EXPECT_TRUE(RequirePositive(3).and_then([] { return Half(4); }).has_value());
  EXPECT_FALSE(Half(-4).and_then(RequirePositive).has_value());
}

TEST(Result, ReplacesAnErrorWithTheResultOfOrElse) {
  const Result<int> value = Half(3).or_else([](const Error&) { return Half(10); });
  EXPECT_EQ(value, Result<int>(5));
}

TEST(Result, ComparesValuesAndErrors) {
  EXPECT_EQ(Half(4), Half(4));
  EXPECT_NE(Half(4), Half(6));
  EXPECT_NE(Half(4), Half(3));
  EXPECT_EQ(Half(3), Half(5));
  EXPECT_EQ(RequirePositive(1), RequirePositive(2));
  EXPECT_NE(RequirePositive(1), RequirePositive(0));
}

TEST(Result, ComparesWithAPlainValue) {
  EXPECT_TRUE(Half(4) == 2);
  EXPECT_FALSE(Half(3) == 2);
}

}  // namespace
}  // namespace cboard
