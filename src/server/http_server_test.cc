#include "cboard/server/http_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "testing/matchers.h"

namespace cboard {
namespace {

using ::testing::EndsWith;
using testing::FailsSaying;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A connection of a client that minds no rules.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void Send(std::string_view text) {
    // The server may hang up before it has read everything; that is then what the test is about.
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  // Reads until `end` has come, or the connection is closed.
  std::string ReadUntil(std::string_view end) {
    std::string text;
    char byte = 0;
    while (!text.ends_with(end) && ::recv(socket_, &byte, 1, 0) == 1) text += byte;
    return text;
  }

  std::string ReadAll() {
    std::string text;
    char byte = 0;
    while (::recv(socket_, &byte, 1, 0) == 1) text += byte;
    return text;
  }

 private:
  int socket_;
};

// A server on a free port that answers with the target, between '<' and '>'.
class RunningServer {
 public:
  explicit RunningServer(HttpServerOptions options = {}, HttpHandler handler = Echo) {
    options.port = 0;
    auto listening = HttpServer::Listen(options, std::move(handler));
    EXPECT_THAT(listening, testing::Succeeds());
    server_ = *std::move(listening);
    thread_ = std::jthread([this] { server_->Run(); });
  }
  ~RunningServer() { server_->Stop(); }

  HttpServer* operator->() { return server_.get(); }

 private:
  static HttpResponse Echo(const HttpRequest& request) {
    return {.status = 200, .body = "<" + request.target + ">"};
  }

  std::unique_ptr<HttpServer> server_;
  std::jthread thread_;
};

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

TEST(HttpServer, TellsBrowsersToTrustNothingElse) {
  RunningServer server;
  Client client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string answer = client.ReadUntil(">");
  EXPECT_THAT(answer, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Security-Policy: default-src 'none'; "));
  EXPECT_THAT(answer, HasSubstr("frame-ancestors 'none'"));
}

TEST(HttpServer, RefusesGarbage) {
  RunningServer server;
  for (const char* garbage : {"\x16\x03\x01\x02\r\n\r\n", "GET\r\n\r\n", "GET / SMTP/9\r\n\r\n",
                              "GET / HTTP/1.1\r\nno colon\r\n\r\n"}) {
    Client client(server->port());
    client.Send(garbage);
    EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 400 ")) << garbage;
  }
  Client client(server->port());
  client.Send("GET /alive HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.ReadUntil(">"), EndsWith("</alive>"));
}

TEST(HttpServer, LimitsHeadersAndBodies) {
  RunningServer server;
  Client header(server->port());
  header.Send("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(20 << 10, 'x'));
  EXPECT_THAT(header.ReadUntil("\r\n"), StartsWith("HTTP/1.1 431 "));
  Client body(server->port());
  body.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n");
  EXPECT_THAT(body.ReadUntil("\r\n"), StartsWith("HTTP/1.1 413 "));
}

TEST(HttpServer, HangsUpOnClientsThatSayNothing) {
  RunningServer server({.read_timeout = std::chrono::seconds(1)});
  Client client(server->port());
  client.Send("GET / HT");
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(HttpServer, TakesNoMoreConnectionsThanAllowed) {
  RunningServer server({.max_connections = 1});
  Client first(server->port());
  first.Send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(first.ReadUntil(">"), EndsWith("</1>"));
  Client second(server->port());
  second.Send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(second.ReadAll(), "");
  first.Send("GET /3 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(first.ReadUntil(">"), EndsWith("</3>"));
}

TEST(HttpServer, StopsAlthoughConnectionsAreOpen) {
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

TEST(HttpServer, StopsAlthoughAClientDoesNotTakeItsAnswer) {
  auto server = std::make_unique<RunningServer>(
      HttpServerOptions{.stop_timeout = std::chrono::seconds(0)}, [](const HttpRequest&) {
        return HttpResponse{.status = 200, .body = std::string(64 << 20, 'x')};
      });
  Client client((*server)->port());
  client.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("\r\n"), StartsWith("HTTP/1.1 200"));
  server.reset();
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
  EXPECT_THAT(second, FailsSaying(ErrorCode::kAlreadyExists, "is in use by another program"));
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
}  // namespace cboard
