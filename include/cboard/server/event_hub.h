// Server-sent events: a published event reaches every connected browser within milliseconds.
//
//   EventHub hub;
//   HttpResponse GetEvents(const HttpRequest& request) { return hub.Open(request); }
//   hub.Publish("snapshot", R"({"version":17})");  // From any thread.
//
// The hub keeps the newest events, once, for all clients. A client that reconnects says which one
// it saw last (Last-Event-ID) and gets the rest. One that is too slow, or was away for too long,
// gets a single "resync" event and continues from there: it should load everything again. So memory
// does not grow with slow clients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cboard/server/http_message.h"

namespace cboard::server {

// Events for one client. The server calls it from one thread at a time.
class EventStream {
 public:
  virtual ~EventStream() = default;

  // The next message, in the format of text/event-stream; nullptr when there is none yet.
  virtual std::shared_ptr<const std::string> Next() = 0;

  // From now on calls `wake` when Next() has something after it had nothing; from any thread, and
  // never from within Next(). `wake` must be quick and must not call the stream. An empty function
  // ends that: after the return no call is under way.
  virtual void WakeWith(std::function<void()> wake) = 0;
};

struct EventHubOptions {
  // Limits of the events stored for slow and returning clients.
  std::size_t max_events = 1024;
  std::size_t max_bytes = 4 << 20;
};

// Thread-safe. Streams may outlive the hub; they then stay silent.
class EventHub {
 public:
  explicit EventHub(EventHubOptions options = {});
  ~EventHub();

  // `event` names the kind, without line breaks; `data` is any text.
  void Publish(std::string_view event, std::string_view data);

  // The response that subscribes the client of `request`. It begins with the events after the
  // request's Last-Event-ID, or, without one, with an event "hello" that holds `greeting`.
  HttpResponse Open(const HttpRequest& request, std::string_view greeting = "{}") const;

  // The same, for callers that are no HTTP server.
  std::shared_ptr<EventStream> Subscribe(std::string_view last_event_id = {},
                                         std::string_view greeting = "{}") const;

  std::size_t subscriber_count() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace cboard::server
