// An HTTP/1.1 server: keep-alive, limits on everything a client can stretch, an orderly end.
//
//   CBOARD_ASSIGN_OR_RETURN(auto server, HttpServer::Listen({.port = 6006}, handler));
//   Print(server->port());
//   server->Run();  // Until Stop() or a signal.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "cboard/base/result.h"
#include "cboard/server/http_message.h"

namespace cboard {

struct HttpServerOptions {
  std::string host = "127.0.0.1";  // An address, or a name that has one.
  std::uint16_t port = 6006;       // 0: any that is free.
  int threads = 2;
  bool stop_on_signals = false;  // SIGINT and SIGTERM end Run().

  std::size_t max_connections = 1024;  // One more is closed at once.
  std::uint32_t max_header_bytes = 16 << 10;
  std::uint64_t max_body_bytes = 64 << 10;

  // For a whole request, so also how long an idle connection stays open.
  std::chrono::seconds read_timeout{30};
  std::chrono::seconds write_timeout{60};
  // How long Run() waits for answers that are under way when it is told to stop.
  std::chrono::seconds stop_timeout{3};
};

// Every response gets the headers that keep a browser from guessing, framing or running what it
// should not. Whether the Host header may be trusted is the handler's business (host_check.h).
class HttpServer {
 public:
  // Fails with kAlreadyExists when the port is taken, kPermissionDenied when it needs privileges,
  // kInvalidArgument when the host has no address here; the message says what to type instead.
  static Result<std::unique_ptr<HttpServer>> Listen(const HttpServerOptions& options,
                                                    HttpHandler handler);

  virtual ~HttpServer() = default;

  virtual std::uint16_t port() const = 0;

  // Serves until Stop() is called or a signal arrives. Call it once.
  virtual void Run() = 0;

  // May be called from any thread, before or during Run().
  virtual void Stop() = 0;
};

}  // namespace cboard
