// A client that may break the rules of HTTP, and a server for it.
#pragma once

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "cboard/server/http_server.h"
#include "testing/matchers.h"

namespace cboard::testing {

// A connection of a client that may break the rules of HTTP.
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
    // The server may close the connection before it has read everything; the test checks this case.
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  // Sets a small window, so that the server soon has to wait for this client.
  void ReadSlowly() {
    const int size = 32 << 10;
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
  }

  // Reads until `end` has arrived, or the connection is closed.
  std::string ReadUntil(std::string_view end) {
    for (std::size_t from = 0;;) {
      const std::size_t at = unread_.find(end, from);
      from = unread_.size() > end.size() ? unread_.size() - end.size() : 0;
      if (at != std::string::npos || !Receive()) {
        const std::size_t size = at == std::string::npos ? unread_.size() : at + end.size();
        std::string text = unread_.substr(0, size);
        unread_.erase(0, size);
        return text;
      }
    }
  }

  std::string ReadAll() {
    while (Receive()) {
    }
    return std::exchange(unread_, {});
  }

  int descriptor() const { return socket_; }

 private:
  bool Receive() {
    std::array<char, 64 << 10> bytes;
    const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (size > 0) unread_.append(bytes.data(), static_cast<std::size_t>(size));
    return size > 0;
  }

  std::string unread_;
  int socket_;
};

// A server on a free port whose response is the request target between '<' and '>'.
class RunningServer {
 public:
  explicit RunningServer(server::HttpServerOptions options = {},
                         server::HttpHandler handler = Echo) {
    options.port = 0;
    auto listening = server::HttpServer::Listen(options, std::move(handler));
    EXPECT_THAT(listening, Succeeds());
    server_ = *std::move(listening);
    thread_ = std::jthread([this] { server_->Run(); });
  }
  ~RunningServer() { server_->Stop(); }

  server::HttpServer* operator->() { return server_.get(); }

  // Returns the response to one request on a new connection.
  std::string Get(const std::string& target, const std::string& headers = {},
                  const std::string& method = "GET") {
    Client client(server_->port());
    client.Send(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                headers + "\r\n");
    return client.ReadAll();
  }

 private:
  static server::HttpResponse Echo(const server::HttpRequest& request) {
    return {.status = 200, .body = "<" + request.target + ">"};
  }

  std::unique_ptr<server::HttpServer> server_;
  std::jthread thread_;
};

}  // namespace cboard::testing
