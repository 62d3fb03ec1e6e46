// Reads event files in tests, with the modules record and proto.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cboard/base/file.h"
#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/record/record_reader.h"

namespace cboard::testing {

// Returns the event files in `directory` itself, by name.
inline std::vector<std::filesystem::path> EventFilesIn(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(directory)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().filename().string().find("tfevents") != std::string::npos) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

// Returns the serialized events of one file; damage fails the test.
inline std::vector<std::string> EventBytes(const std::filesystem::path& path) {
  std::vector<std::string> events;
  const Result<File> file = File::OpenForReading(path);
  if (!file) {
    ADD_FAILURE() << file.error().message;
    return events;
  }
  record::FileSource source(*file);
  record::RecordReader reader(source);
  while (true) {
    const Result<record::Record> record = reader.Next();
    if (record) {
      events.emplace_back(AsText(record->payload));
    } else {
      if (record.error().code != ErrorCode::kTruncated) ADD_FAILURE() << record.error().message;
      return events;
    }
  }
}

struct ScalarPoint {
  std::string tag;
  std::int64_t step;
  double wall_time_seconds;
  float value;
};

// Returns the scalars of all event files in `directory` itself, in file order.
inline std::vector<ScalarPoint> ScalarsIn(const std::filesystem::path& directory) {
  std::vector<ScalarPoint> points;
  for (const auto& file : EventFilesIn(directory)) {
    for (const std::string& bytes : EventBytes(file)) {
      const Result<proto::Event> event = proto::ParseEvent(bytes);
      if (!event) {
        ADD_FAILURE() << event.error().message;
        continue;
      }
      if (event->kind != proto::EventKind::kSummary) continue;
      const auto parsed =
          proto::ForEachValue(event->payload, [&](const proto::SummaryValue& value) {
            if (value.kind != proto::ValueKind::kSimpleValue) return;
            points.push_back({std::string(value.tag), event->step, event->wall_time_seconds,
                              value.simple_value});
          });
      EXPECT_TRUE(parsed.has_value());
    }
  }
  return points;
}

}  // namespace cboard::testing
