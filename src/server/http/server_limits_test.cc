// Limits for clients, and the responses beyond them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/test_client.h"

namespace cboard::server {
namespace {

using std::chrono::milliseconds;
using testing::Client;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::RunningServer;
using ::testing::StartsWith;

void ExpectAlive(RunningServer& server) { EXPECT_THAT(server.Get("/alive"), EndsWith("</alive>")); }

TEST(ServerLimits, RefuseGarbage) {
  RunningServer server;
  for (const char* garbage :
       {"\x16\x03\x01\x02\r\n\r\n", "GET\r\n\r\n", "GET / SMTP/9\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    Client client(server->port());
    client.Send(garbage);
    const std::string answer = client.ReadAll();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 ")) << garbage;
    EXPECT_THAT(answer, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\nConnection: close\r\n"));
  }
  ExpectAlive(server);
}

TEST(ServerLimits, HoldForAddressesHeadersAndBodies) {
  RunningServer server;
  const auto refusal = [&](const std::string& sent) {
    Client client(server->port());
    client.Send(sent);
    return client.ReadAll();
  };
  EXPECT_THAT(refusal("GET /" + std::string(9 << 10, 'x')), StartsWith("HTTP/1.1 414 "));
  EXPECT_THAT(refusal("GET /" + std::string(9 << 10, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n"),
              StartsWith("HTTP/1.1 414 "));
  EXPECT_THAT(refusal("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(20 << 10, 'x')),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(refusal("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n"),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(refusal("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                      std::string("ffffffff\r\n")),
              StartsWith("HTTP/1.1 413 "));
  ExpectAlive(server);
}

// The client must receive the reason although it is still sending when it is refused.
TEST(ServerLimits, AreExplainedToClientsThatKeepSending) {
  RunningServer server;
  Client client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n" +
              std::string(512 << 10, 'x'));
  EXPECT_THAT(client.ReadUntil("}}"), HasSubstr("the request body is too long"));
}

TEST(ServerLimits, HoldForAnswersThatNobodyReads) {
  // More than the buffers of the sockets.
  constexpr std::size_t kBodyBytes = std::size_t{32} << 20;
  const auto metrics = std::make_shared<ServerMetrics>();
  RunningServer server({.max_unsent_bytes = 3 * kBodyBytes, .metrics = metrics},
                       [](const HttpRequest& request) -> HttpResponse {
                         if (request.target == "/short") return {.body = "short"};
                         return {.body = std::string(kBodyBytes, 'x')};
                       });
  const auto wait_for = [&](std::size_t bytes) {
    while (metrics->unsent_bytes != bytes) std::this_thread::yield();
  };
  std::vector<std::unique_ptr<Client>> readers;
  for (std::size_t i = 1; i <= 3; ++i) {
    readers.push_back(std::make_unique<Client>(server->port()));
    readers.back()->Send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n");
    wait_for(i * kBodyBytes);
  }
  const std::string refused = server.Get("/long");
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(refused, HasSubstr("\r\nRetry-After: "));
  EXPECT_THAT(server.Get("/short"), EndsWith("short"));
  readers.clear();
  wait_for(0);
  EXPECT_THAT(server.Get("/long").substr(0, 16), StartsWith("HTTP/1.1 200 "));
}

TEST(ServerLimits, HangUpOnClientsThatSayNothing) {
  RunningServer server({.idle_timeout = milliseconds(50)});
  Client client(server->port());
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(ServerLimits, TellSlowRequestsThatTimeIsUp) {
  RunningServer server({.request_timeout = milliseconds(50)});
  Client client(server->port());
  client.Send("GET / HT");
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 408 "));
  Client body(server->port());
  body.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx");
  EXPECT_THAT(body.ReadAll(), StartsWith("HTTP/1.1 408 "));
  ExpectAlive(server);
}

TEST(ServerLimits, CloseConnectionsOfClientsThatDoNotReadTheirResponse) {
  std::atomic<bool> ended = false;
  RunningServer server(
      {.write_timeout = milliseconds(100),
       .on_response =
           [&](const ResponseRecord& record) {
             EXPECT_LT(record.sent_bytes, 64u << 20);
             ended = true;
             ended.notify_all();
           }},
      [](const HttpRequest&) { return HttpResponse{.body = std::string(64 << 20, 'x')}; });
  Client client(server->port());
  client.ReadSlowly();
  client.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  ended.wait(false);
}

TEST(ServerLimits, SayThatThereAreTooManyConnections) {
  const auto metrics = std::make_shared<ServerMetrics>();
  RunningServer server({.max_connections = 1, .metrics = metrics});
  Client first(server->port());
  first.Send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(first.ReadUntil(">"), EndsWith("</1>"));
  Client second(server->port());
  EXPECT_THAT(second.ReadAll(), StartsWith("HTTP/1.1 503 "));
  EXPECT_EQ(metrics->refused_connections, 1u);
  EXPECT_EQ(metrics->connections, 1);
  first.Send("GET /3 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(first.ReadUntil(">"), EndsWith("</3>"));
}

TEST(ServerLimits, LeaveRoomAgainWhenClientsGo) {
  RunningServer server({.max_connections = 2});
  for (int i = 0; i < 20; ++i) {
    std::string answer = "503";
    // The server notices the end of the last connection a moment later.
    while (answer.find("503") != std::string::npos) answer = server.Get("/again");
    EXPECT_THAT(answer, EndsWith("</again>"));
  }
}

TEST(ServerLimits, DoNotKeepTheServerFromStopping) {
  auto server = std::make_unique<RunningServer>();
  Client idle((*server)->port());
  Client half((*server)->port());
  half.Send("GET / HTTP/1.1\r\n");
  idle.Send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(idle.ReadUntil(">"), EndsWith("</1>"));
  server.reset();
  EXPECT_EQ(idle.ReadAll(), "");
  EXPECT_EQ(half.ReadAll(), "");
}

TEST(ServerLimits, StopAlthoughAClientDoesNotReadItsResponse) {
  auto server = std::make_unique<RunningServer>(
      HttpServerOptions{.stop_timeout = milliseconds(0)}, [](const HttpRequest&) {
        return HttpResponse{.status = 200, .body = std::string(64 << 20, 'x')};
      });
  Client client((*server)->port());
  client.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("\r\n"), StartsWith("HTTP/1.1 200"));
  server.reset();
}

TEST(ServerLimits, LetAnswersFinishBeforeStopping) {
  const std::string body(8 << 20, 'x');
  auto server = std::make_unique<RunningServer>(
      HttpServerOptions{.stop_timeout = milliseconds(60'000)},
      [&](const HttpRequest&) { return HttpResponse{.body = body}; });
  Client client((*server)->port());
  client.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  std::string answer = client.ReadUntil("\r\n");
  std::jthread stopping([&] { server.reset(); });
  answer += client.ReadAll();
  EXPECT_THAT(answer, EndsWith(body));
}

// Two responses wait for a client that reads nothing, while other clients connect and leave.
TEST(ServerLimits, KeepSlowClientsFromHarmingOthers) {
  RunningServer server({.threads = 1}, [](const HttpRequest& request) -> HttpResponse {
    if (request.target == "/alive") return {.body = "</alive>"};
    return {.body = std::string(32 << 20, 'x')};
  });
  Client slow(server->port());
  slow.ReadSlowly();
  slow.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
  Client half(server->port());
  half.Send("GET /never HTTP/1.1\r\n");
  for (int i = 0; i < 50; ++i) ExpectAlive(server);
}

}  // namespace
}  // namespace cboard::server
