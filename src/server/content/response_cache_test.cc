#include "server/content/response_cache.h"

#include <gtest/gtest.h>

namespace cboard::server {
namespace {

class AnswerCacheTest : public ::testing::Test {
 protected:
  // Sends a request and does the same as the server; counts how often the response was computed.
  HttpResponse Ask(const std::string& text, std::uint64_t version = 1,
                   const HttpRequest& request = {}) {
    HttpResponse response = Begin(text, version, request);
    return response.later ? response.later() : response;
  }
  HttpResponse Begin(const std::string& text, std::uint64_t version, const HttpRequest& request) {
    return cache_.Respond(request, {version, text, "api"}, [this, text, version] {
      ++made_;
      return HttpResponse{.status = text == "missing" ? 404 : 200,
                          .content_type = "application/json",
                          .body = text + std::string(size_, ' ') + std::to_string(version)};
    });
  }
  static std::string BodyOf(const HttpResponse& response) {
    return response.shared_body ? *response.shared_body : response.body;
  }

  ResponseCache cache_{"boot", {.max_bytes = 10'000, .max_response_bytes = 6'000}};
  std::size_t size_ = 10;
  int made_ = 0;
};

TEST_F(AnswerCacheTest, AQuestionAskedTwiceIsAnsweredFromMemoryFromThenOn) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(BodyOf(Ask("runs")), "runs          1");
  EXPECT_EQ(made_, 2);
  EXPECT_FALSE(Begin("runs", 1, {}).later);
  EXPECT_EQ(cache_.statistics().hits, 4);
}

TEST_F(AnswerCacheTest, AQuestionAskedOnceTakesNoRoom) {
  Ask("runs");
  EXPECT_EQ(cache_.statistics().bytes, 0);
}

TEST_F(AnswerCacheTest, ANewSnapshotHasNewAnswers) {
  for (int i = 0; i < 3; ++i) Ask("runs", 1);
  EXPECT_EQ(BodyOf(Ask("runs", 2)), "runs          2");
  EXPECT_EQ(cache_.statistics().bytes, 0);
  // A request that began before the change still gets its response, but the response is not cached.
  for (int i = 0; i < 3; ++i) EXPECT_EQ(BodyOf(Ask("runs", 1)), "runs          1");
  EXPECT_EQ(cache_.statistics().bytes, 0);
}

TEST_F(AnswerCacheTest, DifferentQuestionsHaveDifferentAnswersAndTags) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(BodyOf(Ask("runs")).substr(0, 4), "runs");
    EXPECT_EQ(BodyOf(Ask("tags")).substr(0, 4), "tags");
  }
  EXPECT_NE(Ask("runs").etag, Ask("tags").etag);
  EXPECT_NE(Ask("runs", 1).etag, Ask("runs", 2).etag);
}

TEST_F(AnswerCacheTest, WhoHasTheAnswerIsToldSoWithoutWork) {
  const std::string tag = "\"" + Ask("runs").etag + "\"";
  const HttpRequest request{.headers = {{"If-None-Match", tag}}};
  const HttpResponse response = Begin("runs", 1, request);
  EXPECT_EQ(response.status, 304);
  EXPECT_FALSE(response.later);
  EXPECT_TRUE(Begin("runs", 2, request).later);
}

TEST_F(AnswerCacheTest, CompressedCopiesAreMadeOnce) {
  size_ = 2000;
  const HttpRequest request{.headers = {{"Accept-Encoding", "gzip"}}};
  for (int i = 0; i < 2; ++i) Ask("runs", 1, request);
  const HttpResponse kept = Begin("runs", 1, request);
  ASSERT_TRUE(kept.gzip_body);
  EXPECT_LT(kept.gzip_body->size(), 200);
  EXPECT_EQ(kept.gzip_body, Begin("runs", 1, request).gzip_body);
  EXPECT_FALSE(Ask("runs").gzip_body) << "for clients that do not accept it";
}

TEST_F(AnswerCacheTest, ErrorsAndLongAnswersAreNotKept) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Ask("missing").status, 404);
  size_ = 7000;
  for (int i = 0; i < 3; ++i) Ask("long");
  EXPECT_EQ(made_, 6);
  EXPECT_EQ(cache_.statistics().bytes, 0);
}

TEST_F(AnswerCacheTest, WhatWasNotUsedForLongestGoesFirst) {
  size_ = 3000;
  for (const char* const name : {"a", "b", "c"}) {
    Ask(name);
    Ask(name);
  }
  Ask("a");
  Ask("d");
  Ask("d");  // No room for four responses.
  EXPECT_FALSE(Begin("a", 1, {}).later);
  EXPECT_TRUE(Begin("b", 1, {}).later);
  EXPECT_FALSE(Begin("c", 1, {}).later);
  EXPECT_LE(cache_.statistics().bytes, 10'000);
}

TEST_F(AnswerCacheTest, OfManyWhoWaitForTheSameOnlyTheFirstMakeIt) {
  std::vector<HttpResponse> waiting;
  for (int i = 0; i < 64; ++i) waiting.push_back(Begin("runs", 1, {}));
  for (const HttpResponse& response : waiting)
    EXPECT_EQ(BodyOf(response.later()), BodyOf(Ask("runs")));
  EXPECT_EQ(made_, 2);
}

}  // namespace
}  // namespace cboard::server
