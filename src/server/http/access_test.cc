#include "cboard/server/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cboard::server {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

using Headers = std::vector<std::pair<std::string_view, std::string_view>>;

HttpResponse Echo(const HttpRequest& request) { return {.body = "<" + request.target + ">"}; }

HttpResponse Ask(const HttpHandler& handler, std::string target, const Headers& headers = {},
                 std::string host = "localhost:6006") {
  HttpRequest request{.target = std::move(target), .host = std::move(host)};
  request.headers = headers;
  return handler(request);
}

// Returns the cookie of a response as a browser would send it back.
std::string CookieOf(const HttpResponse& response) {
  for (const auto& [name, value] : response.headers) {
    if (name == "Set-Cookie") return value.substr(0, value.find(';'));
  }
  return {};
}

TEST(Guarded, AnswersToItsNamesOnly) {
  const HttpHandler handler =
      Guarded({.own_hosts = {"10.0.0.7"}, .allowed_hosts = {"board.example"}}, Echo);
  EXPECT_EQ(Ask(handler, "/", {}, "localhost:6006").status, 200);
  EXPECT_EQ(Ask(handler, "/", {}, "10.0.0.7:6006").status, 200);
  EXPECT_EQ(Ask(handler, "/", {}, "board.example").status, 200);
  for (const char* host : {"", "evil.example", "192.168.0.1:6006"}) {
    const HttpResponse refused = Ask(handler, "/secret", {}, host);
    EXPECT_EQ(refused.status, 421) << host;
    EXPECT_THAT(refused.body, Not(HasSubstr("secret")));
  }
}

TEST(Guarded, RefusesPagesOfOtherOrigins) {
  const HttpHandler handler =
      Guarded({.own_hosts = {"127.0.0.1"}, .allowed_hosts = {"board.example"}}, Echo);
  for (const char* origin : {"http://localhost:6006", "http://LOCALHOST:6006",
                             "https://localhost:6006", "https://board.example"}) {
    EXPECT_EQ(Ask(handler, "/", {{"Origin", origin}}).status, 200) << origin;
  }
  for (const char* origin :
       {"null", "http://evil.example", "http://localhost:3000", "http://localhost",
        "http://127.0.0.1:6006", "file://", "evil", "http://localhost:6006.evil.example"}) {
    EXPECT_EQ(Ask(handler, "/", {{"Origin", origin}}).status, 403) << origin;
  }
}

TEST(Guarded, FollowsLinksFromOtherSitesButNothingElse) {
  const HttpHandler handler = Guarded({}, Echo);
  EXPECT_EQ(Ask(handler, "/", {{"Sec-Fetch-Site", "none"}}).status, 200);
  EXPECT_EQ(Ask(handler, "/", {{"Sec-Fetch-Site", "same-origin"}}).status, 200);
  for (const char* site : {"cross-site", "same-site"}) {
    EXPECT_EQ(Ask(handler, "/",
                  {{"Sec-Fetch-Site", site},
                   {"Sec-Fetch-Mode", "navigate"},
                   {"Sec-Fetch-Dest", "document"}})
                  .status,
              200);
    EXPECT_EQ(Ask(handler, "/",
                  {{"Sec-Fetch-Site", site},
                   {"Sec-Fetch-Mode", "navigate"},
                   {"Sec-Fetch-Dest", "iframe"}})
                  .status,
              403);
    EXPECT_EQ(
        Ask(handler, "/",
            {{"Sec-Fetch-Site", site}, {"Sec-Fetch-Mode", "no-cors"}, {"Sec-Fetch-Dest", "image"}})
            .status,
        403);
  }
}

TEST(Guarded, IsShownInFramesOnlyIfAllowed) {
  const HttpHandler handler = Guarded({.allow_frames = true}, Echo);
  const auto status = [&](const char* mode, const char* destination) {
    return Ask(handler, "/",
               {{"Sec-Fetch-Site", "same-site"},
                {"Sec-Fetch-Mode", mode},
                {"Sec-Fetch-Dest", destination}})
        .status;
  };
  EXPECT_EQ(status("navigate", "iframe"), 200);
  EXPECT_EQ(status("navigate", "object"), 403);
  EXPECT_EQ(status("cors", "empty"), 403);
}

TEST(Guarded, WantsItsToken) {
  const HttpHandler handler = Guarded({.token = "s3cret"}, Echo);
  for (const Headers& headers :
       {Headers{}, Headers{{"Authorization", "Bearer wrong"}}, Headers{{"Authorization", "s3cret"}},
        Headers{{"Authorization", "Basic s3cret"}}, Headers{{"Cookie", "cboard=s3cret"}}}) {
    const HttpResponse refused = Ask(handler, "/secret", headers);
    EXPECT_EQ(refused.status, 401);
    EXPECT_THAT(refused.body, Not(HasSubstr("secret>")));
    EXPECT_THAT(refused.headers, Contains(Key("WWW-Authenticate")));
  }
  EXPECT_EQ(Ask(handler, "/?token=wrong").status, 401);
  EXPECT_THAT(CookieOf(Ask(handler, "/?token=wrong")), "");
  EXPECT_EQ(Ask(handler, "/", {{"Authorization", "Bearer s3cret"}}).status, 200);
  EXPECT_EQ(Ask(handler, "/", {{"authorization", "bearer  s3cret"}}).status, 200);
}

TEST(Guarded, SaysThatItIsAliveWithoutAToken) {
  const HttpHandler handler = Guarded({.token = "s3cret", .open_paths = {"/board/healthz"}}, Echo);
  EXPECT_EQ(Ask(handler, "/board/healthz").status, 200);
  EXPECT_EQ(Ask(handler, "/board/healthz?x").status, 200);
  EXPECT_EQ(Ask(handler, "/board/healthz/").status, 401);
  EXPECT_EQ(Ask(handler, "/healthz").status, 401);
  EXPECT_EQ(Ask(handler, "/board/healthz", {}, "evil.example").status, 421);
}

TEST(Guarded, TradesATokenInTheAddressForACookie) {
  const HttpHandler handler = Guarded({.token = "s3cret"}, Echo);
  const HttpResponse page =
      Ask(handler, "/runs?a=b&token=s3cret", {{"Accept", "text/html,application/xhtml+xml"}});
  EXPECT_EQ(page.status, 303);
  EXPECT_THAT(page.headers, Contains(Pair("Location", "/runs?a=b")));
  const std::string cookie = CookieOf(page);
  ASSERT_NE(cookie, "");
  EXPECT_EQ(Ask(handler, "/runs", {{"Cookie", cookie}}).body, "</runs>");
  EXPECT_EQ(Ask(handler, "/runs", {{"Cookie", "a=b"}, {"Cookie", cookie}}).status, 200);
  EXPECT_EQ(Ask(Guarded({.token = "other"}, Echo), "/", {{"Cookie", cookie}}).status, 401);
}

TEST(Guarded, AnswersProgramsWithATokenInTheAddressAtOnce) {
  const HttpHandler handler = Guarded({.token = "s3cret"}, Echo);
  const HttpResponse response = Ask(handler, "/api?token=s3cret&x=1", {{"Accept", "*/*"}});
  EXPECT_EQ(response.body, "</api?x=1>");
  EXPECT_NE(CookieOf(response), "");
}

TEST(Guarded, SetsTheCookieOfAnswersThatComeLater) {
  const HttpHandler handler = Guarded({.token = "s3cret"}, [](const HttpRequest&) {
    HttpResponse response;
    response.later = [] { return HttpResponse{.body = "late"}; };
    return response;
  });
  const HttpResponse response = Ask(handler, "/?token=s3cret");
  ASSERT_TRUE(response.later);
  EXPECT_NE(CookieOf(response.later()), "");
}

TEST(Guarded, LeadsNowhereElse) {
  const HttpHandler handler = Guarded({.token = "s3cret"}, Echo);
  for (const char* target : {"//evil.example/?token=s3cret", "/\\evil.example?token=s3cret",
                             "///\\/evil.example?token=s3cret"}) {
    const HttpResponse moved = Ask(handler, target, {{"Accept", "text/html"}});
    EXPECT_THAT(moved.headers, Contains(Pair("Location", ::testing::StartsWith("/evil.example"))));
  }
}

TEST(Guarded, NeedsNoTokenWhenThereIsNone) {
  EXPECT_EQ(Ask(Guarded({}, Echo), "/?token=x").body, "</?token=x>");
}

}  // namespace
}  // namespace cboard::server
