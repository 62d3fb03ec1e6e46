// The index of one part of an event file.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"
#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "reader/index/series_table.h"

namespace cboard::reader {

struct FileView;  // Declared in file_index.h.

// A Restart as in file_index.h, but with series indices of this part. If it is not a session start,
// it has one count, for `series`.
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

// Properties of the file so far that affect later events.
struct LogState {
  bool has_version_2 = false;  // The last version event was "brain.Event:2" or later;
                               // only then, session starts are logged.
  // Highest step so far; restarts do not lower it.
  std::int64_t newest_step = 0;
};

// Stores the values of events by their tag. The first value of a tag decides its kind and metadata;
// later values of another kind are counted but not stored. Graphs and run metadata, which are
// separate events, have tags too: kRunGraphTag, kMetaGraphTag and the tag of the run metadata. If a
// summary has the same tag, the first value of both decides.
//
// Not thread-safe; the views of its columns are.
class PartIndex {
 public:
  // `known` are the tags of earlier parts of the file.
  PartIndex(const std::vector<std::shared_ptr<const TagInfo>>& known, LogState state);
  PartIndex() : PartIndex({}, {}) {}

  // Starts with the stored index that `view` shows, without copying: `owner` keeps it alive. Call
  // it only on an empty part.
  void Adopt(const FileView& view, LogState log_state, const std::shared_ptr<const void>& owner);

  // Adds the payload of the record at `offset`. A payload that is not an event, or that has an
  // unreadable value, is reported as damage; its other values are used. Returns the series if the
  // event holds exactly one value and this value became a point of a scalar tag.
  std::optional<std::uint32_t> AddRecord(std::uint64_t offset, ByteSpan payload);

  // Returns true if AddRecord() parses the content of this value, because it is a point of a scalar
  // tag.
  bool HoldsScalar(std::string_view value_bytes);

  // Reports bytes that are not a record. The damaged end of a growing file is skipped in small
  // steps; adjacent damaged bytes are reported as one damage.
  void AddSkipped(PartDamage skipped);

  // The expected number of further points of a series that has `points`, estimated from the share
  // of the file that was read.
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
  // state.has_version_2 differs from its value at the start of the part.
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
  // The offset of the record that is being added.
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
