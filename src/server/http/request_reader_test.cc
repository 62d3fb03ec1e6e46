#include "server/http/request_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cboard::server {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr std::string_view kRequest =
    "POST /a?b=c HTTP/1.1\r\nHost: localhost:6006\r\nX-Colour: blue\r\nContent-Length: 5\r\n\r\n"
    "hello";

// Passes `bytes` in pieces of `size`; returns the bytes that were not consumed.
std::string Feed(RequestReader& reader, std::string_view bytes, std::size_t size) {
  std::string pending;
  while (!bytes.empty() && !reader.done() && reader.refused() == 0) {
    pending += bytes.substr(0, size);
    bytes.remove_prefix(std::min(size, bytes.size()));
    pending.erase(0, reader.Take(pending));
  }
  return pending + std::string(bytes);
}

TEST(RequestReader, ReadsARequestHoweverItIsCut) {
  for (std::size_t size = 1; size <= kRequest.size(); ++size) {
    RequestReader reader({});
    EXPECT_EQ(Feed(reader, kRequest, size), "");
    ASSERT_TRUE(reader.done()) << size;
    EXPECT_TRUE(reader.state().keep_alive);
    const HttpRequest request = reader.Message();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/a?b=c");
    EXPECT_EQ(request.host, "localhost:6006");
    EXPECT_EQ(request.body, "hello");
    EXPECT_THAT(request.headers,
                ElementsAre(Pair("Host", "localhost:6006"), Pair("X-Colour", "blue"),
                            Pair("Content-Length", "5")));
  }
}

TEST(RequestReader, LeavesTheNextRequestAlone) {
  RequestReader reader({});
  EXPECT_EQ(Feed(reader, std::string(kRequest) + "GET /next", 1000), "GET /next");
  EXPECT_TRUE(reader.done());
}

TEST(RequestReader, NeverTakesPartOfARequestForAWholeOne) {
  for (std::size_t size = 0; size < kRequest.size(); ++size) {
    RequestReader reader({});
    Feed(reader, kRequest.substr(0, size), 7);
    EXPECT_FALSE(reader.done()) << size;
    EXPECT_EQ(reader.refused(), 0) << size;
  }
}

TEST(RequestReader, RefusesWhatIsTooLong) {
  const RequestLimits limits{
      .max_target_bytes = 100, .max_header_bytes = 300, .max_body_bytes = 10};
  const auto refused = [&](const std::string& bytes) {
    RequestReader reader(limits);
    Feed(reader, bytes, 50);
    return reader.refused();
  };
  const std::string end = " HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(refused("GET /" + std::string(99, 'x') + end), 0);
  EXPECT_EQ(refused("GET /" + std::string(100, 'x') + end), 414);
  EXPECT_EQ(refused("GET /" + std::string(1000, 'x') + end), 414);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nX: " + std::string(400, 'x')), 431);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123456789"), 0);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n"), 413);
}

TEST(RequestReader, RefusesABodyOfAmbiguousLength) {
  const auto refused = [](const std::string& headers, std::string_view version = "1.1") {
    int status = -1;
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
      RequestReader reader({});
      Feed(reader,
           "POST / HTTP/" + std::string(version) + "\r\nHost: a\r\n" + headers +
               "\r\n5\r\nhello\r\n0\r\n\r\n",
           size);
      EXPECT_TRUE(status == -1 || status == reader.refused()) << headers << " cut into " << size;
      status = reader.refused();
    }
    return status;
  };
  EXPECT_EQ(refused("Transfer-Encoding: chunked\r\n"), 0);
  EXPECT_EQ(refused("Transfer-Encoding:   Chunked \r\n"), 0);
  EXPECT_EQ(refused("Content-Length: 5\r\n"), 0);
  for (const char* headers :
       {"Transfer-Encoding: gzip\r\n", "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: chunked, chunked\r\n",
        "Transfer-Encoding: chunked, gzip\r\n", "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: \r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: identity\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5\r\nContent-Length: 5\r\n"}) {
    EXPECT_EQ(refused(headers), 400) << headers;
  }
  EXPECT_EQ(refused("Transfer-Encoding: chunked\r\n", "1.0"), 400);
}

TEST(RequestReader, RefusesHeaderLinesThatGoOnInTheNext) {
  for (const char* headers : {"X: a\r\n b\r\n", "X: a\r\n\tb\r\n",
                              "Transfer-Encoding:\r\n chunked\r\n", "X: a\r\n \r\n"}) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
      RequestReader reader({});
      Feed(reader, "GET / HTTP/1.1\r\nHost: a\r\n" + std::string(headers) + "\r\n", size);
      EXPECT_EQ(reader.refused(), 400) << headers << " cut into " << size;
    }
  }
  RequestReader reader({});  // A body may look like a header.
  Feed(reader, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n\r\n b", 1000);
  EXPECT_EQ(reader.refused(), 0);
}

TEST(RequestReader, AsksToContinueOnce) {
  RequestReader reader({});
  Feed(reader, "POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n", 1000);
  EXPECT_TRUE(reader.WantsContinue());
  EXPECT_FALSE(reader.WantsContinue());
  RequestReader other({});
  Feed(other, "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n", 1000);
  EXPECT_FALSE(other.WantsContinue());
}

TEST(RequestReader, KnowsWhoWantsToStay) {
  const auto keeps = [](std::string_view bytes) {
    RequestReader reader({});
    Feed(reader, bytes, 1000);
    return reader.state().keep_alive;
  };
  EXPECT_TRUE(keeps("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nConnection: close\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

}  // namespace
}  // namespace cboard::server
