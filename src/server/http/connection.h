// One client connection: reads requests, runs their handlers and sends the responses.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "cboard/server/http_server.h"
#include "server/http/coroutine.h"
#include "server/http/response_builder.h"
#include "server/http/transport.h"
#include "server/http/unsent_bytes.h"

namespace cboard::server {
class RequestReader;
}

namespace cboard::server::net {

// The state that all threads of a server share: options, handler, counters.
struct Shared {
  Shared(const HttpServerOptions& given, HttpHandler handler_given)
      : options(given), handler(std::move(handler_given)), unsent(given.max_unsent_bytes) {
    if (!options.metrics) options.metrics = std::make_shared<ServerMetrics>();
  }

  HttpServerOptions options;  // With metrics.
  const HttpHandler handler;
  std::shared_ptr<TlsContext> tls;
  std::atomic<std::size_t> connection_count = 0;
  UnsentBytes unsent;
  asio::thread_pool slow_work{2};  // For HttpResponse::later.
};

class Connection;

// State that all connections of one thread share.
struct Lane {
  explicit Lane(Shared& given) : shared(given) {}

  // Calls `wake` soon on the thread of this lane. May be called from any thread. The lane handles
  // only a few wake calls at a time, and serves requests in between.
  void WakeSoon(std::function<void()> wake);

  Shared& shared;
  std::list<Connection*> connections;
  // Read buffer of all connections of a lane. One buffer is enough, because the bytes are passed to
  // the connection's parser immediately.
  std::array<char, 16 << 10> scratch;
  bool stopping = false;

  std::mutex wakes_mutex;
  std::deque<std::function<void()>> wakes;  // Guarded by wakes_mutex, like is_waking.
  bool is_waking = false;                   // True while WakeSome runs.

  asio::io_context context{1};  // Destroyed first, with the connections that still wait.

 private:
  void WakeSome();
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Lane& lane, Socket socket, std::string client);
  ~Connection();

  // Handles the connection until it ends. The coroutine keeps the object alive.
  static Awaitable<void> Converse(std::shared_ptr<Connection> connection);

  // Closes the connection if it has waited too long.
  void CheckDeadline(SteadyClock::time_point now);

  // Ends the connection when the server stops, unless a response is being sent.
  void Stop();

  void Close();

 private:
  enum class Phase { kWaiting, kReading, kResponding, kStreaming, kLeaving };

  Awaitable<void> Converse();
  Awaitable<bool> RespondToOne();
  Awaitable<int> ReadRequest(RequestReader& request);
  Awaitable<void> InvalidArgument(int status);
  static HttpResponse TooMuchUnread();
  void NoteSent();
  Awaitable<HttpResponse> CallHandler(const HttpRequest& request);
  Awaitable<PreparedResponse> Prepare(const HttpRequest& request, HttpResponse response,
                                      ConnectionState state);
  Awaitable<std::uint64_t> Send(const PreparedResponse& prepared, error_code& error);
  Awaitable<std::uint64_t> SendText(std::string_view head, std::string_view body,
                                    error_code& error);
  Awaitable<std::uint64_t> Stream(EventStream& events, error_code& error);
  Awaitable<void> Leave();

  struct Watch;
  static Awaitable<void> WatchForDisconnect(std::shared_ptr<Connection> self,
                                            std::shared_ptr<Watch> watch);

  template <typename Work>
  Awaitable<void> InBackground(Work work);

  void Enter(Phase phase, std::chrono::milliseconds at_most);
  void Report(const HttpRequest& request, std::string_view route, int status, std::uint64_t sent,
              SteadyClock::time_point started);

  const HttpServerOptions& options() const { return lane_.shared.options; }

  Lane& lane_;
  std::list<Connection*>::iterator place_;  // In lane_.connections.
  std::unique_ptr<Transport> transport_;
  std::string client_;
  std::string pending_;  // Bytes after the last request; they belong to the next one.
  SteadyClock::time_point deadline_ = SteadyClock::time_point::max();
  Phase phase_ = Phase::kWaiting;
  bool expired_ = false;
  bool refused_ = false;  // True if the client may send more bytes, which are not read.
};

}  // namespace cboard::server::net
