#include "reader/index/part_index.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cboard/base/check.h"
#include "cboard/base/strings.h"
#include "cboard/proto/tensor.h"
#include "proto/wire_reader.h"
#include "reader/index/file_index.h"
#include "reader/index/plugin_kind.h"
#include "reader/index/tag_info_table.h"

namespace cboard::reader {
namespace {

// Maximum number of stored counts of all restarts together. Each restart stores the number of
// points of each series. Real files have few restarts. A crafted file may consist of restarts;
// without the limit, its index would need memory in proportion to the square of its size.
constexpr std::uint64_t kMaxRestartCounts = std::uint64_t{1} << 22;

// Returns the kind of data that the type and the metadata of a value indicate. Returns nullopt for
// a tensor without metadata; then the tag decides.
std::optional<TagKind> OwnKind(const proto::SummaryValue& value,
                               const proto::SummaryMetadata& metadata) {
  switch (value.kind) {
    case proto::ValueKind::kSimpleValue:
      return TagKind::kScalar;
    case proto::ValueKind::kHistogram:
      return TagKind::kHistogram;
    case proto::ValueKind::kImage:
      return TagKind::kImage;
    case proto::ValueKind::kAudio:
      return TagKind::kAudio;
    default:
      break;
  }
  if (metadata.data_class == proto::DataClass::kScalar) return TagKind::kScalar;
  if (metadata.plugin_name.empty()) return std::nullopt;
  return KindOfPlugin(metadata.plugin_name);
}

Result<double> ScalarOf(const proto::SummaryValue& value) {
  if (value.kind == proto::ValueKind::kSimpleValue) return static_cast<double>(value.simple_value);
  CBOARD_ASSIGN_OR_RETURN(const proto::Tensor tensor, proto::ParseTensor(value.payload));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> numbers, proto::ReadNumbers(tensor, 1));
  if (numbers.size() != 1)
    return Fail(ErrorCode::kDataLoss, "a logged scalar has an empty tensor instead of one number");
  return numbers[0];
}

// Calls visit(bytes) for each value of `summary`.
template <typename Visit>
Result<void> ForEachField(std::string_view summary, const Visit& visit) {
  return proto::ReadMessageInto("Summary", summary, visit,
                                [](proto::pbf_reader fields, const Visit& visitor) {
                                  while (fields.next()) {
                                    if (fields.tag_and_type() == proto::Length(1)) {
                                      visitor(proto::ViewOf(fields));
                                    } else {
                                      fields.skip();
                                    }
                                  }
                                });
}

bool ComesAsEvent(const TagInfo& info) {
  return info.plugin_name.empty() &&
         (info.kind == TagKind::kGraph || info.kind == TagKind::kRunMetadata);
}

}  // namespace

PartIndex::PartIndex(const std::vector<std::shared_ptr<const TagInfo>>& known, LogState log_state)
    : known_count(known.size()), state(log_state) {
  for (const std::shared_ptr<const TagInfo>& info : known) series.Add(info);
}

void PartIndex::Adopt(const FileView& view, LogState log_state,
                      const std::shared_ptr<const void>& owner) {
  CBOARD_CHECK(series.size() == 0 && record_count == 0);
  state = log_state;
  record_count = view.file.record_count;
  damaged_bytes = view.file.damaged_bytes;
  event_count = view.event_count;
  crc_sum = view.crc_sum;
  first_wall_time_seconds = view.first_wall_time_seconds;
  newest_wall_time_seconds = view.newest_wall_time_seconds;
  damage_count = view.damage_count;
  for (const FileDamage& place : view.damage) {
    damage.push_back({place.offset, place.bytes, place.reason, place.is_record});
    if (!place.is_record) skipped_end_ = place.offset + place.bytes;  // See AddSkipped().
  }
  for (const SeriesView& stored : view.series) {
    Series& added = series[series.Add(stored.info)];
    added.min_step = stored.min_step;
    added.max_step = stored.max_step;
    added.first_step = stored.first_step;
    added.last_step = stored.last_step;
    added.has_steps = true;  // Only tags with points are stored.
    added.steps_ascend = stored.steps_ascend;
    added.mismatched_count = stored.mismatched_count;
    for (const ScalarColumnView& column : stored.scalars) added.scalars.Adopt(column);
    for (const BlobColumnView& column : stored.blobs) added.blobs.Adopt(column);
  }
  for (const Restart& restart : view.restarts) {
    PartRestart& added = restarts.emplace_back();
    added.step = restart.step;
    added.is_session_start = restart.is_session_start;
    added.series = restart.series;
    if (restart.is_session_start) {
      added.counts = restart.counts;
    } else {
      added.counts = {restart.counts.back()};
    }
  }
  series.scalar_arena()->Keep(owner);
  series.blob_arena()->Keep(owner);
}

std::optional<std::uint32_t> PartIndex::AddRecord(std::uint64_t offset, ByteSpan payload) {
  ++record_count;
  single_scalar_.reset();
  value_count_ = 0;
  const Result<proto::Event> event = proto::ParseEvent(AsText(payload));
  Result<void> outcome;
  if (event) {
    ++event_count;
    if (std::isfinite(event->wall_time_seconds)) RecordWallTime(event->wall_time_seconds);
    outcome = AddEvent(*event, {offset, AsText(payload), event->step, event->wall_time_seconds});
  } else {
    outcome = Fail(event.error());
  }
  if (!outcome) {
    constexpr std::uint64_t kOverheadBytes = 16;
    AddDamage({offset, payload.size() + kOverheadBytes, outcome.error().message, true});
    return std::nullopt;
  }
  return value_count_ == 1 ? single_scalar_ : std::nullopt;
}

// Returns the kind of a value. `number` is the number of the series of its tag, or negative if the
// tag is new.
TagKind PartIndex::KindOf(const proto::SummaryValue& value, const proto::SummaryMetadata& metadata,
                          std::int64_t number) const {
  return OwnKind(value, metadata)
      .value_or(number < 0 ? TagKind::kTensor
                           : series[static_cast<std::size_t>(number)].info->kind);
}

bool PartIndex::HoldsScalar(std::string_view value_bytes) {
  const Result<proto::SummaryValue> value = proto::ParseSummaryValue(value_bytes);
  if (!value) return false;
  const Result<proto::SummaryMetadata> metadata = proto::ParseSummaryMetadata(value->metadata);
  return metadata && KindOf(*value, *metadata, FindTag(value->tag)) == TagKind::kScalar;
}

std::optional<std::uint32_t> PartIndex::ScalarSeriesOf(const std::shared_ptr<const TagInfo>& info) {
  const std::int64_t number = series.Find(info->name);
  if (number < 0) return series.Add(info);
  if (series[static_cast<std::size_t>(number)].info->kind != TagKind::kScalar) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

void PartIndex::AddDamage(PartDamage place) {
  ++damage_count;
  damaged_bytes += place.bytes;
  if (damage.size() < kMaxReportedDamage) damage.push_back(std::move(place));
}

void PartIndex::AddSkipped(PartDamage skipped) {
  const bool goes_on = damage_count > 0 && skipped.offset == skipped_end_;
  skipped_end_ = skipped.offset + skipped.bytes;
  if (!goes_on) {
    AddDamage(std::move(skipped));
    return;
  }
  damaged_bytes += skipped.bytes;
  if (damage_count <= damage.size()) damage.back().bytes += skipped.bytes;
}

std::size_t PartIndex::ExpectedMore(std::size_t points) const {
  if (done_bytes_ == 0 || points == 0) return 0;
  const double share = static_cast<double>(left_bytes_) / static_cast<double>(done_bytes_);
  return static_cast<std::size_t>(std::min(share * static_cast<double>(points), 1e6));
}

Result<void> PartIndex::AddEvent(const proto::Event& event, const Place& place) {
  if (!state.has_version_2) {
    if (event.kind == proto::EventKind::kSummary) {
      if (event.step < state.newest_step) VoidFrom(event.step, event.payload);
      // The step is stored even if it is smaller than the previous one: the next event is compared
      // with it.
      state.newest_step = event.step;
    }
  }
  switch (event.kind) {
    case proto::EventKind::kSummary:
      return AddSummary(event.payload, place);
    case proto::EventKind::kGraphDef:
      AddEventBlob(kRunGraphTag, TagKind::kGraph, event.payload, place);
      return {};
    case proto::EventKind::kMetaGraphDef:
      AddEventBlob(kMetaGraphTag, TagKind::kGraph, event.payload, place);
      return {};
    case proto::EventKind::kTaggedRunMetadata: {
      CBOARD_ASSIGN_OR_RETURN(const proto::TaggedRunMetadata metadata,
                              proto::ParseTaggedRunMetadata(event.payload));
      AddEventBlob(metadata.tag, TagKind::kRunMetadata, metadata.run_metadata, place);
      return {};
    }
    case proto::EventKind::kSessionLog:
      return AddSessionLog(event.payload, event.step);
    case proto::EventKind::kFileVersion:
      RecordFileVersion(event.payload);
      return {};
    default:
      return {};  // Log messages are not data of a run.
  }
}

Result<void> PartIndex::AddSummary(std::string_view summary, const Place& place) {
  // If a value cannot be read, uses the other values and reports the first error.
  Result<void> outcome;
  const auto note = [&](const Result<void>& result) {
    if (outcome && !result) outcome = result;
  };
  const auto add = [&](std::string_view bytes) {
    ++value_count_;
    const Result<proto::SummaryValue> value = proto::ParseSummaryValue(bytes);
    note(value ? AddValue(*value, bytes, place) : Fail(value.error()));
  };
  note(ForEachField(summary, add));
  return outcome;
}

Result<void> PartIndex::AddValue(const proto::SummaryValue& value, std::string_view bytes,
                                 const Place& place) {
  const auto in_tag = [&](Error error) {
    return Fail(Annotate(std::move(error), "tag " + Quoted(value.tag)));
  };
  if (value.kind == proto::ValueKind::kObsoleteHistogram) return {};
  std::int64_t number = FindTag(value.tag);
  proto::SummaryMetadata metadata;
  if (!value.metadata.empty()) {
    const auto parsed = proto::ParseSummaryMetadata(value.metadata);
    if (!parsed) return in_tag(parsed.error());
    metadata = *parsed;
  }
  // Ignores a value without data, unless its metadata names a plugin.
  if (value.kind == proto::ValueKind::kNone && metadata.plugin_name.empty()) return {};

  const bool is_new = number < 0;
  const TagKind kind = KindOf(value, metadata, number);
  double scalar = 0;
  if (kind == TagKind::kScalar) {
    if (value.kind == proto::ValueKind::kNone) return {};
    const Result<double> read = ScalarOf(value);
    if (!read) return in_tag(read.error());
    scalar = *read;
  }
  if (is_new) {
    number = series.Add(Intern({.name = ToValidUtf8(value.tag),
                                .kind = kind,
                                .plugin_name = ToValidUtf8(metadata.plugin_name),
                                .plugin_content = std::string(metadata.plugin_content),
                                .display_name = ToValidUtf8(metadata.display_name),
                                .description = ToValidUtf8(metadata.description),
                                .data_class = metadata.data_class}));
  }
  Series& tag = series[static_cast<std::size_t>(number)];
  if (tag.info->kind != kind || ComesAsEvent(*tag.info)) {
    ++tag.mismatched_count;
    return {};
  }
  if (kind != TagKind::kScalar) {
    AddBlob(static_cast<std::uint32_t>(number), bytes, place);
    return {};
  }
  tag.RecordStep(place.step);
  tag.scalars.Append(place.step, place.wall_time_seconds, scalar, ExpectedMore(tag.scalars.size()));
  single_scalar_ = static_cast<std::uint32_t>(number);
  return {};
}

void PartIndex::AddBlob(std::uint32_t number, std::string_view bytes, const Place& place) {
  Series& tag = series[number];
  tag.RecordStep(place.step);
  const std::ptrdiff_t value_offset = bytes.empty() ? 0 : bytes.data() - place.payload.data();
  tag.blobs.Append({.step = place.step,
                    .wall_time_seconds = place.wall_time_seconds,
                    .record_offset = place.record_offset,
                    .record_bytes = static_cast<std::uint32_t>(place.payload.size()),
                    .value_offset = static_cast<std::uint32_t>(value_offset),
                    .value_bytes = static_cast<std::uint32_t>(bytes.size())});
}

void PartIndex::AddEventBlob(std::string_view tag, TagKind kind, std::string_view bytes,
                             const Place& place) {
  std::int64_t number = FindTag(tag);
  if (number < 0) number = series.Add(Intern({.name = ToValidUtf8(tag), .kind = kind}));
  Series& found = series[static_cast<std::size_t>(number)];
  if (found.info->kind != kind || !ComesAsEvent(*found.info)) {
    ++found.mismatched_count;
    return;
  }
  AddBlob(static_cast<std::uint32_t>(number), bytes, place);
}

std::int64_t PartIndex::FindTag(std::string_view tag) {
  const std::int64_t number = series.Find(tag);
  if (number >= 0 || IsValidUtf8(tag)) return number;
  return series.Find(ToValidUtf8(tag));
}

Result<void> PartIndex::AddSessionLog(std::string_view bytes, std::int64_t step) {
  CBOARD_ASSIGN_OR_RETURN(const proto::SessionLog log, proto::ParseSessionLog(bytes));
  if (log.status != proto::SessionStatus::kStart) return {};
  restart_counts_ += series.size() + 1;
  if (restart_counts_ > kMaxRestartCounts) {
    return Fail(ErrorCode::kResourceExhausted,
                "the event file has too many restarts of its writer; this restart is ignored");
  }
  PartRestart restart{.step = step, .is_session_start = true};
  for (std::size_t i = 0; i < series.size(); ++i) restart.counts.push_back(series[i].size());
  restarts.push_back(std::move(restart));
  return {};
}

void PartIndex::RecordFileVersion(std::string_view version) {
  constexpr std::string_view kPrefix = "brain.Event:";
  const bool is_2 = version.starts_with(kPrefix) &&
                    std::atof(std::string(version.substr(kPrefix.size())).c_str()) >= 2;
  version_changed = version_changed || is_2 != state.has_version_2;
  state.has_version_2 = is_2;
}

// Records a restart of an old file, which has no session marks. If the step of an event is smaller
// than that of the previous event, the training was resumed there, for all tags of the event.
void PartIndex::VoidFrom(std::int64_t step, std::string_view summary) {
  (void)proto::ForEachValue(summary, [&](const proto::SummaryValue& value) {
    const std::int64_t number = FindTag(value.tag);
    if (number < 0) return;
    const Series& tag = series[static_cast<std::size_t>(number)];
    if (tag.size() == 0 || tag.max_step < step) return;
    restart_counts_ += static_cast<std::uint64_t>(number) + 1;
    if (restart_counts_ > kMaxRestartCounts) return;
    restarts.push_back({.step = step,
                        .is_session_start = false,
                        .series = static_cast<std::uint32_t>(number),
                        .counts = {tag.size()}});
  });
}

}  // namespace cboard::reader
