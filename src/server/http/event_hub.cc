#include "cboard/server/event_hub.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <deque>
#include <mutex>
#include <unordered_set>

namespace cboard::server {
namespace {

using Message = std::shared_ptr<const std::string>;

// Formats an event: "id: 5f3a-17\nevent: snapshot\ndata: …\n\n". A line of data may end with \r, \n
// or both.
std::string Format(std::string_view id, std::string_view event, std::string_view data) {
  std::string text;
  text.reserve(id.size() + event.size() + data.size() + 32);
  text.append("id: ").append(id).append("\nevent: ");
  for (const char c : event) {
    if (c != '\r' && c != '\n' && c != '\0') text += c;
  }
  for (bool more = true; more;) {
    const std::size_t end = std::min(data.find_first_of("\r\n"), data.size());
    text.append("\ndata: ").append(data.substr(0, end));
    more = end < data.size();
    if (more) data.remove_prefix(data.substr(end, 2) == "\r\n" ? end + 2 : end + 1);
  }
  return text += "\n\n";
}

}  // namespace

// One mutex protects all members, and subscribers are woken while it is held. So a subscriber that
// was removed from `awake` is not called any more.
struct EventHub::State {
  class Subscriber;

  explicit State(EventHubOptions given) : options(given) {
    // Event ids of this process begin with a value that no earlier process used.
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
    epoch = std::to_string(micros) + "-";
  }

  std::string IdOf(std::uint64_t number) const { return epoch + std::to_string(number); }
  std::uint64_t oldest() const { return next_number - messages.size(); }

  const EventHubOptions options;
  std::string epoch;
  std::mutex mutex;
  std::deque<Message> messages;  // The newest message has number next_number - 1.
  std::uint64_t next_number = 1;
  std::size_t total_bytes = 0;
  std::unordered_set<Subscriber*> subscribers;
};

class EventHub::State::Subscriber final : public EventStream {
 public:
  Subscriber(std::shared_ptr<State> state, std::string_view last_event_id,
             std::string_view greeting)
      : state_(std::move(state)) {
    const std::scoped_lock lock(state_->mutex);
    state_->subscribers.insert(this);
    next_number_ = state_->next_number;
    if (last_event_id.empty()) {
      first_ = std::make_shared<const std::string>(
          "retry: 1000\n" + Format(state_->IdOf(next_number_ - 1), "hello", greeting));
    } else if (!Continue(last_event_id)) {
      next_number_ = 0;  // Older than all stored messages: resync.
    }
  }

  ~Subscriber() override {
    const std::scoped_lock lock(state_->mutex);
    state_->subscribers.erase(this);
  }

  Message Next() override {
    const std::scoped_lock lock(state_->mutex);
    if (first_) return std::exchange(first_, nullptr);
    // The missed events are no longer stored, so the subscriber must resync.
    if (next_number_ < state_->oldest()) {
      next_number_ = state_->next_number;
      return std::make_shared<const std::string>(
          Format(state_->IdOf(next_number_ - 1), "resync", "{}"));
    }
    if (next_number_ == state_->next_number) {
      asleep_ = true;
      return nullptr;
    }
    return state_->messages[next_number_++ - state_->oldest()];
  }

  void WakeWith(std::function<void()> wake) override {
    const std::scoped_lock lock(state_->mutex);
    wake_ = std::move(wake);
  }

  // The caller must hold the hub's mutex.
  void Wake() {
    if (std::exchange(asleep_, false) && wake_) wake_();
  }

 private:
  // Continues the stream with the events after the event of the given id. Returns false if the id
  // is not from this process.
  bool Continue(std::string_view id) {
    if (!id.starts_with(state_->epoch)) return false;
    id.remove_prefix(state_->epoch.size());
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    if (error != std::errc() || end != id.data() + id.size()) return false;
    if (number >= state_->next_number) return false;
    next_number_ = number + 1;
    return true;
  }

  const std::shared_ptr<State> state_;
  Message first_;
  std::uint64_t next_number_ = 0;
  std::function<void()> wake_;
  bool asleep_ = false;  // The last call of Next() had no event.
};

EventHub::EventHub(EventHubOptions options) : state_(std::make_shared<State>(options)) {}

EventHub::~EventHub() = default;

void EventHub::Publish(std::string_view event, std::string_view data) {
  const std::scoped_lock lock(state_->mutex);
  auto message =
      std::make_shared<const std::string>(Format(state_->IdOf(state_->next_number), event, data));
  state_->total_bytes += message->size();
  state_->messages.push_back(std::move(message));
  ++state_->next_number;
  while (state_->messages.size() > std::max<std::size_t>(state_->options.max_events, 1) ||
         (state_->messages.size() > 1 && state_->total_bytes > state_->options.max_bytes)) {
    state_->total_bytes -= state_->messages.front()->size();
    state_->messages.pop_front();
  }
  for (State::Subscriber* const subscriber : state_->subscribers) subscriber->Wake();
}

std::shared_ptr<EventStream> EventHub::Subscribe(std::string_view last_event_id,
                                                 std::string_view greeting) const {
  return std::make_shared<State::Subscriber>(state_, last_event_id, greeting);
}

HttpResponse EventHub::Open(const HttpRequest& request, std::string_view greeting) const {
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.headers.emplace_back("Cache-Control", "no-store");
  // Disables response buffering in proxies, because buffering would delay events.
  response.headers.emplace_back("X-Accel-Buffering", "no");
  response.events = Subscribe(request.Header("Last-Event-ID"), greeting);
  response.route = "events";
  return response;
}

std::size_t EventHub::subscriber_count() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->subscribers.size();
}

}  // namespace cboard::server
