#include "server/page_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/page_files.h"

namespace cboard::server {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Result<HttpResponse> Get(const std::string& path, const std::string& prefix = {}) {
  return Page(prefix).Respond({.method = "GET", .target = path}, Target{.path = path});
}

// Returns the file names in an attribute of the page: assets/x.js for href="./assets/x.js".
std::vector<std::string> LinksOf(const std::string& html, const std::string& attribute) {
  std::vector<std::string> links;
  const std::string begin = attribute + "=\"./";
  for (std::size_t at = html.find(begin); at != std::string::npos; at = html.find(begin, at)) {
    at += begin.size();
    links.push_back(html.substr(at, html.find('"', at) - at));
  }
  return links;
}

TEST(Page, HasAFrameOfItsOwnAtEveryAddressInsideIt) {
  const auto pages = {"compare", "files",  "graph",  "hardware", "histograms",
                      "hparams", "images", "layers", "overview", "report",
                      "scalars", "text",   "tuning"};
  for (const std::string name : pages) {
    const Result<HttpResponse> page = Get("/" + name);
    ASSERT_TRUE(page) << name;
    EXPECT_EQ(page->status, 200);
    EXPECT_EQ(page->content_type, "text/html; charset=utf-8");
    EXPECT_THAT(*page->shared_body, HasSubstr("<script type=\"module\""));
    EXPECT_THAT(*page->shared_body, ContainsRegex("href=\"" + name + "\"[^>]* aria-current"));
  }
  EXPECT_EQ(*Get("/")->shared_body, *Get("/overview")->shared_body);
}

TEST(Page, SendsOnlyForFilesAndRoutesThatItHas) {
  const std::string html = *Get("/scalars")->shared_body;
  const std::vector<std::string> links = LinksOf(html, "href");
  EXPECT_THAT(links, Contains(StartsWith("assets/Scalars-")));
  EXPECT_THAT(links, Contains(StartsWith("api/v1/tags?kind=scalar")));
  for (const std::string& link : links) {
    if (link.starts_with("api/")) continue;
    EXPECT_TRUE(Get("/" + link)) << link;
  }
  for (const std::string& script : LinksOf(html, "src")) EXPECT_TRUE(Get("/" + script)) << script;
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
    EXPECT_EQ(file.gzip_content.empty(), served->shared_body->size() < 1024) << file.name;
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
  const Result<HttpResponse> page = Page("").Respond(request, Target{.path = "/layerz"});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 404);
  EXPECT_THAT(*page->shared_body, HasSubstr("<script type=\"module\""));
  EXPECT_FALSE(Page("").Respond(request, Target{.path = "/layers/../secret"}));
}

TEST(Page, LeadsFromAnAddressWithASlashAtItsEndToTheOneWithout) {
  const auto location = [](const std::string& target, const std::string& path) {
    const HttpRequest request{
        .method = "GET", .target = target, .headers = {{"Accept", "text/html"}}};
    const Result<HttpResponse> response = Page("").Respond(request, Target{.path = path});
    if (!response || response->status != 308) return std::string("none");
    return response->headers.at(0).second;
  };
  EXPECT_EQ(location("/layers/?model=a/b", "/layers/"), "../layers?model=a/b");
  EXPECT_EQ(location("/stages/", "/stages/"), "../stages");
  EXPECT_EQ(location("/layers%2F", "/layers/"), "none");
  EXPECT_EQ(location("//evil.example/", "//evil.example/"), "none");
  EXPECT_FALSE(Get("/layers/"));  // Programs get the error.
}

TEST(Page, FindsItsFilesBelowAPrefix) {
  EXPECT_THAT(*Get("/", "/board")->shared_body, HasSubstr("<base href=\"/board/\""));
  EXPECT_THAT(*Get("/", "/a\"<b")->shared_body, HasSubstr("<base href=\"/a&quot;&lt;b/\""));
  EXPECT_THAT(*Get("/")->shared_body, HasSubstr("<base href=\"/\""));
}

TEST(Page, AnswersOnlyQuestions) {
  const Result<HttpResponse> posted = Page("").Respond({.method = "POST"}, Target{.path = "/"});
  ASSERT_TRUE(posted);
  EXPECT_EQ(posted->status, 405);
}

}  // namespace
}  // namespace cboard::server
