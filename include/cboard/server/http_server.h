// An HTTP/1.1 server: keep-alive, event streams, TLS, limits on everything a client can stretch, an
// orderly end.
//
//   CBOARD_ASSIGN_OR_RETURN(auto server, HttpServer::Listen({.port = 6006}, handler));
//   Print(server->port());
//   server->Run();  // Until Stop() or a signal.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/server/http_message.h"
#include "cboard/server/server_metrics.h"

namespace cboard::server {

// An answer that has been sent, or given up on.
struct ResponseRecord {
  std::string_view client, method, target, user_agent, route;
  int status = 0;
  std::uint64_t sent_bytes = 0;
  std::chrono::nanoseconds took{0};
};

struct TlsFiles {
  std::filesystem::path certificate;  // PEM, with the chain.
  std::filesystem::path key;          // PEM.
};

struct HttpServerOptions {
  std::string host =
      "127.0.0.1";            // An address, or a name: then all its addresses. "::": everything.
  std::uint16_t port = 6006;  // 0: any that is free.
  int threads = 2;
  bool stop_on_signals = false;      // SIGINT and SIGTERM end Run().
  std::optional<TlsFiles> tls = {};  // Given: HTTPS only, TLS 1.2 or newer.

  // Origins whose pages may show ours in a frame, separated by spaces, as in the directive
  // frame-ancestors of a content security policy. Empty: none.
  std::string frame_ancestors = {};

  std::size_t max_connections = 1024;         // Further clients get HTTP 503.
  std::uint32_t max_target_bytes = 8 << 10;   // More: 414.
  std::uint32_t max_header_bytes = 16 << 10;  // More: 431.
  std::uint64_t max_body_bytes = 1 << 20;     // More: 413.

  // Limit for unsent responses of all clients. Above it, a long response is a 503.
  std::size_t max_unsent_bytes = std::size_t{256} << 20;

  std::chrono::milliseconds request_timeout{30'000};  // From its first byte to its last. Then 408.
  std::chrono::milliseconds idle_timeout{120'000};    // Between requests.
  std::chrono::milliseconds write_timeout{60'000};    // For every 256 KiB that the client takes.
  std::chrono::milliseconds heartbeat{15'000};  // Interval of keep-alive comments in event streams.
  // How long Run() waits for answers that are under way when it is told to stop.
  std::chrono::milliseconds stop_timeout{3'000};

  std::shared_ptr<ServerMetrics> metrics = {};
  // Called after every answer, from several threads at once.
  std::function<void(const ResponseRecord&)> on_response = {};
};

// A connection that waits costs a few hundred bytes; its buffers exist while a request does.
// Whether a request may be answered at all is the handler's business (access.h).
class HttpServer {
 public:
  // Fails with kAlreadyExists when the port is taken (the message names the process that has it, if
  // it can be seen), kPermissionDenied when it needs privileges, kInvalidArgument when the host has
  // no address here or the TLS files do not fit; the message says what to do instead.
  static Result<std::unique_ptr<HttpServer>> Listen(const HttpServerOptions& options,
                                                    HttpHandler handler);

  virtual ~HttpServer() = default;

  virtual std::uint16_t port() const = 0;

  // Serves until Stop() is called or a signal arrives. Call it once.
  virtual void Run() = 0;

  // May be called from any thread, before or during Run(). Closes idle connections and event
  // streams, lets answers that are under way finish.
  virtual void Stop() = 0;
};

}  // namespace cboard::server
