#include "server/compression_labels.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/compression/aurora.h"
#include "cboard/compression/names.h"
#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/record/record_reader.h"

namespace cboard {
namespace {

constexpr std::string_view kPluginName = "compression_board";

// A label is a few names; more is not one of ours.
constexpr std::size_t kMaxLabelBytes = 64 << 10;

struct OtherName {
  std::string_view flat_name, key;
};

// Where the last but one part of a tag is not the metric's key.
constexpr auto kOtherNames = std::to_array<OtherName>({
    {"latency_ms", "latency_mean_ms"},
    {"latency", "latency_mean_ms"},
    {"model_size", "model_size_mb"},
    {"memory_usage", "memory_usage_mb"},
    {"gpu_memory_mb", "gpu_memory_usage_mb"},
    {"energy_mw", "energy_consumption_mw"},
    {"energy", "energy_consumption_mw"},
});

std::string KeyOf(std::string_view flat_name) {
  const auto found = std::ranges::find(kOtherNames, flat_name, &OtherName::flat_name);
  return found == kOtherNames.end() ? NameOfDirectory(flat_name) : std::string(found->key);
}

bool IsAuroraFactor(std::string_view name) {
  return std::ranges::find(kAuroraFactorNames, name) != kAuroraFactorNames.end();
}

CompressionLabel MetricLabel(std::string model, std::string_view name, std::string_view variant) {
  const MetricDescription metric = DescribeMetric(KeyOf(name));
  return {.kind = LabelKind::kMetric,
          .model = std::move(model),
          .variant = NameOfDirectory(variant),
          .metric = metric.key,
          .unit = metric.unit,
          .better = metric.better,
          .from_tag = true};
}

CompressionLabel RatioLabel(std::string model, std::string ratio, std::string variant) {
  return {.kind = LabelKind::kRatio,
          .model = std::move(model),
          .variant = std::move(variant),
          .metric = std::move(ratio),
          .from_tag = true};
}

std::string Joined(std::span<const std::string_view> parts) {
  std::string text(parts.front());
  for (const std::string_view part : parts.subspan(1)) text += "/" + std::string(part);
  return text;
}

std::optional<CompressionLabel> TakeApart(std::string_view tag) {
  const std::vector<std::string_view> parts = Split(tag, '/');
  const std::size_t size = parts.size();
  if (std::ranges::find(parts, std::string_view()) != parts.end()) return std::nullopt;
  if (size >= 4 && (parts[size - 3] == "metrics" || parts[size - 3] == "performance")) {
    return MetricLabel(Joined(std::span(parts).first(size - 3)), parts[size - 2], parts[size - 1]);
  }
  if (size >= 4 && parts[size - 3] == "compression") {
    std::string model = Joined(std::span(parts).first(size - 3));
    if (parts[size - 2] == "aurora" && IsAuroraFactor(parts[size - 1])) {
      return RatioLabel(std::move(model), "aurora/" + std::string(parts[size - 1]),
                        std::string(kUsualVariant));
    }
    return RatioLabel(std::move(model), std::string(parts[size - 2]),
                      NameOfDirectory(parts[size - 1]));
  }
  if (size >= 3 && parts[size - 2] == "compression") {
    return RatioLabel(Joined(std::span(parts).first(size - 2)), std::string(parts[size - 1]),
                      std::string(kUsualVariant));
  }
  return std::nullopt;
}

// Reads stored labels until each of `wanted` has been met.
void ReadStoredLabels(const std::filesystem::path& path, std::set<std::string>& wanted,
                      std::map<std::string, CompressionLabel>& labels) {
  const Result<File> file = File::OpenForReading(path);
  if (!file) return;
  FileSource source(*file);
  RecordReader reader(source);
  const auto visit = [&](const proto::SummaryValue& value) {
    if (value.metadata.empty()) return;
    const auto metadata = proto::ParseSummaryMetadata(value.metadata);
    if (!metadata || metadata->plugin_name != kPluginName) return;
    const std::string tag = ToValidUtf8(value.tag);
    if (wanted.erase(tag) == 0) return;
    if (auto label = ParseLabel(metadata->plugin_content)) labels.emplace(tag, *std::move(label));
  };
  while (!wanted.empty()) {
    const Result<Record> record = reader.Next();
    if (!record) {
      if (record.error().code == ErrorCode::kDataLoss) continue;
      return;
    }
    const auto event = proto::ParseEvent(AsText(record->payload));
    if (!event || event->kind != proto::EventKind::kSummary) continue;
    // Damage inside a summary is the scan's to report.
    static_cast<void>(proto::ForEachValue(event->payload, visit));
  }
}

}  // namespace

std::optional<CompressionLabel> ParseLabel(std::string_view plugin_content) {
  if (plugin_content.empty() || plugin_content.size() > kMaxLabelBytes) return std::nullopt;
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(simdjson::padded_string(plugin_content)).get(object) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  const auto text = [&](std::string_view key) {
    std::string_view value;
    return object[key].get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
  };
  CompressionLabel label{.model = text("model"),
                         .variant = text("variant"),
                         .baseline = text("baseline"),
                         .metric = text("metric"),
                         .unit = text("unit")};
  if (label.model.empty() || label.variant.empty() || label.metric.empty()) return std::nullopt;
  if (!label.baseline.empty()) label.kind = LabelKind::kRatio;
  const std::string better = text("better");
  if (better == "higher") label.better = Better::kHigher;
  if (better == "lower") label.better = Better::kLower;
  double coverage = 0;
  if (object["coverage"].get(coverage) == simdjson::SUCCESS) label.coverage = coverage;
  return label;
}

std::optional<CompressionLabel> LabelOfTag(std::string_view tag) {
  std::optional<CompressionLabel> label = TakeApart(tag);
  // "%" is how an empty name is written; nothing can be told about one.
  if (label && (label->metric.empty() || label->variant.empty())) return std::nullopt;
  return label;
}

std::map<std::string, CompressionLabel> LabelsOfRun(const RunScan& run) {
  std::map<std::string, CompressionLabel> labels;
  std::set<std::string> wanted;
  for (const auto& [tag, scan] : run.tags) {
    if (scan.kind == TagKind::kScalar && scan.plugin_name == kPluginName) wanted.insert(tag);
  }
  for (const FileScan& file : run.files) {
    if (!wanted.empty()) ReadStoredLabels(file.path, wanted, labels);
  }
  for (const auto& [tag, scan] : run.tags) {
    if (scan.kind != TagKind::kScalar || labels.contains(tag)) continue;
    if (auto label = LabelOfTag(tag)) labels.emplace(tag, *std::move(label));
  }
  return labels;
}

}  // namespace cboard
