#include "cboard/proto/event.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cboard/proto/summary.h"
#include "proto/testing/golden_bytes.h"
#include "proto/testing/protobuf_oracle.h"
#include "testing/matchers.h"

namespace cboard::proto {
namespace {

using testing::FailsSaying;
using testing::FailsWith;
using testing::Golden;
using testing::ParsedByProtobuf;
using testing::Succeeds;

TEST(Event, FirstRecordOfAFileHasTensorBoardsBytes) {
  const std::string bytes = EncodeEvent(
      {.wall_time_seconds = 1.0, .kind = EventKind::kFileVersion, .payload = kFileVersion});
  EXPECT_EQ(bytes, Golden("09 00 00 00 00 00 00 f0 3f 1a 0d \"brain.Event:2\""));
}

TEST(Event, ScalarHasTensorBoardsBytes) {
  std::string summary;
  AppendScalarValue("a", 1.5f, {}, summary);
  const std::string bytes = EncodeEvent(
      {.wall_time_seconds = 1.0, .step = 5, .kind = EventKind::kSummary, .payload = summary});
  EXPECT_EQ(bytes, Golden("09 00 00 00 00 00 00 f0 3f 10 05 2a 0a 0a 08 0a 01 61 15 00 00 c0 3f"));
}

TEST(Event, DefaultsTakeNoBytes) { EXPECT_EQ(EncodeEvent({}), ""); }

TEST(Event, AnEmptyMemberIsStillWritten) {
  EXPECT_EQ(EncodeEvent({.kind = EventKind::kSummary}), Golden("2a 00"));
  EXPECT_THAT(ParseEvent(Golden("2a 00"))->kind, EventKind::kSummary);
}

TEST(Event, AppendsBehindWhatIsThere) {
  std::string bytes = "kept";
  AppendEvent({.step = 1}, bytes);
  EXPECT_EQ(bytes, Golden("\"kept\" 10 01"));
}

TEST(Event, ReadsBackWhatItWrote) {
  for (const EventKind kind :
       {EventKind::kFileVersion, EventKind::kGraphDef, EventKind::kSummary, EventKind::kLogMessage,
        EventKind::kSessionLog, EventKind::kTaggedRunMetadata, EventKind::kMetaGraphDef}) {
    const std::string bytes = EncodeEvent({.wall_time_seconds = 1700000000.25,
                                           .step = std::numeric_limits<std::int64_t>::min(),
                                           .kind = kind,
                                           .payload = "payload",
                                           .source_writer = "cboard"});
    const Result<Event> event = ParseEvent(bytes);
    ASSERT_THAT(event, Succeeds());
    EXPECT_EQ(event->wall_time_seconds, 1700000000.25);
    EXPECT_EQ(event->step, std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(event->kind, kind);
    EXPECT_EQ(event->payload, "payload");
    EXPECT_EQ(event->source_writer, "cboard");
  }
}

TEST(Event, ProtobufReadsTheSame) {
  const auto event =
      ParsedByProtobuf<cboard_testing::Event>(EncodeEvent({.wall_time_seconds = -0.0,
                                                           .step = -3,
                                                           .kind = EventKind::kFileVersion,
                                                           .payload = "v\xff",
                                                           .source_writer = "w\xc3"}));
  EXPECT_TRUE(std::signbit(event.wall_time()));
  EXPECT_EQ(event.step(), -3);
  EXPECT_EQ(event.file_version(), "v\xEF\xBF\xBD");
  EXPECT_EQ(event.source_metadata().writer(), "w\xEF\xBF\xBD");

  const std::string graph("\0\xff graph", 8);
  EXPECT_EQ(ParsedByProtobuf<cboard_testing::Event>(
                EncodeEvent({.kind = EventKind::kGraphDef, .payload = graph}))
                .graph_def(),
            graph);
}

TEST(Event, SkipsFieldsItDoesNotKnow) {
  // Field 99 as a varint, field 2 as fixed32, then a step.
  const Result<Event> event = ParseEvent(Golden("98 06 07 15 01 02 03 04 10 05"));
  ASSERT_THAT(event, Succeeds());
  EXPECT_EQ(event->step, 5);
}

TEST(Event, TheLastOfTwoMembersCounts) {
  const std::string bytes = Golden("2a 01 41 1a 02 42 43");
  const Result<Event> event = ParseEvent(bytes);
  ASSERT_THAT(event, Succeeds());
  EXPECT_EQ(event->kind, EventKind::kFileVersion);
  EXPECT_EQ(event->payload, "BC");
}

TEST(Event, EveryTruncationGivesAnEventOrDataLoss) {
  const std::string bytes = EncodeEvent({.wall_time_seconds = 1.0,
                                         .step = 300,
                                         .kind = EventKind::kSummary,
                                         .payload = "some summary",
                                         .source_writer = "cboard"});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Result<Event> event = ParseEvent(std::string_view(bytes).substr(0, size));
    if (!event) {
      EXPECT_EQ(event.error().code, ErrorCode::kDataLoss) << size;
    }
  }
}

struct Malformed {
  const char* name;
  const char* bytes;
  const char* message;
};

TEST(Event, NamesTheDamage) {
  const Malformed kTable[] = {
      {"MemberLengthPastEnd", "2a 7f 41", "a field reaches past the end"},
      {"WallTimeCutShort", "09 00 00 00", "a field reaches past the end"},
      {"StepWithoutEnd", "10 80 80", "a field reaches past the end"},
      {"StepOfElevenBytes", "10 80 80 80 80 80 80 80 80 80 80 01", "longer than ten bytes"},
      {"FieldNumberZero", "02 01 41", "impossible number"},
      {"GroupWireType", "13 14", "unknown wire type"},
      {"WireTypeSeven", "17", "unknown wire type"},
  };
  for (const Malformed& malformed : kTable) {
    EXPECT_THAT(ParseEvent(Golden(malformed.bytes)),
                FailsSaying(ErrorCode::kDataLoss, malformed.message))
        << malformed.name;
  }
  EXPECT_THAT(ParseEvent(Golden("2a 7f 41")),
              FailsSaying(ErrorCode::kDataLoss, "Event of 3 bytes is damaged"));
}

TEST(SessionLog, RoundTripsAndProtobufAgrees) {
  const std::string bytes = EncodeSessionLog(
      {.status = SessionStatus::kCheckpoint, .checkpoint_path = "a/b", .message = "saved"});
  const Result<SessionLog> log = ParseSessionLog(bytes);
  ASSERT_THAT(log, Succeeds());
  EXPECT_EQ(log->status, SessionStatus::kCheckpoint);
  EXPECT_EQ(log->checkpoint_path, "a/b");
  EXPECT_EQ(log->message, "saved");
  const auto judged = ParsedByProtobuf<cboard_testing::SessionLog>(bytes);
  EXPECT_EQ(judged.status(), 3);
  EXPECT_EQ(judged.checkpoint_path(), "a/b");
  EXPECT_EQ(judged.msg(), "saved");

  EXPECT_EQ(EncodeSessionLog({.status = SessionStatus::kStart}), Golden("08 01"));
  EXPECT_THAT(ParseSessionLog(Golden("12 05 41")), FailsWith(ErrorCode::kDataLoss));
}

TEST(TaggedRunMetadata, RoundTripsAndProtobufAgrees) {
  const std::string bytes =
      EncodeTaggedRunMetadata({.tag = "profiler", .run_metadata = "\xff\xfe"});
  const Result<TaggedRunMetadata> metadata = ParseTaggedRunMetadata(bytes);
  ASSERT_THAT(metadata, Succeeds());
  EXPECT_EQ(metadata->tag, "profiler");
  EXPECT_EQ(metadata->run_metadata, "\xff\xfe");
  const auto judged = ParsedByProtobuf<cboard_testing::TaggedRunMetadata>(bytes);
  EXPECT_EQ(judged.tag(), "profiler");
  EXPECT_EQ(judged.run_metadata(), "\xff\xfe");
  EXPECT_THAT(ParseTaggedRunMetadata(Golden("0a")), FailsWith(ErrorCode::kDataLoss));
}

}  // namespace
}  // namespace cboard::proto
