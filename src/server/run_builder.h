// Runs for the tests of this folder: on disk, event by event, or in memory.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reader/event_builder.h"
#include "server/run_log.h"

namespace cboard::testing {

// A scalar that carries `label` as our writers store it.
inline std::string LabelledRecord(std::string_view tag, float value, std::string_view label) {
  std::string summary;
  proto::AppendScalarValue(tag, value,
                           {.plugin_name = "compression_board", .plugin_content = label}, summary);
  return SummaryRecord(summary, 0);
}

inline std::filesystem::path EventFile(const std::filesystem::path& run) {
  return run / "events.out.tfevents.1.host";
}

// A run in memory, whose labels come from its tags.
class RunBuilder {
 public:
  explicit RunBuilder(std::string name) { log_.scan.name = std::move(name); }

  RunBuilder& Scalar(const std::string& tag, const std::vector<double>& values) {
    TagScan& scan = log_.scan.tags[tag];
    scan.kind = TagKind::kScalar;
    for (const double value : values) {
      scan.points.push_back({static_cast<std::int64_t>(scan.count), 1, value});
      scan.max_step = static_cast<std::int64_t>(scan.count++);
      scan.last_value = value;
      ++log_.scan.event_count;
    }
    return *this;
  }

  RunBuilder& Label(const std::string& tag, CompressionLabel label) {
    log_.labels[tag] = std::move(label);
    return *this;
  }

  std::shared_ptr<const RunLog> Build() {
    for (const auto& [tag, scan] : log_.scan.tags) {
      const auto label = LabelOfTag(tag);
      if (label) log_.labels.emplace(tag, *label);
    }
    return std::make_shared<const RunLog>(log_);
  }

 private:
  RunLog log_;
};

}  // namespace cboard::testing
