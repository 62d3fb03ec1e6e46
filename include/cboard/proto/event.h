// TensorBoard's Event message: the payload of every record of an event file.
//
//   std::string bytes = EncodeEvent({.wall_time_seconds = now, .step = 5,
//                                    .kind = EventKind::kSummary, .payload = summary});
//
// Encoders write fields in ascending order and omit defaults, like protobuf, so the bytes equal
// those of TensorBoard's own writers. Protobuf strings must be UTF-8, and one invalid byte would
// make other readers reject the whole event. Names, tags and texts are therefore converted with
// ToValidUtf8; `bytes` fields are not changed. Parsers also accept strings that are not valid
// UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::proto {

// The kind of an event, which is the member of the oneof Event.what that is set. The values are the
// field numbers of the members.
enum class EventKind : int {
  kNone = 0,
  kFileVersion = 3,
  kGraphDef = 4,
  kSummary = 5,
  kLogMessage = 6,
  kSessionLog = 7,
  kTaggedRunMetadata = 8,
  kMetaGraphDef = 9,
};

// A decoded event. Its strings are views: they point into memory that the caller keeps alive.
struct Event {
  double wall_time_seconds = 0;
  std::int64_t step = 0;
  EventKind kind = EventKind::kNone;
  std::string_view payload;        // The bytes of the member named by `kind`.
  std::string_view source_writer;  // SourceMetadata.writer.
};

inline constexpr std::string_view kFileVersion = "brain.Event:2";

void AppendEvent(const Event& event, std::string& out);
std::string EncodeEvent(const Event& event);

// Parses an Event. Fails with kDataLoss if `bytes` is not an Event; the views point into `bytes`.
Result<Event> ParseEvent(std::string_view bytes);

enum class SessionStatus : int { kUnspecified = 0, kStart = 1, kStop = 2, kCheckpoint = 3 };

struct SessionLog {
  SessionStatus status = SessionStatus::kUnspecified;
  std::string_view checkpoint_path;
  std::string_view message;
};

std::string EncodeSessionLog(const SessionLog& log);
Result<SessionLog> ParseSessionLog(std::string_view bytes);

struct TaggedRunMetadata {
  std::string_view tag;
  std::string_view run_metadata;  // A serialized RunMetadata, see run_metadata.h.
};

std::string EncodeTaggedRunMetadata(const TaggedRunMetadata& metadata);
Result<TaggedRunMetadata> ParseTaggedRunMetadata(std::string_view bytes);

}  // namespace cboard::proto
