#include "server/http/connection.h"

#include <malloc.h>

#include <vector>

#include "cboard/server/event_hub.h"
#include "server/http/request_reader.h"

namespace cboard::server::net {
namespace {

constexpr int kWhole = 0;  // The request was read completely.
constexpr int kGone = -1;  // The client is gone; no response is possible.

RequestLimits LimitsOf(const HttpServerOptions& options) {
  return {.max_target_bytes = options.max_target_bytes,
          .max_header_bytes = options.max_header_bytes,
          .max_body_bytes = options.max_body_bytes};
}

std::string_view ErrorTextOf(int status) {
  switch (status) {
    case 408:
      return "the request took too long to arrive";
    case 413:
      return "the request body is too long";
    case 414:
      return "the address is too long";
    case 431:
      return "the request header is too long";
    default:
      return "this is not an HTTP request";
  }
}

}  // namespace

void Lane::WakeSoon(std::function<void()> wake) {
  {
    const std::scoped_lock lock(wakes_mutex);
    wakes.push_back(std::move(wake));
    if (std::exchange(is_waking, true)) return;
  }
  asio::post(context, [this] { WakeSome(); });
}

void Lane::WakeSome() {
  constexpr std::size_t kMaxWakes = 16;
  std::vector<std::function<void()>> some;
  {
    const std::scoped_lock lock(wakes_mutex);
    for (; !wakes.empty() && some.size() < kMaxWakes; wakes.pop_front()) {
      some.push_back(std::move(wakes.front()));
    }
    if (some.empty()) {
      is_waking = false;
      return;
    }
  }
  for (const std::function<void()>& wake : some) wake();
  // Wakes the remaining streams later, after the woken connections and the requests that arrived in
  // the meantime.
  asio::post(context, [this] { WakeSome(); });
}

// Wakes an event stream, because there is data to send or the connection ends.
struct Connection::Watch {
  explicit Watch(asio::io_context& context) : timer(context) {}

  void Wake() {
    woken = true;
    timer.cancel();
  }

  Timer timer;
  bool woken = false;
  bool gone = false;
};

Connection::Connection(Lane& lane, Socket socket, std::string client)
    : lane_(lane),
      place_(lane.connections.insert(lane.connections.begin(), this)),
      transport_(MakeTransport(std::move(socket), lane.shared.tls)),
      client_(std::move(client)) {
  ++options().metrics->connections;
}

Connection::~Connection() {
  lane_.connections.erase(place_);
  --lane_.shared.connection_count;
  --options().metrics->connections;
}

void Connection::Enter(Phase phase, std::chrono::milliseconds at_most) {
  phase_ = phase;
  deadline_ = at_most == std::chrono::milliseconds::max() ? SteadyClock::time_point::max()
                                                          : SteadyClock::now() + at_most;
}

Awaitable<void> Connection::Converse(std::shared_ptr<Connection> connection) {
  co_await connection->Converse();
}

Awaitable<void> Connection::Converse() {
  error_code error;
  if (transport_->secure()) {
    Enter(Phase::kWaiting, options().request_timeout);
    co_await transport_->Handshake(error);
  }
  bool goes_on = !error;
  while (goes_on && !lane_.stopping) {
    if (pending_.empty()) {
      pending_.shrink_to_fit();
      Enter(Phase::kWaiting, options().idle_timeout);
      co_await transport_->WaitReadable(error);
      if (error) break;
    }
    // The coroutine frame holds the state that a connection needs only during a request.
    goes_on = co_await RespondToOne();
  }
  if (!error) co_await Leave();
}

Awaitable<bool> Connection::RespondToOne() {
  RequestReader parsed(LimitsOf(options()));
  const int status = co_await ReadRequest(parsed);
  if (status == kGone) co_return false;
  const SteadyClock::time_point started = SteadyClock::now();
  if (status != kWhole) {
    co_await InvalidArgument(status);
    co_return false;
  }
  Enter(Phase::kResponding, std::chrono::milliseconds::max());
  HttpRequest request = parsed.Message();
  request.client = client_;
  request.secure = transport_->secure();
  HttpResponse response = co_await CallHandler(request);
  const std::string_view route = response.route;
  const std::shared_ptr<EventStream> events = response.events;
  ConnectionState state = parsed.state();
  state.frame_ancestors = options().frame_ancestors;
  // An event stream has no content length: it ends when the connection closes.
  if (events || lane_.stopping) state.keep_alive = false;
  error_code error;
  std::uint64_t sent = 0;
  int sent_status = 0;
  {
    PreparedResponse prepared = co_await Prepare(request, std::move(response), state);
    UnsentBytes& unsent = lane_.shared.unsent;
    const std::optional<UnsentBytes::Share> share =
        unsent.Reserve(prepared.body().data(), prepared.body().size());
    if (!share) prepared = PrepareResponse(request, TooMuchUnread(), state);
    options().metrics->unsent_bytes = unsent.total_bytes();
    sent_status = prepared.status;
    sent = co_await Send(prepared, error);
  }
  NoteSent();
  if (!error && events && request.method != "HEAD") sent += co_await Stream(*events, error);
  Report(request, route, sent_status, sent, started);
  co_return !error && state.keep_alive;
}

HttpResponse Connection::TooMuchUnread() {
  HttpResponse response = ErrorResponse(
      503, "resource_exhausted",
      "clients have not read long answers that are ready for them; try again in a while");
  response.headers.emplace_back("Retry-After", "10");
  return response;
}

void Connection::NoteSent() {
  options().metrics->unsent_bytes = lane_.shared.unsent.total_bytes();
#if defined(__GLIBC__)
  if (lane_.shared.unsent.TakeCrowdIsGone()) {
    asio::post(lane_.shared.slow_work, [] { ::malloc_trim(0); });
  }
#endif
}

Awaitable<int> Connection::ReadRequest(RequestReader& request) {
  error_code error;
  if (!pending_.empty()) {
    Enter(Phase::kReading, options().request_timeout);
    pending_.erase(0, request.Take(pending_));
  }
  while (!request.done() && request.refused() == kWhole) {
    if (request.WantsContinue()) {
      co_await SendText("HTTP/1.1 100 Continue\r\n\r\n", {}, error);
      if (error) co_return kGone;
      Enter(Phase::kReading, options().request_timeout);
    }
    const std::size_t size = co_await transport_->Read(asio::buffer(lane_.scratch), error);
    if (error && expired_) co_return 408;
    if (error) co_return kGone;
    if (phase_ == Phase::kWaiting) Enter(Phase::kReading, options().request_timeout);
    const std::string_view bytes(lane_.scratch.data(), size);
    if (pending_.empty()) {
      pending_ = bytes.substr(request.Take(bytes));
    } else {
      pending_ += bytes;
      pending_.erase(0, request.Take(pending_));
    }
  }
  co_return request.refused();
}

Awaitable<void> Connection::InvalidArgument(int status) {
  const SteadyClock::time_point started = SteadyClock::now();
  refused_ = true;
  expired_ = false;
  error_code error;
  const HttpRequest nothing{.method = "", .target = ""};
  const PreparedResponse prepared =
      PrepareResponse(nothing, ErrorResponse(status, "invalid_argument", ErrorTextOf(status)),
                      {.keep_alive = false});
  const std::uint64_t sent = co_await Send(prepared, error);
  Report(nothing, "refused", status, sent, started);
}

template <typename Work>
Awaitable<void> Connection::InBackground(Work work) {
  // Waits with a timer that never expires; the other thread cancels it when the response is ready.
  // The timer cannot be cancelled too early: the other thread posts the cancellation to this
  // thread, where it runs only after this coroutine has begun to wait.
  Timer done(lane_.context, SteadyClock::time_point::max());
  asio::post(lane_.shared.slow_work, [this, &done, &work] {
    work();
    asio::post(lane_.context, [&done] { done.cancel(); });
  });
  error_code ignored;
  co_await done.async_wait(To(ignored));
}

Awaitable<HttpResponse> Connection::CallHandler(const HttpRequest& request) {
  const auto guarded = [](const auto& call) -> HttpResponse {
    try {
      return call();
    } catch (const std::exception& error) {
      // The handler failed, for example because memory is exhausted. The next request may succeed.
      return ErrorResponse(500, "internal", error.what());
    }
  };
  HttpResponse response = guarded([&] { return lane_.shared.handler(request); });
  if (response.later) {
    const std::function<HttpResponse()> later = std::move(response.later);
    co_await InBackground([&] { response = guarded(later); });
  }
  co_return response;
}

Awaitable<PreparedResponse> Connection::Prepare(const HttpRequest& request, HttpResponse response,
                                                ConnectionState state) {
  if (!IsSlowToPrepare(request, response)) {
    co_return PrepareResponse(request, std::move(response), state);
  }
  PreparedResponse prepared;
  co_await InBackground([&] { prepared = PrepareResponse(request, std::move(response), state); });
  co_return prepared;
}

Awaitable<std::uint64_t> Connection::Send(const PreparedResponse& prepared, error_code& error) {
  std::uint64_t sent = co_await SendText(prepared.head, prepared.body(), error);
  if (error || !prepared.file) co_return sent;
  for (FileSlice rest = *prepared.file; rest.length > 0;) {
    Enter(Phase::kResponding, options().write_timeout);
    const std::size_t size = co_await transport_->Send(rest, error);
    if (error) break;
    sent += size;
    rest.offset += size;
    rest.length -= size;
  }
  co_return sent;
}

Awaitable<std::uint64_t> Connection::SendText(std::string_view head, std::string_view body,
                                              error_code& error) {
  constexpr std::uint64_t kDeadlineBytes = 256 << 10;
  std::uint64_t sent = 0, sent_at_deadline = 0;
  Enter(phase_ == Phase::kStreaming ? phase_ : Phase::kResponding, options().write_timeout);
  while (!head.empty() || !body.empty()) {
    const std::size_t size = co_await transport_->Write(head, body, error);
    if (error) break;
    sent += size;
    const std::size_t of_head = std::min(size, head.size());
    head.remove_prefix(of_head);
    body.remove_prefix(size - of_head);
    if (sent - sent_at_deadline >= kDeadlineBytes) {
      sent_at_deadline = sent;
      Enter(phase_, options().write_timeout);
    }
  }
  co_return sent;
}

Awaitable<std::uint64_t> Connection::Stream(EventStream& events, error_code& error) {
  constexpr std::string_view kHeartbeat = ":\n\n";
  const auto watch = std::make_shared<Watch>(lane_.context);
  asio::co_spawn(lane_.context, WatchForDisconnect(shared_from_this(), watch), asio::detached);
  events.WakeWith([watch, &lane = lane_] { lane.WakeSoon([watch] { watch->Wake(); }); });
  // This destructor also runs if the server is destroyed while the stream waits.
  struct Silence {
    ~Silence() {
      events.WakeWith({});
      --metrics.viewers;
    }
    EventStream& events;
    ServerMetrics& metrics;
  } const silence{events, *options().metrics};
  ++options().metrics->viewers;

  std::uint64_t sent = 0;
  Enter(Phase::kStreaming, std::chrono::milliseconds::max());
  while (!watch->gone && !lane_.stopping) {
    watch->woken = false;
    while (const std::shared_ptr<const std::string> message = events.Next()) {
      sent += co_await SendText(*message, {}, error);
      if (error) co_return sent;
    }
    if (watch->woken) continue;
    Enter(Phase::kStreaming, std::chrono::milliseconds::max());
    watch->timer.expires_after(options().heartbeat);
    error_code woken;
    co_await watch->timer.async_wait(To(woken));
    if (!woken) sent += co_await SendText(kHeartbeat, {}, error);
    if (error) co_return sent;
  }
  co_return sent;
}

// Clients of event streams send nothing, so this read only detects the end of the connection.
Awaitable<void> Connection::WatchForDisconnect(std::shared_ptr<Connection> self,
                                               std::shared_ptr<Watch> watch) {
  constexpr std::size_t kMaxBytes = 64 << 10;
  error_code error;
  for (std::size_t total = 0; !error && total < kMaxBytes;) {
    total += co_await self->transport_->Read(asio::buffer(self->lane_.scratch), error);
  }
  watch->gone = true;
  watch->Wake();
}

// Reads the remaining bytes first: closing a socket with unread bytes makes the system drop sent
// data, and the client would not see the error response.
Awaitable<void> Connection::Leave() {
  constexpr std::chrono::milliseconds kPatience{2'000};
  constexpr std::size_t kMaxBytes = 1 << 20;
  Enter(Phase::kLeaving, kPatience);
  co_await transport_->Finish();
  error_code error;
  std::size_t total = 0;
  while (refused_ && !error && !lane_.stopping && total < kMaxBytes) {
    total += co_await transport_->Read(asio::buffer(lane_.scratch), error);
  }
}

void Connection::Report(const HttpRequest& request, std::string_view route, int status,
                        std::uint64_t sent, SteadyClock::time_point started) {
  const auto took = SteadyClock::now() - started;
  options().metrics->CountResponse(route, status, sent, took);
  if (!options().on_response) return;
  options().on_response({.client = client_,
                         .method = request.method,
                         .target = request.target,
                         .user_agent = request.Header("User-Agent"),
                         .route = route,
                         .status = status,
                         .sent_bytes = sent,
                         .took = took});
}

void Connection::CheckDeadline(SteadyClock::time_point now) {
  if (now < deadline_) return;
  deadline_ = SteadyClock::time_point::max();
  if (phase_ != Phase::kReading) return Close();
  expired_ = true;  // The read fails, and the client gets a response with the reason.
  error_code ignored;
  transport_->socket().cancel(ignored);
}

void Connection::Stop() {
  if (phase_ != Phase::kResponding) Close();
}

void Connection::Close() {
  error_code ignored;
  transport_->socket().close(ignored);
}

}  // namespace cboard::server::net
