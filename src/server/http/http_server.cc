#include "cboard/server/http_server.h"

#include <utility>  // Must precede Asio 1.74, which does not include it.
// This comment separates two blocks, so that clang-format does not sort them together.
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <thread>

#include "cboard/base/strings.h"
#include "server/http/connection.h"
#include "server/http/coroutine.h"
#include "server/http/port_holder.h"

namespace cboard::server {
namespace net {
namespace {

using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
using Resolver = asio::ip::basic_resolver<tcp, Executor>;
using Signals = asio::basic_signal_set<Executor>;

// A thread with its connections.
class Worker {
 public:
  explicit Worker(Shared& shared)
      : options_(shared.options), lane_(shared), tick_every_(TickOf(shared.options)) {}

  asio::io_context& context() { return lane_.context; }

  // Adds a connection that was already counted; may be called from any thread.
  void Adopt(Socket socket, std::string client) {
    // The lambda owns the socket until the connection is created.
    asio::post(lane_.context,
               [this, socket = std::move(socket), client = std::move(client)]() mutable {
                 const auto connection =
                     std::make_shared<Connection>(lane_, std::move(socket), std::move(client));
                 asio::co_spawn(lane_.context, Connection::Converse(connection), asio::detached);
                 if (!std::exchange(ticking_, true)) Tick();
               });
  }

  void Stop() {
    asio::post(lane_.context, [this] {
      lane_.stopping = true;
      work_.reset();
      // Closing does not remove a connection from the list immediately, so the list does not change
      // during this loop.
      for (Connection* const connection : lane_.connections) connection->Stop();
      deadline_.expires_after(options_.stop_timeout);
      deadline_.async_wait([this](const error_code& error) {
        if (!error) lane_.context.stop();
      });
      if (lane_.connections.empty()) deadline_.cancel();
      ticking_ = true;
      Tick();
    });
  }

 private:
  // Returns the timer interval: a quarter of the shortest timeout, so that each timeout is exceeded
  // by at most a quarter.
  static std::chrono::milliseconds TickOf(const HttpServerOptions& options) {
    const auto shortest =
        std::min({options.request_timeout, options.idle_timeout, options.write_timeout});
    return std::clamp(shortest / 4, std::chrono::milliseconds(10), std::chrono::milliseconds(500));
  }

  // One timer checks all connections: a timer per connection would cost more than checking all of
  // them twice a second.
  void Tick() {
    const SteadyClock::time_point now = SteadyClock::now();
    for (Connection* const connection : lane_.connections) connection->CheckDeadline(now);
    if (lane_.connections.empty()) {
      ticking_ = false;
      tick_.cancel();
      if (lane_.stopping) deadline_.cancel();
      return;
    }
    tick_.expires_after(lane_.stopping ? std::chrono::milliseconds(10) : tick_every_);
    tick_.async_wait([this](const error_code& error) {
      if (!error) Tick();
    });
  }

  const HttpServerOptions& options_;
  Lane lane_;
  const std::chrono::milliseconds tick_every_;
  bool ticking_ = false;
  asio::executor_work_guard<Executor> work_{lane_.context.get_executor()};
  Timer deadline_{lane_.context};
  Timer tick_{lane_.context};
};

class Server final : public HttpServer {
 public:
  Server(const HttpServerOptions& options, HttpHandler handler)
      : shared_(options, std::move(handler)), workers_(MakeWorkers(shared_)) {}

  ~Server() override {
    // The worker threads are stopped first, because their tasks refer to connections.
    shared_.slow_work.join();
  }

  Result<void> Open() {
    if (options().tls) {
      CBOARD_ASSIGN_OR_RETURN(shared_.tls, LoadTls(*options().tls));
    }
    error_code error;
    const auto found = Resolver(context()).resolve(options().host, std::to_string(options().port),
                                                   tcp::resolver::passive, error);
    if (error || found.empty()) {
      return Fail(ErrorCode::kInvalidArgument, "the name of the host cannot be resolved: " +
                                                   Quoted(options().host) + ": " + error.message());
    }
    std::optional<Error> failed;
    for (const auto& entry : found) {
      tcp::endpoint endpoint = entry.endpoint();
      if (port_ != 0) endpoint.port(port_);  // The port that the first address received.
      if (auto listening = ListenAt(endpoint); !listening) failed = listening.error();
    }
    // Listening on one address is enough: the name of a host may have addresses that this machine
    // does not have. But the port must be free on all addresses, because two programs on one port
    // would be confusing.
    if (acceptors_.empty() || (failed && failed->code == ErrorCode::kAlreadyExists)) {
      return Fail(*std::move(failed));
    }
    if (options().stop_on_signals) {
      signals_.add(SIGINT);
      signals_.add(SIGTERM);
      signals_.async_wait([this](const error_code& ignored, int) {
        if (!ignored) Stop();
      });
    }
    return {};
  }

  std::uint16_t port() const override { return port_; }

  void Run() override {
    for (const auto& acceptor : acceptors_) {
      asio::co_spawn(context(), Accept(*acceptor), asio::detached);
    }
    std::vector<std::jthread> threads;
    try {
      for (const auto& worker : workers_) {
        threads.emplace_back([&context = worker->context()] {
          // Ignores SIGPIPE: sending a file to a disconnected client would otherwise end the
          // program.
          sigset_t pipe;
          ::sigemptyset(&pipe);
          ::sigaddset(&pipe, SIGPIPE);
          ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
          context.run();
        });
      }
    } catch (const std::exception&) {  // The system cannot create more threads.
      for (const auto& worker : workers_) worker->context().stop();
      throw;
    }
  }

  void Stop() override {
    asio::post(context(), [this] {
      if (std::exchange(stopped_, true)) return;
      error_code ignored;
      for (const auto& acceptor : acceptors_) acceptor->close(ignored);
      signals_.cancel(ignored);
      retry_.cancel();
      for (const auto& worker : workers_) worker->Stop();
    });
  }

 private:
  static std::vector<std::unique_ptr<Worker>> MakeWorkers(Shared& shared) {
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < std::max(shared.options.threads, 1); ++i) {
      workers.push_back(std::make_unique<Worker>(shared));
    }
    return workers;
  }

  const HttpServerOptions& options() const { return shared_.options; }
  asio::io_context& context() { return workers_.front()->context(); }

  Result<void> ListenAt(const tcp::endpoint& endpoint) {
    error_code error;
    auto acceptor = std::make_unique<Acceptor>(context());
    acceptor->open(endpoint.protocol(), error);
    if (!error) acceptor->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error && endpoint.address().is_v6()) {
      // "::" accepts IPv4 as well; any other address accepts only itself.
      const bool only_v6 = !endpoint.address().is_unspecified();
      acceptor->set_option(asio::ip::v6_only(only_v6), error);
    }
    if (!error) acceptor->bind(endpoint, error);
    if (!error) acceptor->listen(4096, error);
    if (error) return Fail(ListenError(error));
    port_ = acceptor->local_endpoint().port();
    acceptors_.push_back(std::move(acceptor));
    return {};
  }

  Error ListenError(const error_code& error) const {
    const std::string place = options().host + " port " + std::to_string(options().port);
    if (error == asio::error::address_in_use) {
      const std::string holder = DescribePortOwner(options().port);
      return {ErrorCode::kAlreadyExists,
              place + " is in use by " + (holder.empty() ? "another program" : holder) +
                  "; choose another with --port " +
                  std::to_string(options().port == 65535 ? 6006 : options().port + 1) +
                  ", or let --port 0 find a free one"};
    }
    if (error == asio::error::access_denied) {
      return {ErrorCode::kPermissionDenied,
              place + " needs privileges; choose a port above 1023, for example --port 6006"};
    }
    return {ErrorCode::kInvalidArgument, "cannot listen on " + place + ": " + error.message() +
                                             "; --host takes an address of this machine"};
  }

  Awaitable<void> Accept(Acceptor& acceptor) {
    while (acceptor.is_open()) {
      error_code error;
      Worker& worker = *workers_[next_worker_];
      next_worker_ = (next_worker_ + 1) % workers_.size();
      Socket socket(worker.context());
      tcp::endpoint peer;
      co_await acceptor.async_accept(socket, peer, To(error));
      if (error == asio::error::operation_aborted) co_return;
      if (error) {  // Out of file descriptors, for example: tries again later.
        retry_.expires_after(std::chrono::milliseconds(50));
        co_await retry_.async_wait(To(error));
        continue;
      }
      if (shared_.connection_count >= options().max_connections) {
        InvalidArgument(socket);
        continue;
      }
      ++shared_.connection_count;
      socket.set_option(tcp::no_delay(true), error);
      worker.Adopt(std::move(socket), NameOf(peer.address()));
    }
  }

  // Refuses a connection with HTTP 503. With TLS, sends no response: a handshake would cost too
  // much while the server is overloaded.
  void InvalidArgument(Socket& socket) {
    ++options().metrics->refused_connections;
    if (options().tls) return;
    const PreparedResponse prepared = PrepareResponse(
        {}, ErrorResponse(503, "resource_exhausted", "too many connections; try again later"),
        {.keep_alive = false});
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(prepared.head + std::string(prepared.body())), ignored);
    socket.shutdown(tcp::socket::shutdown_send, ignored);
    // Reads the client's bytes first: closing with unread bytes would reset the connection.
    std::array<char, 4096> unread;
    socket.read_some(asio::buffer(unread), ignored);
  }

  static std::string NameOf(const asio::ip::address& address) {
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
      return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
    }
    return address.to_string();
  }

  Shared shared_;
  std::vector<std::unique_ptr<Worker>> workers_;  // The first worker also accepts connections.
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
  Timer retry_{context()};
  Signals signals_{context()};
  std::size_t next_worker_ = 0;
  std::uint16_t port_ = 0;
  bool stopped_ = false;  // Used only on the first worker's context.
};

}  // namespace
}  // namespace net

Result<std::unique_ptr<HttpServer>> HttpServer::Listen(const HttpServerOptions& options,
                                                       HttpHandler handler) {
  auto server = std::make_unique<net::Server>(options, std::move(handler));
  CBOARD_RETURN_IF_ERROR(server->Open());
  return server;
}

}  // namespace cboard::server
