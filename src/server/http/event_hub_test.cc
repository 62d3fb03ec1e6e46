#include "cboard/server/event_hub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace cboard::server {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string TextOf(const std::shared_ptr<const std::string>& message) {
  return message ? *message : "nothing";
}

std::string NextOf(EventStream& stream) { return TextOf(stream.Next()); }

std::string IdOf(const std::string& message) {
  const std::size_t begin = message.find("id: ") + 4;
  return message.substr(begin, message.find('\n', begin) - begin);
}

TEST(EventHub, GreetsAndThenSendsWhatIsPublished) {
  EventHub hub;
  hub.Publish("before", "x");
  const auto stream = hub.Subscribe({}, "{\"version\":1}");
  EXPECT_THAT(NextOf(*stream), HasSubstr("\nevent: hello\ndata: {\"version\":1}\n\n"));
  EXPECT_EQ(NextOf(*stream), "nothing");
  hub.Publish("snapshot", "{}");
  hub.Publish("progress", "[]");
  EXPECT_THAT(NextOf(*stream), EndsWith("\nevent: snapshot\ndata: {}\n\n"));
  EXPECT_THAT(NextOf(*stream), EndsWith("\nevent: progress\ndata: []\n\n"));
  EXPECT_EQ(NextOf(*stream), "nothing");
}

TEST(EventHub, KeepsDataInItsLines) {
  EventHub hub;
  const auto stream = hub.Subscribe();
  stream->Next();
  hub.Publish("a\nevent: b", "1\n2\r\n3\r4\n");
  EXPECT_THAT(NextOf(*stream),
              EndsWith("\nevent: aevent: b\ndata: 1\ndata: 2\ndata: 3\ndata: 4\ndata: \n\n"));
}

TEST(EventHub, GoesOnWhereAClientStopped) {
  EventHub hub;
  const auto first = hub.Subscribe();
  first->Next();
  hub.Publish("one", "1");
  const std::string seen = IdOf(NextOf(*first));
  hub.Publish("two", "2");
  hub.Publish("three", "3");
  const auto again = hub.Subscribe(seen);
  EXPECT_THAT(NextOf(*again), HasSubstr("event: two\n"));
  EXPECT_THAT(NextOf(*again), HasSubstr("event: three\n"));
  EXPECT_EQ(NextOf(*again), "nothing");
}

TEST(EventHub, GoesOnAfterAGreetingToo) {
  EventHub hub;
  hub.Publish("zero", "0");
  const std::string greeted = IdOf(NextOf(*hub.Subscribe()));
  hub.Publish("one", "1");
  EXPECT_THAT(NextOf(*hub.Subscribe(greeted)), HasSubstr("event: one\n"));
}

TEST(EventHub, SendsAResyncToThoseWhoMissedTooMuch) {
  EventHub hub({.max_events = 3});
  const auto slow = hub.Subscribe();
  slow->Next();
  for (int i = 0; i < 10; ++i) hub.Publish("e", std::to_string(i));
  const std::string resync = NextOf(*slow);
  EXPECT_THAT(resync, HasSubstr("event: resync\n"));
  EXPECT_EQ(NextOf(*slow), "nothing");  // One stored event, then the new ones.
  hub.Publish("e", "10");
  EXPECT_THAT(NextOf(*slow), HasSubstr("data: 10\n"));
  EXPECT_EQ(NextOf(*hub.Subscribe(IdOf(resync))).find("resync"), std::string::npos);
}

TEST(EventHub, KeepsNoMoreBytesThanItMay) {
  EventHub hub({.max_bytes = 1000});
  const auto stream = hub.Subscribe();
  stream->Next();
  for (int i = 0; i < 3; ++i) hub.Publish("e", std::string(400, 'x'));
  EXPECT_THAT(NextOf(*stream), HasSubstr("event: resync\n"));
  hub.Publish("e", std::string(4000, 'x'));  // The newest event is always kept.
  EXPECT_THAT(NextOf(*stream), HasSubstr("event: e\n"));
}

TEST(EventHub, DoesNotTrustIdsOfOthers) {
  EventHub hub;
  hub.Publish("e", "1");
  for (const char* id : {"1", "x", "-1", "99999999999999999999", "0-1"}) {
    EXPECT_THAT(NextOf(*hub.Subscribe(id)), HasSubstr("event: resync\n")) << id;
  }
  std::string future = IdOf(NextOf(*hub.Subscribe()));
  future += "0";
  EXPECT_THAT(NextOf(*hub.Subscribe(future)), HasSubstr("event: resync\n"));
}

TEST(EventHub, WakesOncePerSleep) {
  EventHub hub;
  const auto stream = hub.Subscribe();
  int woken = 0;
  stream->WakeWith([&] { ++woken; });
  hub.Publish("e", "1");
  EXPECT_EQ(woken, 0);  // There were always events to read.
  while (stream->Next()) {
  }
  hub.Publish("e", "2");
  hub.Publish("e", "3");
  EXPECT_EQ(woken, 1);
  while (stream->Next()) {
  }
  stream->WakeWith({});
  hub.Publish("e", "4");
  EXPECT_EQ(woken, 1);
}

TEST(EventHub, ForgetsStreamsThatEnd) {
  EventHub hub;
  {
    const auto stream = hub.Subscribe();
    EXPECT_EQ(hub.subscriber_count(), 1u);
  }
  EXPECT_EQ(hub.subscriber_count(), 0u);
  hub.Publish("e", "1");
}

TEST(EventHub, MayEndBeforeItsStreams) {
  auto hub = std::make_unique<EventHub>();
  const auto stream = hub->Subscribe();
  hub.reset();
  EXPECT_THAT(NextOf(*stream), StartsWith("retry: 1000\nid: "));
  EXPECT_EQ(NextOf(*stream), "nothing");
}

TEST(EventHub, LosesNothingBetweenThreads) {
  constexpr int kPublishers = 4, kEvents = 500;
  EventHub hub({.max_events = kPublishers * kEvents});
  const auto stream = hub.Subscribe();
  std::atomic<int> wakes = 0;
  stream->WakeWith([&] {
    ++wakes;
    wakes.notify_all();
  });
  std::vector<std::jthread> publishers;
  for (int i = 0; i < kPublishers; ++i) {
    publishers.emplace_back([&] {
      for (int j = 0; j < kEvents; ++j) hub.Publish("e", "x");
    });
  }
  for (int received = -1; received < kPublishers * kEvents;) {
    const int before = wakes;
    if (stream->Next()) {
      ++received;
    } else {
      wakes.wait(before);
    }
  }
  EXPECT_EQ(stream->Next(), nullptr);
}

TEST(EventHub, OpensAsAResponse) {
  EventHub hub;
  const HttpResponse response = hub.Open({});
  EXPECT_EQ(response.content_type, "text/event-stream");
  ASSERT_TRUE(response.events);
  HttpRequest returning;
  const std::string id = IdOf(NextOf(*response.events));
  hub.Publish("e", "1");
  returning.headers = {{"last-event-id", id}};
  EXPECT_THAT(NextOf(*hub.Open(returning).events), HasSubstr("event: e\n"));
}

}  // namespace
}  // namespace cboard::server
