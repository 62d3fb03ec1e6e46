#include "server/http/url.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace cboard::server {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using ::testing::Pair;

TEST(ParseTarget, SplitsPathAndQuery) {
  const Result<Target> target = ParseTarget("/api/v1/scalars?run=a%2Fb&tag=loss+%2B+l2&flag");
  ASSERT_THAT(target, testing::Succeeds());
  EXPECT_EQ(target->path, "/api/v1/scalars");
  EXPECT_THAT(target->query,
              ElementsAre(Pair("run", "a/b"), Pair("tag", "loss + l2"), Pair("flag", "")));
}

TEST(ParseTarget, KeepsPlusInPaths) { EXPECT_EQ(ParseTarget("/a+b%20c")->path, "/a+b c"); }

TEST(ParseTarget, ForgetsTheFragment) { EXPECT_EQ(ParseTarget("/a#b?c=d")->path, "/a"); }

TEST(ParseTarget, RefusesWhatIsNotAPath) {
  for (const char* target : {"", "*", "http://example.com/", "api", "%2F"}) {
    EXPECT_THAT(ParseTarget(target), FailsWith(ErrorCode::kInvalidArgument)) << target;
  }
}

TEST(ParseTarget, RefusesBrokenEscapes) {
  for (const char* target : {"/%", "/%4", "/%zz", "/?a=%", "/?%4g=1"}) {
    EXPECT_THAT(ParseTarget(target),
                FailsSaying(ErrorCode::kInvalidArgument, "two hexadecimal digits"))
        << target;
  }
}

TEST(ParseTarget, RefusesControlCharactersAndBytesThatAreNotUtf8) {
  for (const char* target : {"/%00", "/a%0d%0ab", "/%7f", "/%ff", "/?a=%c0%af"}) {
    EXPECT_THAT(ParseTarget(target), FailsWith(ErrorCode::kInvalidArgument)) << target;
  }
}

TEST(ParseTarget, RefusesEndlessQueries) {
  std::string target = "/?";
  for (std::size_t i = 0; i <= kMaxQueryParameters; ++i) target += "a=1&";
  EXPECT_THAT(ParseTarget(target), FailsSaying(ErrorCode::kInvalidArgument, "the maximum is 64"));
}

TEST(Target, SaysWhichParameterIsMissing) {
  EXPECT_THAT(ParseTarget("/api/v1/tags")->Query("run"),
              FailsSaying(ErrorCode::kInvalidArgument, "/api/v1/tags?run="));
}

TEST(Target, ReadsNumbersInTheirRange) {
  const auto number = [](const char* target) {
    return ParseTarget(target)->NumberQuery("n", 8, 1000, 100);
  };
  EXPECT_EQ(number("/").value(), 100u);
  EXPECT_EQ(number("/?n=8").value(), 8u);
  EXPECT_EQ(number("/?n=1000").value(), 1000u);
  for (const char* target : {"/?n=", "/?n=7", "/?n=1001", "/?n=-9", "/?n=9x", "/?n=1e2", "/?n=+9",
                             "/?n=99999999999999999999999"}) {
    EXPECT_THAT(number(target), FailsSaying(ErrorCode::kInvalidArgument, "from 8 to 1000"))
        << target;
  }
}

}  // namespace
}  // namespace cboard::server
