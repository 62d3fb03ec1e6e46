#include "server/http/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cboard::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Returns "name=value" of a Set-Cookie header.
std::string PairOf(const std::string& set_cookie) {
  return set_cookie.substr(0, set_cookie.find(';'));
}

TEST(Token, MatchesItselfOnly) {
  const Token token("s3cret");
  EXPECT_TRUE(token.Matches("s3cret"));
  for (const char* other : {"", "s3cre", "s3crett", "S3cret", "s3cret ", "*"}) {
    EXPECT_FALSE(token.Matches(other)) << other;
  }
}

TEST(Token, IsStoodForByItsCookie) {
  const Token token("s3cret");
  const std::string cookie = PairOf(token.SetCookie("/", false));
  EXPECT_TRUE(token.MatchesCookies(cookie));
  EXPECT_TRUE(token.MatchesCookies("a=b; " + cookie + "; c=d"));
  EXPECT_FALSE(token.MatchesCookies(""));
  EXPECT_FALSE(token.MatchesCookies(cookie.substr(0, cookie.size() - 1)));
  EXPECT_FALSE(token.MatchesCookies("x" + cookie));
  EXPECT_FALSE(Token("other").MatchesCookies(cookie));
}

TEST(Token, DoesNotAppearInItsCookie) {
  EXPECT_THAT(Token("s3cret").SetCookie("/", false), Not(HasSubstr("s3cret")));
}

TEST(Token, KeepsItsCookieFromScriptsAndOtherSites) {
  const std::string plain = Token("s3cret").SetCookie("/board/", false);
  EXPECT_THAT(plain, HasSubstr("; Path=/board/; HttpOnly; SameSite=Strict"));
  EXPECT_THAT(plain, Not(HasSubstr("Secure")));
  EXPECT_THAT(Token("s3cret").SetCookie("/", true), HasSubstr("; Secure"));
}

TEST(Token, HasACookieNameOfItsOwn) {
  const auto name = [](const char* secret) {
    const std::string cookie = Token(secret).SetCookie("/", false);
    return cookie.substr(0, cookie.find('='));
  };
  EXPECT_NE(name("one"), name("two"));
  EXPECT_EQ(name("one"), name("one"));
}

TEST(TakeToken, LeavesTheRestAlone) {
  const auto check = [](const char* target, const char* rest, const char* token) {
    const SplitTarget split = TakeToken(target);
    EXPECT_EQ(split.target, rest) << target;
    EXPECT_EQ(split.token.value_or("none"), token) << target;
  };
  check("/", "/", "none");
  check("/a?b=c", "/a?b=c", "none");
  check("/a?token=x", "/a", "x");
  check("/a?b=c&token=x%20y&d", "/a?b=c&d", "x y");
  check("/a?token=x&token=y", "/a", "x");
  check("/a?token=%zz", "/a", "none");
  check("/a?mytoken=x", "/a?mytoken=x", "none");
}

}  // namespace
}  // namespace cboard::server
