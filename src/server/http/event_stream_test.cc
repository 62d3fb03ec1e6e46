// Event streams over real connections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>

#include "cboard/server/access.h"
#include "cboard/server/event_hub.h"
#include "server/testing/test_client.h"

namespace cboard::server {
namespace {

using std::chrono::milliseconds;
using testing::Client;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::RunningServer;
using ::testing::StartsWith;

constexpr std::string_view kAsk = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";

class EventStreamTest : public ::testing::Test {
 protected:
  HttpHandler Handler() {
    return [this](const HttpRequest& request) -> HttpResponse {
      if (request.target == "/events") return hub_.Open(request);
      return {.body = "<" + request.target + ">"};
    };
  }

  void WaitForViewers(std::size_t count) {
    while (hub_.subscriber_count() != count) std::this_thread::yield();
  }

  EventHub hub_;
};

TEST_F(EventStreamTest, SendsWhatIsPublished) {
  RunningServer server({}, Handler());
  Client client(server->port());
  client.Send(kAsk);
  const std::string head = client.ReadUntil("\r\n\r\n");
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nContent-Type: text/event-stream\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(client.ReadUntil("\n\n"), HasSubstr("event: hello\n"));
  for (int i = 0; i < 10; ++i) {
    hub_.Publish("snapshot", std::to_string(i));
    EXPECT_THAT(client.ReadUntil("\n\n"),
                EndsWith("event: snapshot\ndata: " + std::to_string(i) + "\n\n"));
  }
}

// Calls `on_message` on the server's thread for every message that it sends.
class CountingStream final : public EventStream {
 public:
  CountingStream(std::shared_ptr<EventStream> events, std::function<void()> on_message)
      : events_(std::move(events)), on_message_(std::move(on_message)) {}

  std::shared_ptr<const std::string> Next() override {
    auto message = events_->Next();
    if (message != nullptr) on_message_();
    return message;
  }
  void WakeWith(std::function<void()> wake) override { events_->WakeWith(std::move(wake)); }

 private:
  const std::shared_ptr<EventStream> events_;
  const std::function<void()> on_message_;
};

// One thread serves all viewers. A request that arrives when the first viewer is notified of a
// change gets its response before most of the other viewers are notified.
TEST_F(EventStreamTest, ARequestDoesNotWaitForAllViewers) {
  constexpr int kViewers = 500;
  std::atomic<int> told = 0;
  std::atomic<bool> is_published = false, is_telling = false, is_asked = false;
  const auto on_message = [&] {
    if (!is_published || ++told != 1) return;
    is_telling = true;
    while (!is_asked) std::this_thread::yield();
  };
  int told_when_answered = -1;
  RunningServer server(
      {.threads = 1, .max_connections = 2000}, [&](const HttpRequest& request) -> HttpResponse {
        if (request.target == "/events") {
          HttpResponse response = hub_.Open(request);
          response.events = std::make_shared<CountingStream>(response.events, on_message);
          return response;
        }
        if (request.target == "/publish") {
          is_published = true;
          hub_.Publish("snapshot", "1");
        }
        if (request.target == "/ask") told_when_answered = told;
        return {.body = "<" + request.target + ">"};
      });
  std::vector<std::unique_ptr<Client>> viewers;
  for (int i = 0; i < kViewers; ++i) {
    viewers.push_back(std::make_unique<Client>(server->port()));
    viewers.back()->Send(kAsk);
    EXPECT_THAT(viewers.back()->ReadUntil("\n\n"), HasSubstr("hello"));
  }
  Client publisher(server->port()), asker(server->port());
  const auto get = [](const std::string& target) {
    return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  };
  asker.Send(get("/first"));
  EXPECT_THAT(asker.ReadUntil(">"), EndsWith("</first>"));
  publisher.Send(get("/publish"));
  while (!is_telling) std::this_thread::yield();
  asker.Send(get("/ask"));
  is_asked = true;
  EXPECT_THAT(asker.ReadUntil(">"), EndsWith("</ask>"));
  EXPECT_LT(told_when_answered, kViewers / 4);
  for (const auto& viewer : viewers) EXPECT_THAT(viewer->ReadUntil("1\n\n"), HasSubstr("snapshot"));
}

TEST_F(EventStreamTest, ReachesAThousandViewers) {
  const auto metrics = std::make_shared<ServerMetrics>();
  RunningServer server({.max_connections = 2000, .metrics = metrics}, Handler());
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 1000; ++i) {
    clients.push_back(std::make_unique<Client>(server->port()));
    clients.back()->Send(kAsk);
  }
  for (const auto& client : clients) {
    EXPECT_THAT(client->ReadUntil("\n\n"), HasSubstr("event: hello\n"));
  }
  EXPECT_EQ(metrics->viewers, 1000);
  hub_.Publish("snapshot", "{}");
  for (const auto& client : clients) {
    EXPECT_THAT(client->ReadUntil("\n\n"), HasSubstr("event: snapshot\n"));
  }
  EXPECT_THAT(server.Get("/still"), EndsWith("</still>"));
  clients.clear();
  WaitForViewers(0);
}

TEST_F(EventStreamTest, NoticesThatAViewerHasGone) {
  RunningServer server({}, Handler());
  {
    Client client(server->port());
    client.Send(kAsk);
    client.ReadUntil("\n\n");
    EXPECT_EQ(hub_.subscriber_count(), 1u);
  }
  WaitForViewers(0);
}

TEST_F(EventStreamTest, BeatsWhenNothingHappens) {
  RunningServer server({.heartbeat = milliseconds(10)}, Handler());
  Client client(server->port());
  client.Send(kAsk);
  client.ReadUntil("\n\n");
  EXPECT_EQ(client.ReadUntil("\n\n"), ":\n\n");
  EXPECT_EQ(client.ReadUntil("\n\n"), ":\n\n");
}

TEST_F(EventStreamTest, KeepsNoMoreThanItMayForSlowViewers) {
  RunningServer server({}, Handler());
  Client client(server->port());
  client.ReadSlowly();
  client.Send(kAsk);
  client.ReadUntil("\n\n");
  // More than the buffers of the sockets and the hub can hold.
  const std::string data(64 << 10, 'x');
  for (int i = 0; i < 400; ++i) hub_.Publish("big", data);
  hub_.Publish("last", "{}");
  std::string all;
  while (!all.ends_with("event: last\ndata: {}\n\n") &&
         !all.ends_with("event: resync\ndata: {}\n\n")) {
    const std::string message = client.ReadUntil("\n\n");
    ASSERT_NE(message, "");
    all += message;
  }
  EXPECT_THAT(all, HasSubstr("event: resync\n"));
  EXPECT_LT(all.size(), 400 * data.size());
}

TEST_F(EventStreamTest, HangsUpOnViewersThatReadNothing) {
  RunningServer server({.write_timeout = milliseconds(100)}, Handler());
  Client client(server->port());
  client.ReadSlowly();
  client.Send(kAsk);
  client.ReadUntil("\n\n");
  WaitForViewers(1);
  const std::string data(64 << 10, 'x');
  while (hub_.subscriber_count() > 0) {
    hub_.Publish("big", data);
    std::this_thread::sleep_for(milliseconds(1));
  }
}

TEST_F(EventStreamTest, StopsWithTheServer) {
  auto server = std::make_unique<RunningServer>(HttpServerOptions{}, Handler());
  Client client((*server)->port());
  client.Send(kAsk);
  client.ReadUntil("\n\n");
  server.reset();
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_EQ(hub_.subscriber_count(), 0u);
  hub_.Publish("late", "{}");
}

TEST_F(EventStreamTest, IsClosedToThoseWithoutTheToken) {
  RunningServer server({}, Guarded({.token = "s3cret"}, Handler()));
  EXPECT_THAT(server.Get("/events"), StartsWith("HTTP/1.1 401 "));
  EXPECT_EQ(hub_.subscriber_count(), 0u);
  Client client(server->port());
  client.Send("GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer s3cret\r\n\r\n");
  client.ReadUntil("\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("\n\n"), HasSubstr("event: hello\n"));
}

TEST_F(EventStreamTest, IsOnlyAHeadForHead) {
  RunningServer server({}, Handler());
  EXPECT_THAT(server.Get("/events", "", "HEAD"), EndsWith("\r\n\r\n"));
}

}  // namespace
}  // namespace cboard::server
