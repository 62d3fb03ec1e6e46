// Server-sent events: a published event reaches every connected browser within milliseconds.
//
//   EventHub hub;
//   HttpResponse GetEvents(const HttpRequest& request) { return hub.Open(request); }
//   hub.Publish("snapshot", R"({"version":17})");  // From any thread.
//
// The hub stores the newest events once, for all clients. A client that reconnects sends the id of
// its last event (Last-Event-ID) and gets the later ones. A client that is too slow, or was
// disconnected for too long, gets a single "resync" event and should load everything again. Memory
// therefore does not grow with slow clients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cboard/server/http_message.h"

namespace cboard::server {

// The stream of events for one client. The server calls it from one thread at a time.
class EventStream {
 public:
  virtual ~EventStream() = default;

  // Returns the next message of the stream, in the format of text/event-stream; nullptr if there is
  // none yet.
  virtual std::shared_ptr<const std::string> Next() = 0;

  // Sets a function that is called when a new message is available after Next() returned nullptr.
  // It is called on any thread, but never from within Next(). It must be fast and must not call the
  // stream. An empty function removes the previous one; when this method returns, no call of the
  // previous function is running.
  virtual void WakeWith(std::function<void()> wake) = 0;
};

struct EventHubOptions {
  // Limits of the events stored for slow and returning clients.
  std::size_t max_events = 1024;
  std::size_t max_bytes = 4 << 20;
};

// Distributes events to all clients. Thread-safe. Streams may outlive the hub; after that they get
// no more events.
class EventHub {
 public:
  explicit EventHub(EventHubOptions options = {});
  ~EventHub();

  // Publishes an event. `event` names its kind, without line breaks; `data` is any text.
  void Publish(std::string_view event, std::string_view data);

  // Returns the response that subscribes the client of `request`. It starts with the events after
  // the request's Last-Event-ID. If that is missing, it starts with an event "hello" that contains
  // `greeting`.
  HttpResponse Open(const HttpRequest& request, std::string_view greeting = "{}") const;

  // Subscribes a client that is not an HTTP client.
  std::shared_ptr<EventStream> Subscribe(std::string_view last_event_id = {},
                                         std::string_view greeting = "{}") const;

  std::size_t subscriber_count() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace cboard::server
