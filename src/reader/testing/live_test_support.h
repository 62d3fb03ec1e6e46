// Log readers and log directories for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/reader/log_reader.h"
#include "reader/testing/event_builder.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::testing {

inline void Append(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
}

inline std::unique_ptr<LogReader> OpenReader(reader::ReaderOptions options) {
  Result<std::unique_ptr<LogReader>> reader = LogReader::Open(std::move(options));
  EXPECT_THAT(reader, Succeeds());
  return *std::move(reader);
}

inline std::unique_ptr<LogReader> LoadedReader(reader::ReaderOptions options) {
  std::unique_ptr<LogReader> reader = OpenReader(std::move(options));
  reader->WaitUntilLoaded();
  return reader;
}

// Waits until a snapshot is as it should be; gives up, and says false, after a minute.
inline bool Becomes(const LogReader& reader,
                    const std::function<bool(const reader::Snapshot&)>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < end) {
    const std::shared_ptr<const reader::Snapshot> snapshot = reader.snapshot();
    if (holds(*snapshot)) return true;
    reader.WaitForChange(snapshot->version, std::chrono::seconds(1));
  }
  return false;
}

inline std::vector<std::string> RunNames(const reader::Snapshot& snapshot) {
  std::vector<std::string> names;
  for (const auto& run : snapshot.runs) names.push_back(run->name);
  return names;
}

// The steps of a scalar tag; empty if there is none.
inline std::vector<std::int64_t> StepsOf(const reader::Snapshot& snapshot, std::string_view run,
                                         std::string_view tag) {
  std::vector<std::int64_t> steps;
  if (const reader::Tag* found = snapshot.FindTag(run, tag)) {
    for (const reader::ScalarPoint& point : found->scalars.ToPoints()) steps.push_back(point.step);
  }
  return steps;
}

inline std::string ScalarRecords(std::string_view tag, std::int64_t first, std::int64_t end) {
  std::string records;
  for (std::int64_t step = first; step < end; ++step) {
    records += ScalarRecord(tag, static_cast<float>(step), step, 1e9 + double(step));
  }
  return records;
}

}  // namespace cboard::testing
