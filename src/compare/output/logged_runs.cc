#include "compare/output/logged_runs.h"

#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "cboard/compression/tags.h"
#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/record/record_reader.h"
#include "cboard/writer/run_file.h"
#include "compare/output/log_parts.h"

namespace cboard::compare {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOwnerTag = "/graph/";

// Maximum number of records to read in search of the first value: file version and session start
// come before the first value.
constexpr int kMaxRecordsBeforeOwner = 4;

// Returns the label of the first value in an event file; empty if another program wrote the file.
std::string FirstLabel(const fs::path& path) {
  constexpr std::uint64_t kMaxBytes = 64 << 10;
  const Result<std::string> beginning = writer::ReadRunFile(path, kMaxBytes);
  if (!beginning) return {};
  record::MemorySource source(AsBytes(*beginning));
  record::RecordReader reader(source);
  for (int i = 0; i <= kMaxRecordsBeforeOwner; ++i) {
    const auto record = reader.Next();
    if (!record) return {};
    const auto event = proto::ParseEvent(AsText(record->payload));
    if (!event) return {};
    if (event->kind != proto::EventKind::kSummary) continue;
    std::string label;
    const auto read = proto::ForEachValue(event->payload, [&](const proto::SummaryValue& value) {
      const auto metadata = proto::ParseSummaryMetadata(value.metadata);
      if (!metadata || metadata->plugin_name != compression::kCompressionPluginName) return;
      if (value.tag.find(kOwnerTag) != std::string_view::npos) label = metadata->plugin_content;
    });
    return read ? label : std::string();
  }
  return {};
}

}  // namespace

fs::path RunDirectory(const fs::path& directory, const std::string& model) {
  const std::string ours = LabelOf(model, {}, kBaselineName);
  for (const fs::path& file : writer::EventFilesIn(directory / kBaselineName)) {
    const std::string label = FirstLabel(file);
    if (!label.empty() && label != ours) return directory / model;
  }
  return directory;
}

WriterOptions ReplaceOptions() { return {.purge_step = 0}; }

Result<void> LogOwner(SummaryWriter& writer, const std::string& model, std::string_view variant,
                      const fs::path& file) {
  JsonWriter json;
  json.BeginObject().Key("v").Value(1);
  json.Key("file").Value(ToValidUtf8(file.filename().string())).EndObject();
  return AddJson(writer, model + std::string(kOwnerTag) + std::string(variant), json.Take(),
                 LabelOf(model, {}, variant));
}

}  // namespace cboard::compare
