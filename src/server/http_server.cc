// The only file that includes Boost.Beast, which takes longer to compile than all the others.
// Asio 1.74 forgets to include <utility>; our own header, which comes first, brings it.
#include "cboard/server/http_server.h"

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <csignal>
#include <list>
#include <thread>
#include <utility>  // Before Asio, whose 1.74 forgets to include it.

#include "cboard/base/strings.h"

namespace cboard {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;
// One thread runs each context, so that a connection needs no locks and no strand.
using Executor = asio::io_context::executor_type;
using Response = http::response<http::string_body>;

constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

Response ToBeast(HttpResponse&& from, unsigned version, bool keep_alive, bool head) {
  Response response;
  response.version(version);
  response.result(static_cast<unsigned>(from.status));
  response.set(http::field::content_type, from.content_type);
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Content-Security-Policy", kContentSecurityPolicy.data());
  response.set("Referrer-Policy", "no-referrer");
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  response.set("Cross-Origin-Opener-Policy", "same-origin");
  response.set(http::field::cache_control, "no-cache");
  for (const auto& [name, value] : from.headers) response.set(name, value);
  response.keep_alive(keep_alive);
  if (head) {
    response.content_length(from.body.size());
  } else {
    response.body() = std::move(from.body);
    response.prepare_payload();
  }
  return response;
}

// What to answer to bytes that are not a request; 0 when there is nobody left to answer.
int StatusOfReadError(const error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) return 431;
  if (error == http::error::body_limit) return 413;
  if (error == http::error::end_of_stream || error == http::error::partial_message) return 0;
  if (error.category() == make_error_code(http::error::bad_method).category()) return 400;
  return 0;
}

HttpResponse ReadErrorResponse(int status) {
  if (status == 431)
    return ErrorResponse(431, "invalid_argument", "the request header is too long");
  if (status == 413) return ErrorResponse(413, "invalid_argument", "the request body is too long");
  return ErrorResponse(400, "invalid_argument", "this is not an HTTP request");
}

struct Connection {
  explicit Connection(tcp::socket&& socket) : stream(std::move(socket)) {}
  boost::beast::tcp_stream stream;
  bool answering = false;
};

// A thread, its context and the connections that live on it.
class Worker {
 public:
  Worker(const HttpServerOptions& options, const HttpHandler& handler,
         std::atomic<std::size_t>& connection_count)
      : options_(options), handler_(handler), connection_count_(connection_count) {}

  asio::io_context& context() { return context_; }

  void Adopt(tcp::socket socket) {
    asio::co_spawn(context_, Serve(std::move(socket)), asio::detached);
  }

  // Closes idle connections, lets the others finish their answer.
  void Stop() {
    asio::post(context_, [this] {
      stopping_ = true;
      work_.reset();
      for (Connection& connection : connections_) {
        if (!connection.answering) connection.stream.close();
      }
      deadline_.expires_after(options_.stop_timeout);
      deadline_.async_wait([this](const error_code& error) {
        if (!error) context_.stop();
      });
      if (connections_.empty()) deadline_.cancel();
    });
  }

 private:
  asio::awaitable<void> Serve(tcp::socket socket) {
    connections_.emplace_front(std::move(socket));
    const auto self = connections_.begin();
    if (!stopping_) co_await Converse(*self);
    error_code ignored;
    self->stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
    connections_.erase(self);
    --connection_count_;
    if (stopping_ && connections_.empty()) deadline_.cancel();
  }

  asio::awaitable<void> Converse(Connection& connection) {
    boost::beast::flat_buffer buffer(options_.max_header_bytes + options_.max_body_bytes);
    bool keep_alive = true;
    while (keep_alive && !stopping_) {
      http::request_parser<http::string_body> parser;
      parser.header_limit(options_.max_header_bytes);
      parser.body_limit(options_.max_body_bytes);
      error_code error;
      connection.stream.expires_after(options_.read_timeout);
      co_await http::async_read(connection.stream, buffer, parser,
                                asio::redirect_error(asio::use_awaitable, error));
      Response response;
      if (error) {
        const int status = StatusOfReadError(error);
        if (status == 0) co_return;
        keep_alive = false;
        response = ToBeast(ReadErrorResponse(status), 11, false, false);
      } else {
        const auto& request = parser.get();
        keep_alive = request.keep_alive() && !stopping_;
        response = ToBeast(Answer(request), request.version(), keep_alive,
                           request.method() == http::verb::head);
      }
      connection.answering = true;
      connection.stream.expires_after(options_.write_timeout);
      http::response_serializer<http::string_body> serializer(response);
      // The answer to HEAD has the length of a body that is not sent.
      serializer.split(parser.get().method() == http::verb::head);
      if (parser.get().method() == http::verb::head) {
        co_await http::async_write_header(connection.stream, serializer,
                                          asio::redirect_error(asio::use_awaitable, error));
      } else {
        co_await http::async_write(connection.stream, serializer,
                                   asio::redirect_error(asio::use_awaitable, error));
      }
      connection.answering = false;
      if (error) co_return;
    }
  }

  HttpResponse Answer(const http::request<http::string_body>& request) {
    const auto text = [](auto view) { return std::string(view.data(), view.size()); };
    try {
      return handler_({.method = text(request.method_string()),
                       .target = text(request.target()),
                       .host = text(request[http::field::host])});
    } catch (const std::exception& error) {  // Out of memory; the next request may fit.
      return ErrorResponse(500, "internal", error.what());
    }
  }

  const HttpServerOptions& options_;
  const HttpHandler& handler_;
  std::atomic<std::size_t>& connection_count_;
  asio::io_context context_{1};
  asio::executor_work_guard<Executor> work_{context_.get_executor()};
  asio::steady_timer deadline_{context_};
  std::list<Connection> connections_;
  bool stopping_ = false;
};

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpServerOptions& options, HttpHandler handler)
      : options_(options), handler_(std::move(handler)), workers_(MakeWorkers()) {}

  Result<void> Open() {
    error_code error;
    tcp::resolver resolver(context());
    const auto addresses = resolver.resolve(options_.host, std::to_string(options_.port),
                                            tcp::resolver::passive, error);
    if (error || addresses.empty()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "host " + Quoted(options_.host) + " has no address: " + error.message());
    }
    const tcp::endpoint endpoint = *addresses.begin();
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return Fail(ListenError(error));
    port_ = acceptor_.local_endpoint().port();
    if (options_.stop_on_signals) {
      signals_.add(SIGINT);
      signals_.add(SIGTERM);
      signals_.async_wait([this](const error_code& failed, int) {
        if (!failed) Stop();
      });
    }
    return {};
  }

  std::uint16_t port() const override { return port_; }

  void Run() override {
    asio::co_spawn(context(), Accept(), asio::detached);
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      threads.emplace_back([this, i] { workers_[i]->context().run(); });
    }
    context().run();
  }

  void Stop() override {
    asio::post(context(), [this] {
      if (std::exchange(stopped_, true)) return;
      error_code ignored;
      acceptor_.close(ignored);
      signals_.cancel(ignored);
      retry_.cancel();
      for (const auto& worker : workers_) worker->Stop();
    });
  }

 private:
  std::vector<std::unique_ptr<Worker>> MakeWorkers() {
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < std::max(options_.threads, 1); ++i) {
      workers.push_back(std::make_unique<Worker>(options_, handler_, connection_count_));
    }
    return workers;
  }

  asio::io_context& context() { return workers_.front()->context(); }

  Error ListenError(const error_code& error) const {
    const std::string place = options_.host + " port " + std::to_string(options_.port);
    if (error == asio::error::address_in_use) {
      return {ErrorCode::kAlreadyExists,
              place + " is in use by another program; choose another with --port " +
                  std::to_string(options_.port == 65535 ? 6006 : options_.port + 1) +
                  ", or let --port 0 find a free one"};
    }
    if (error == asio::error::access_denied) {
      return {ErrorCode::kPermissionDenied,
              place + " needs privileges; choose a port above 1023, for example --port 6006"};
    }
    return {ErrorCode::kInvalidArgument, "cannot listen on " + place + ": " + error.message() +
                                             "; --host takes an address of this machine"};
  }

  asio::awaitable<void> Accept() {
    for (std::size_t next = 0; acceptor_.is_open(); next = (next + 1) % workers_.size()) {
      error_code error;
      tcp::socket socket(workers_[next]->context());
      co_await acceptor_.async_accept(socket, asio::redirect_error(asio::use_awaitable, error));
      if (error == asio::error::operation_aborted) co_return;
      if (error) {  // Out of descriptors, for example: some will come back.
        retry_.expires_after(std::chrono::milliseconds(50));
        co_await retry_.async_wait(asio::redirect_error(asio::use_awaitable, error));
        continue;
      }
      if (connection_count_ >= options_.max_connections) continue;  // The socket closes itself.
      ++connection_count_;
      socket.set_option(tcp::no_delay(true), error);
      workers_[next]->Adopt(std::move(socket));
    }
  }

  const HttpServerOptions options_;
  const HttpHandler handler_;
  std::atomic<std::size_t> connection_count_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;  // The first one also accepts.
  tcp::acceptor acceptor_{context()};
  asio::steady_timer retry_{context()};
  asio::signal_set signals_{context()};
  std::uint16_t port_ = 0;
  bool stopped_ = false;  // Used on the first context only.
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Listen(const HttpServerOptions& options,
                                                       HttpHandler handler) {
  auto server = std::make_unique<BeastServer>(options, std::move(handler));
  CBOARD_RETURN_IF_ERROR(server->Open());
  return server;
}

}  // namespace cboard
