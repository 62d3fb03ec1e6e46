#include "cboard/proto/event.h"

#include "proto/wire_reader.h"
#include "proto/wire_writer.h"

namespace cboard::proto {

void AppendEvent(const Event& event, std::string& out) {
  AppendMessage(out, [&](auto& fields) {
    fields.Double(1, event.wall_time_seconds);
    fields.Int(2, event.step);
    if (event.kind == EventKind::kFileVersion) {
      fields.PresentText(3, event.payload);
    } else if (event.kind != EventKind::kNone) {
      fields.PresentBytes(static_cast<int>(event.kind), event.payload);
    }
    if (!event.source_writer.empty()) {
      fields.Message(10, [&](auto& source) { source.Text(1, event.source_writer); });
    }
  });
}

std::string EncodeEvent(const Event& event) {
  std::string bytes;
  AppendEvent(event, bytes);
  return bytes;
}

namespace {

std::string_view ReadSourceWriter(pbf_reader fields) {
  std::string_view writer;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        writer = ViewOf(fields);
        break;
      default:
        fields.skip();
    }
  }
  return writer;
}

}  // namespace

Result<Event> ParseEvent(std::string_view bytes) {
  return ReadMessage<Event>("Event", bytes, [](pbf_reader fields, Event& event) {
    while (fields.next()) {
      switch (fields.tag_and_type()) {
        case Fixed64(1):
          event.wall_time_seconds = fields.get_double();
          break;
        case Varint(2):
          event.step = fields.get_int64();
          break;
        case Length(3):
        case Length(4):
        case Length(5):
        case Length(6):
        case Length(7):
        case Length(8):
        case Length(9):
          event.kind = static_cast<EventKind>(fields.tag());
          event.payload = ViewOf(fields);
          break;
        case Length(10):
          event.source_writer = ReadSourceWriter(fields.get_message());
          break;
        default:
          fields.skip();
      }
    }
  });
}

std::string EncodeSessionLog(const SessionLog& log) {
  return EncodeMessage([&](auto& fields) {
    fields.Int(1, static_cast<int>(log.status));
    fields.Text(2, log.checkpoint_path);
    fields.Text(3, log.message);
  });
}

Result<SessionLog> ParseSessionLog(std::string_view bytes) {
  return ReadMessage<SessionLog>("SessionLog", bytes, [](pbf_reader fields, SessionLog& log) {
    while (fields.next()) {
      switch (fields.tag_and_type()) {
        case Varint(1):
          log.status = static_cast<SessionStatus>(fields.get_enum());
          break;
        case Length(2):
          log.checkpoint_path = ViewOf(fields);
          break;
        case Length(3):
          log.message = ViewOf(fields);
          break;
        default:
          fields.skip();
      }
    }
  });
}

std::string EncodeTaggedRunMetadata(const TaggedRunMetadata& metadata) {
  return EncodeMessage([&](auto& fields) {
    fields.Text(1, metadata.tag);
    fields.Bytes(2, metadata.run_metadata);
  });
}

Result<TaggedRunMetadata> ParseTaggedRunMetadata(std::string_view bytes) {
  return ReadMessage<TaggedRunMetadata>("TaggedRunMetadata", bytes,
                                        [](pbf_reader fields, TaggedRunMetadata& metadata) {
                                          while (fields.next()) {
                                            switch (fields.tag_and_type()) {
                                              case Length(1):
                                                metadata.tag = ViewOf(fields);
                                                break;
                                              case Length(2):
                                                metadata.run_metadata = ViewOf(fields);
                                                break;
                                              default:
                                                fields.skip();
                                            }
                                          }
                                        });
}

}  // namespace cboard::proto
