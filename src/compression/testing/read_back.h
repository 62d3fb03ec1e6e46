// Reads back, in tests, everything that is logged below a directory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"
#include "testing/event_files.h"

namespace cboard::testing {

struct Logged {
  std::string run;  // Relative to the directory that was read; empty for the directory itself.
  std::string tag;
  std::int64_t step = 0;
  proto::ValueKind kind = proto::ValueKind::kNone;
  float value = 0;      // Value of a scalar.
  std::string text;     // Content of a text.
  std::string payload;  // Stored bytes: for a histogram, the serialized message.
  std::string plugin_name, plugin_content, display_name, description;

  std::string RunAndTag() const { return run.empty() ? tag : run + " " + tag; }
};

// Sorted by run, and by file and position within it.
inline std::vector<Logged> ReadBack(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> runs = {directory};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_directory()) runs.push_back(entry.path());
  }
  std::ranges::sort(runs);
  std::vector<Logged> all;
  for (const std::filesystem::path& run : runs) {
    const std::string name = run == directory ? "" : run.lexically_relative(directory).string();
    for (const auto& file : EventFilesIn(run)) {
      for (const std::string& bytes : EventBytes(file)) {
        const Result<proto::Event> event = proto::ParseEvent(bytes);
        if (!event || event->kind != proto::EventKind::kSummary) continue;
        const auto visit = [&](const proto::SummaryValue& value) {
          Logged logged{.run = name,
                        .tag = std::string(value.tag),
                        .step = event->step,
                        .kind = value.kind,
                        .value = value.simple_value,
                        .payload = std::string(value.payload)};
          if (const auto metadata = proto::ParseSummaryMetadata(value.metadata)) {
            logged.plugin_name = metadata->plugin_name;
            logged.plugin_content = metadata->plugin_content;
            logged.display_name = metadata->display_name;
            logged.description = metadata->description;
          }
          if (value.kind == proto::ValueKind::kTensor) {
            const auto tensor = proto::ParseTensor(value.payload);
            const auto strings = tensor ? proto::ReadStrings(*tensor) : Fail(tensor.error());
            if (strings && !strings->empty()) logged.text = strings->front();
          }
          all.push_back(std::move(logged));
        };
        EXPECT_TRUE(proto::ForEachValue(event->payload, visit).has_value());
      }
    }
  }
  return all;
}

// Returns "<run> <tag>" of each entry, in order.
inline std::vector<std::string> RunsAndTags(const std::vector<Logged>& all) {
  std::vector<std::string> names;
  for (const Logged& logged : all) names.push_back(logged.RunAndTag());
  return names;
}

// Returns the only value of that tag in that run.
inline Logged Find(const std::vector<Logged>& all, std::string_view tag,
                   std::string_view run = "") {
  std::vector<Logged> found;
  for (const Logged& logged : all) {
    if (logged.tag == tag && logged.run == run) found.push_back(logged);
  }
  EXPECT_EQ(found.size(), 1u) << run << " " << tag;
  return found.empty() ? Logged{} : found.front();
}

}  // namespace cboard::testing
