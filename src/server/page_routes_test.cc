#include "server/page_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/page_files.h"

namespace cboard::server {
namespace {

using ::testing::HasSubstr;

Result<HttpResponse> Get(const std::string& path, const std::string& prefix = {}) {
  return Page(prefix).Answer({.method = "GET", .target = path}, Target{.path = path});
}

TEST(Page, IsTheSameAtEveryAddressInsideIt) {
  const Result<HttpResponse> index = Get("/");
  ASSERT_TRUE(index);
  EXPECT_THAT(*index->shared_body, HasSubstr("<script type=\"module\""));
  for (const char* path : {"/overview", "/layers", "/compare", "/scalars"}) {
    const Result<HttpResponse> page = Get(path);
    ASSERT_TRUE(page) << path;
    EXPECT_EQ(*page->shared_body, *index->shared_body) << path;
    EXPECT_EQ(page->content_type, "text/html; charset=utf-8");
  }
}

TEST(Page, HoldsEveryFileItRefersTo) {
  std::size_t scripts = 0;
  for (const PageFile& file : PageFiles()) {
    const Result<HttpResponse> served = Get("/" + std::string(file.name));
    ASSERT_TRUE(served) << file.name;
    EXPECT_FALSE(served->shared_body->empty()) << file.name;
    if (!file.name.ends_with(".js")) continue;
    ++scripts;
    EXPECT_EQ(served->content_type, "text/javascript; charset=utf-8");
    EXPECT_TRUE(served->gzip_body != nullptr || served->shared_body->size() < 1000) << file.name;
  }
  EXPECT_GE(scripts, 3u);
}

TEST(Page, KnowsNoOtherFiles) {
  for (const char* path : {"/nothing.js", "/nothing", "/assets/../index.html",
                           "/layers/../../etc/passwd", "//layers", "/c"}) {
    const Result<HttpResponse> answer = Get(path);
    ASSERT_FALSE(answer) << path;
    EXPECT_EQ(answer.error().code, ErrorCode::kNotFound);
  }
}

TEST(Page, LeadsPeopleBackWhoMistyped) {
  const HttpRequest request{.method = "GET", .headers = {{"Accept", "text/html,*/*"}}};
  const Result<HttpResponse> page = Page("").Answer(request, Target{.path = "/layerz"});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 404);
  EXPECT_THAT(*page->shared_body, HasSubstr("<script type=\"module\""));
  EXPECT_FALSE(Page("").Answer(request, Target{.path = "/layers/../secret"}));
}

TEST(Page, FindsItsFilesBelowAPrefix) {
  EXPECT_THAT(*Get("/", "/board")->shared_body, HasSubstr("<base href=\"/board/\""));
  EXPECT_THAT(*Get("/", "/a\"<b")->shared_body, HasSubstr("<base href=\"/a&quot;&lt;b/\""));
  EXPECT_THAT(*Get("/")->shared_body, HasSubstr("<base href=\"/\""));
}

TEST(Page, AnswersOnlyQuestions) {
  const Result<HttpResponse> posted = Page("").Answer({.method = "POST"}, Target{.path = "/"});
  ASSERT_TRUE(posted);
  EXPECT_EQ(posted->status, 405);
}

}  // namespace
}  // namespace cboard::server
