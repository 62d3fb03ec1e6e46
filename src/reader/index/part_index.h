// The index of one part of an event file.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"
#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "reader/index/series_table.h"

namespace cboard::reader {

struct FileView;  // Declared in file_index.h.

// Like Restart in file_index.h, but the numbers of series are those of this part. If the restart is
// not a session start, `counts` has one element, for `series`.
struct PartRestart {
  std::int64_t step = 0;
  bool is_session_start = false;
  std::uint32_t series = 0;
  std::vector<std::uint64_t> counts;
};

struct PartDamage {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::string reason;
  bool is_record = false;  // See FileDamage.
};

// Facts about the file so far that change the meaning of later events.
struct LogState {
  // True if the last version event was "brain.Event:2" or later. Older versions log no session
  // starts.
  bool has_version_2 = false;
  // The step of the last summary event. Used only for files that log no session starts.
  std::int64_t newest_step = 0;
};

// Stores the values of events by their tag. The first value of a tag decides the kind and the
// metadata of the tag; later values of another kind are counted but not stored. Graphs and run
// metadata are separate events. They have tags too: kRunGraphTag, kMetaGraphTag, and the tag in the
// run metadata. If a summary uses the same tag, the first value decides its kind.
//
// Not thread-safe, but any thread may read the views of its columns.
class PartIndex {
 public:
  // Creates an index of a part. `known` are the tags of earlier parts of the file.
  PartIndex(const std::vector<std::shared_ptr<const TagInfo>>& known, LogState state);
  PartIndex() : PartIndex({}, {}) {}

  // Creates an index of a whole file, which stores the points of scalars in `scalar_arena`.
  explicit PartIndex(std::shared_ptr<Arena> scalar_arena) : series(std::move(scalar_arena)) {}

  // Starts with the stored index that `view` shows, without copying it; `owner` keeps the index
  // alive. Call it only on an empty part.
  void Adopt(const FileView& view, LogState log_state, const std::shared_ptr<const void>& owner);

  // Adds the payload of the record at `offset`. If the payload is not an event, or a value cannot
  // be read, reports damage and uses the other values. If the event has exactly one value and it
  // became a point of a scalar tag, returns the number of its series.
  std::optional<std::uint32_t> AddRecord(std::uint64_t offset, ByteSpan payload);

  // True if AddRecord() would parse the content of this value because it is a point of a scalar
  // tag.
  bool HoldsScalar(std::string_view value_bytes);

  // Returns the number of the scalar series of `info`, as if an event had created its tag. Returns
  // nullopt if the tag is not a scalar in this part.
  std::optional<std::uint32_t> ScalarSeriesOf(const std::shared_ptr<const TagInfo>& info);

  // Reports bytes that are not a record. Adjacent damaged bytes become one damage: the damaged end
  // of a growing file is skipped in small steps.
  void AddSkipped(PartDamage skipped);

  // Sets which share of the file was read. ExpectedMore() estimates from it how many points will
  // follow in a series that has `points` points.
  void SetProgress(std::uint64_t done_bytes, std::uint64_t left_bytes) {
    done_bytes_ = done_bytes;
    left_bytes_ = left_bytes;
  }
  std::size_t ExpectedMore(std::size_t points) const;

  void RecordWallTime(double wall_time_seconds) {
    if (wall_time_seconds > newest_wall_time_seconds) newest_wall_time_seconds = wall_time_seconds;
    if (wall_time_seconds < first_wall_time_seconds) first_wall_time_seconds = wall_time_seconds;
  }

  SeriesTable series;
  std::size_t known_count = 0;  // The first series are those of earlier parts.
  LogState state;
  // True if state.has_version_2 has changed since the start of the part.
  bool version_changed = false;
  std::vector<PartRestart> restarts;
  std::vector<PartDamage> damage;  // The first kMaxReportedDamage places.
  std::uint64_t damage_count = 0;
  std::uint64_t damaged_bytes = 0;
  std::uint64_t record_count = 0;
  std::uint64_t event_count = 0;
  std::uint64_t crc_sum = 0;  // See FileView.
  double first_wall_time_seconds = std::numeric_limits<double>::infinity();
  double newest_wall_time_seconds = -std::numeric_limits<double>::infinity();

 private:
  // The position of an event: the offset of its record, and its payload, step and wall time.
  struct Place {
    std::uint64_t record_offset = 0;
    std::string_view payload;
    std::int64_t step = 0;
    double wall_time_seconds = 0;
  };

  TagKind KindOf(const proto::SummaryValue& value, const proto::SummaryMetadata& metadata,
                 std::int64_t number) const;
  void AddDamage(PartDamage damage);
  Result<void> AddEvent(const proto::Event& event, const Place& place);
  Result<void> AddSummary(std::string_view summary, const Place& place);
  Result<void> AddValue(const proto::SummaryValue& value, std::string_view bytes,
                        const Place& place);
  Result<void> AddSessionLog(std::string_view bytes, std::int64_t step);
  void AddBlob(std::uint32_t number, std::string_view bytes, const Place& place);
  void AddEventBlob(std::string_view tag, TagKind kind, std::string_view bytes, const Place& place);
  void RecordFileVersion(std::string_view version);
  void VoidFrom(std::int64_t step, std::string_view summary);
  std::int64_t FindTag(std::string_view tag);

  std::optional<std::uint32_t> single_scalar_;
  std::uint64_t value_count_ = 0;  // The values of the current event.
  std::uint64_t restart_counts_ = 0;
  std::uint64_t skipped_end_ = 0;  // The end of the last damaged bytes.
  std::uint64_t done_bytes_ = 0;
  std::uint64_t left_bytes_ = 0;
};

}  // namespace cboard::reader
