// Index of the records of one section of an event file.
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

struct FileView;  // file_index.h

// A Restart of file_index.h, with the series of the part. If it is not a session start there is one
// count, that of `series`.
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

// Properties of the file that affect the events that follow.
struct LogState {
  bool has_version_2 = false;  // A "brain.Event:2" or later has been seen, and none before it
                               // since; only then are sessions marked.
  // Highest step so far; restarts do not lower it.
  std::int64_t newest_step = 0;
};

// Values are filed under their tag. The first value of a tag decides what it holds (its kind, and
// what its metadata says); later ones of another kind are counted, not kept. Graphs and run
// metadata, which come as events of their own, have tags too: kRunGraphTag, kMetaGraphTag and that
// of the run metadata; if such a tag also names a summary, the first to come keeps it.
//
// Not thread-safe; the views of its columns are.
class PartIndex {
 public:
  // `known` are the tags of the earlier sections of the file.
  PartIndex(const std::vector<std::shared_ptr<const TagInfo>>& known, LogState state);
  PartIndex() : PartIndex({}, {}) {}

  // Takes over a stored index that `view` shows, without copying: `owner` keeps it alive. Only for
  // an empty part.
  void Adopt(const FileView& view, LogState log_state, const std::shared_ptr<const void>& owner);

  // Adds the payload of the record at `offset`. One that is no event, or holds a value that cannot
  // be read, is reported as damage; its other values are used. Returns the series if the event
  // holds one value, which became a point of a scalar tag.
  std::optional<std::uint32_t> AddRecord(std::uint64_t offset, ByteSpan payload);

  // Returns true if AddRecord reads the content of a value: a point of a scalar tag.
  bool HoldsScalar(std::string_view value_bytes);

  // Reports bytes that are not a record. A file that grows with a damaged end is skipped in small
  // steps; damage directly behind such bytes is counted as the same damage.
  void AddSkipped(PartDamage skipped);

  // Expected number of further points of a series with `points`, from the share of the file that
  // was read.
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
  std::size_t known_count = 0;  // The first series are those that were known before.
  LogState state;
  bool version_changed = false;  // state.has_version_2 is not what it was at the beginning.
  std::vector<PartRestart> restarts;
  std::vector<PartDamage> damage;  // The first kMaxReportedDamage places.
  std::uint64_t damage_count = 0;
  std::uint64_t damaged_bytes = 0;
  std::uint64_t record_count = 0;
  std::uint64_t event_count = 0;
  double first_wall_time_seconds = std::numeric_limits<double>::infinity();
  double newest_wall_time_seconds = -std::numeric_limits<double>::infinity();

 private:
  // The record that is being added.
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
  std::uint64_t value_count_ = 0;  // Values of the current event.
  std::uint64_t restart_counts_ = 0;
  std::uint64_t skipped_end_ = 0;  // End of the last damaged bytes.
  std::uint64_t done_bytes_ = 0;
  std::uint64_t left_bytes_ = 0;
};

}  // namespace cboard::reader
