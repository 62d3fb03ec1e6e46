#include "cboard/server/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "server/testing/test_client.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::server {
namespace {

using testing::Client;
using ::testing::EndsWith;
using testing::FailsSaying;
using ::testing::HasSubstr;
using testing::RunningServer;
using ::testing::StartsWith;

TEST(HttpServer, AnswersManyRequestsOnOneConnection) {
  RunningServer server;
  Client client(server->port());
  for (const char* target : {"/one", "/two?a=b", "/three"}) {
    client.Send("GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const std::string answer = client.ReadUntil(">");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, EndsWith("<" + std::string(target) + ">"));
  }
}

TEST(HttpServer, AnswersRequestsThatComeAllAtOnce) {
  RunningServer server;
  Client client(server->port());
  client.Send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.ReadUntil(">"), HasSubstr("</1>"));
  EXPECT_THAT(client.ReadUntil(">"), HasSubstr("</2>"));
}

TEST(HttpServer, ClosesWhenTheClientAsksForIt) {
  RunningServer server;
  Client client(server->port());
  client.Send("GET /bye HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), EndsWith("</bye>"));
  Client old(server->port());
  old.Send("GET /old HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.ReadAll(), EndsWith("</old>"));
}

TEST(HttpServer, AnswersHeadWithoutABody) {
  RunningServer server;
  Client client(server->port());
  client.Send("HEAD /four HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const std::string answer = client.ReadAll();
  EXPECT_THAT(answer, HasSubstr("Content-Length: 7\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST(HttpServer, PassesOnHeadersAndBodies) {
  RunningServer server({}, [](const HttpRequest& request) -> HttpResponse {
    return {.body = request.method + " " + request.client + " " +
                    std::string(request.Header("x-COLOUR")) + " <" + request.body + ">"};
  });
  Client client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: a\r\nX-Colour: blue\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_THAT(client.ReadUntil(">"), EndsWith("\r\n\r\nPOST 127.0.0.1 blue <hello>"));
  client.Send(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0"
      "\r\n\r\n");
  EXPECT_THAT(client.ReadUntil(">"), EndsWith("POST 127.0.0.1  <hello>"));
}

TEST(HttpServer, InvitesABodyThatWaitsToBeAskedFor) {
  RunningServer server({}, [](const HttpRequest& request) -> HttpResponse {
    return {.body = "<" + request.body + ">"};
  });
  Client client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("ok");
  EXPECT_THAT(client.ReadUntil(">"), EndsWith("<ok>"));
}

TEST(HttpServer, SendsSharedBytesToEveryone) {
  const auto shared = std::make_shared<const std::string>(3 << 20, 'x');
  RunningServer server({}, [&](const HttpRequest&) {
    HttpResponse response;
    response.shared_body = shared;
    return response;
  });
  for (int i = 0; i < 3; ++i) EXPECT_THAT(server.Get("/"), EndsWith("\r\n\r\n" + *shared));
}

TEST(HttpServer, SendsPartsOfFiles) {
  const testing::TempDir directory;
  std::string content;
  for (int i = 0; i < 500'000; ++i) content += std::to_string(i) + " ";
  std::ofstream(directory / "blob") << content;
  auto file = File::OpenForReading(directory / "blob");
  ASSERT_THAT(file, testing::Succeeds());
  const auto shared = std::make_shared<const File>(*std::move(file));
  RunningServer server({}, [&](const HttpRequest&) {
    return BlobResponse("image/png",
                        FileSlice{.file = shared, .offset = 7, .length = content.size() - 9});
  });
  EXPECT_THAT(server.Get("/"), EndsWith("\r\n\r\n" + content.substr(7, content.size() - 9)));
  const std::string part = server.Get("/", "Range: bytes=1000000-1500000\r\n");
  EXPECT_THAT(part, StartsWith("HTTP/1.1 206 Partial Content\r\n"));
  EXPECT_THAT(part, EndsWith("\r\n\r\n" + content.substr(1'000'007, 500'001)));
}

TEST(HttpServer, HangsUpWhenAFileHasShrunk) {
  const testing::TempDir directory;
  std::ofstream(directory / "blob") << "0123456789";
  const auto shared = std::make_shared<const File>(*File::OpenForReading(directory / "blob"));
  RunningServer server({}, [&](const HttpRequest&) {
    return BlobResponse("image/png", FileSlice{.file = shared, .offset = 5, .length = 100});
  });
  EXPECT_THAT(server.Get("/"), EndsWith("\r\n\r\n56789"));
}

TEST(HttpServer, LetsOthersGoFirstWhenAnAnswerTakesLong) {
  std::atomic<bool> released = false;
  RunningServer server({.threads = 1}, [&](const HttpRequest& request) -> HttpResponse {
    if (request.target == "/quick") return {.body = "<quick>"};
    HttpResponse response;
    response.later = [&] {
      released.wait(false);
      return HttpResponse{.body = "<slow>"};
    };
    return response;
  });
  Client slow(server->port());
  slow.Send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(server.Get("/quick"), EndsWith("<quick>"));
  released = true;
  released.notify_all();
  EXPECT_THAT(slow.ReadUntil(">"), EndsWith("<slow>"));
}

TEST(HttpServer, CompressesLongTextInTheBackground) {
  RunningServer server({},
                       [](const HttpRequest&) { return JsonResponse(std::string(1 << 20, '7')); });
  const std::string answer = server.Get("/", "Accept-Encoding: gzip\r\n");
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Encoding: gzip\r\n"));
  EXPECT_LT(answer.size(), 20'000u);
}

TEST(HttpServer, ReportsEveryResponse) {
  std::mutex mutex;
  std::vector<std::string> seen;
  {
    RunningServer server({.on_response = [&](const ResponseRecord& record) {
      const std::scoped_lock lock(mutex);
      seen.push_back(std::string(record.method) + " " + std::string(record.target) + " " +
                     std::to_string(record.status) + " " + std::string(record.user_agent) + " " +
                     std::string(record.client));
      EXPECT_GT(record.sent_bytes, 100u);
    }});
    server.Get("/one", "User-Agent: me\r\n");
    Client garbage(server->port());
    garbage.Send("garbage\r\n\r\n");
    garbage.ReadAll();
  }
  EXPECT_THAT(seen,
              ::testing::UnorderedElementsAre("GET /one 200 me 127.0.0.1", "  400  127.0.0.1"));
}

TEST(HttpServer, TellsBrowsersToTrustNothingElse) {
  RunningServer server;
  Client client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string answer = client.ReadUntil(">");
  EXPECT_THAT(answer, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Security-Policy: default-src 'none'; "));
  EXPECT_THAT(answer, HasSubstr("frame-ancestors 'none'"));
}

TEST(HttpServer, AnswersAfterAHandlerHasFailed) {
  RunningServer server({}, [](const HttpRequest& request) -> HttpResponse {
    if (request.target == "/bad") throw std::bad_alloc();
    return {.status = 200, .body = "<good>"};
  });
  Client client(server->port());
  client.Send("GET /bad HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("}}"), StartsWith("HTTP/1.1 500 "));
  client.Send("GET /good HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.ReadUntil(">"), EndsWith("<good>"));
}

TEST(HttpServer, MayBeStoppedBeforeItRuns) {
  const auto server = HttpServer::Listen({.port = 0}, [](const auto&) { return HttpResponse(); });
  ASSERT_THAT(server, testing::Succeeds());
  (*server)->Stop();
  (*server)->Run();
}

TEST(HttpServer, AnswersManyClientsAtOnce) {
  RunningServer server({.threads = 3});
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 50; ++j) {
        Client client(server->port());
        const std::string target = "/" + std::to_string(i * 100 + j);
        client.Send("GET " + target + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        EXPECT_THAT(client.ReadAll(), EndsWith("<" + target + ">"));
      }
    });
  }
}

TEST(HttpServer, SaysWhatToTypeWhenThePortIsTaken) {
  RunningServer server;
  const auto second =
      HttpServer::Listen({.port = server->port()}, [](const auto&) { return HttpResponse(); });
  EXPECT_THAT(second, FailsSaying(ErrorCode::kAlreadyExists, "is in use by process "));
  EXPECT_THAT(second, FailsSaying(ErrorCode::kAlreadyExists, "--port 0"));
}

TEST(HttpServer, RefusesAddressesThatAreNotOfThisMachine) {
  for (const char* host : {"192.0.2.1", "no such host"}) {
    EXPECT_THAT(HttpServer::Listen({.host = host, .port = 0}, nullptr),
                testing::FailsWith(ErrorCode::kInvalidArgument))
        << host;
  }
}

}  // namespace
}  // namespace cboard::server
