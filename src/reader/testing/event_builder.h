// Event files for the tests of this folder, written record by record.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "cboard/base/bytes.h"
#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/record/record_writer.h"

namespace cboard::testing {

// A record that holds `summary` at `step`.
inline std::string SummaryRecord(std::string_view summary, std::int64_t step,
                                 double wall_time_seconds = 1) {
  std::string record;
  record::AppendRecord(AsBytes(proto::EncodeEvent({.wall_time_seconds = wall_time_seconds,
                                                   .step = step,
                                                   .kind = proto::EventKind::kSummary,
                                                   .payload = summary,
                                                   .source_writer = {}})),
                       record);
  return record;
}

inline std::string ScalarRecord(std::string_view tag, float value, std::int64_t step,
                                double wall_time_seconds = 1) {
  std::string summary;
  proto::AppendScalarValue(tag, value, {}, summary);
  return SummaryRecord(summary, step, wall_time_seconds);
}

inline std::string EventRecord(proto::EventKind kind, std::string_view payload) {
  std::string record;
  record::AppendRecord(AsBytes(proto::EncodeEvent({.wall_time_seconds = 1,
                                                   .step = 0,
                                                   .kind = kind,
                                                   .payload = payload,
                                                   .source_writer = {}})),
                       record);
  return record;
}

// Creates the parents of `path` too.
inline void WriteBytes(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace cboard::testing
