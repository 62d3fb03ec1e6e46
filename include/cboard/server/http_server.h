// An HTTP/1.1 server with keep-alive, event streams, TLS, limits on all resources that a client can
// use, and a graceful stop.
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

// Describes a response that was sent or aborted.
struct ResponseRecord {
  std::string_view client, method, target, user_agent, route;
  int status = 0;
  std::uint64_t sent_bytes = 0;
  std::chrono::nanoseconds took{0};
};

struct TlsFiles {
  std::filesystem::path certificate;  // PEM file with the certificate chain.
  std::filesystem::path key;          // PEM file with the private key.
};

struct HttpServerOptions {
  std::string host =
      "127.0.0.1";            // IP address, or a name with all its addresses. "::": all interfaces.
  std::uint16_t port = 6006;  // 0: any free port.
  int threads = 2;
  bool stop_on_signals = false;      // SIGINT and SIGTERM end Run().
  std::optional<TlsFiles> tls = {};  // If set: HTTPS only, TLS 1.2 or newer.

  // Origins whose pages may embed the board in a frame, separated by spaces, as in the directive
  // frame-ancestors of a content security policy. If it is empty, no origin may embed the board.
  std::string frame_ancestors = {};

  std::size_t max_connections = 1024;         // Further clients get HTTP 503.
  std::uint32_t max_target_bytes = 8 << 10;   // Longer targets get HTTP 414.
  std::uint32_t max_header_bytes = 16 << 10;  // Larger headers get HTTP 431.
  std::uint64_t max_body_bytes = 1 << 20;     // Larger bodies get HTTP 413.

  // Limit for the unsent bytes of responses to all clients. Above it, long responses are replaced
  // by HTTP 503.
  std::size_t max_unsent_bytes = std::size_t{256} << 20;

  // Maximum time between the first byte of a request and its last; then the client gets HTTP 408.
  std::chrono::milliseconds request_timeout{30'000};
  std::chrono::milliseconds idle_timeout{120'000};  // Maximum time between requests.
  // Maximum time for a client to read 256 KiB of a response.
  std::chrono::milliseconds write_timeout{60'000};
  std::chrono::milliseconds heartbeat{15'000};  // Interval of keep-alive comments in event streams.
  // Maximum time that Run() waits for current responses after a stop.
  std::chrono::milliseconds stop_timeout{3'000};

  std::shared_ptr<ServerMetrics> metrics = {};
  // A function that is called after every response. Several threads may call it at the same time.
  std::function<void(const ResponseRecord&)> on_response = {};
};

// The HTTP server. An idle connection takes a few hundred bytes; its buffers exist only during a
// request. The handler decides whether a request is permitted (access.h).
class HttpServer {
 public:
  // Starts to listen for HTTP connections. Fails with kAlreadyExists if the port is used (the error
  // names the process if it is known), kPermissionDenied if the port needs privileges,
  // kInvalidArgument if the host has no address on this machine or the TLS files do not match. The
  // error says what to do.
  static Result<std::unique_ptr<HttpServer>> Listen(const HttpServerOptions& options,
                                                    HttpHandler handler);

  virtual ~HttpServer() = default;

  virtual std::uint16_t port() const = 0;

  // Serves requests until Stop() is called or a signal arrives. Must be called only once.
  virtual void Run() = 0;

  // Stops Run(). May be called from any thread, before or during Run(). Closes idle connections and
  // event streams, and finishes current responses.
  virtual void Stop() = 0;
};

}  // namespace cboard::server
