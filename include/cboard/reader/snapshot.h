// The content of a log directory at one moment. A snapshot never changes, and all clients share it.
// After changes, the reader publishes a new snapshot. Both snapshots share the objects of runs that
// did not change.
//
//   const std::shared_ptr<const Snapshot> snapshot = reader.snapshot();
//   if (const Tag* tag = snapshot->FindTag("train", "loss")) Plot(tag->scalars);
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/memo.h"
#include "cboard/base/result.h"
#include "cboard/proto/summary.h"
#include "cboard/reader/series.h"
#include "cboard/reader/tag_kind.h"

namespace cboard::reader {

// Properties of a tag. They come from its first value and apply to all its values. Tags of
// different runs share the object if their properties are equal.
struct TagInfo {
  std::string name;  // Valid UTF-8.
  TagKind kind = TagKind::kTensor;
  std::string plugin_name;     // As stored, often empty for scalars, histograms and images.
  std::string plugin_content;  // Bytes of PluginData.content.
  std::string display_name;
  std::string description;
  proto::DataClass data_class = proto::DataClass::kUnknown;  // As stored; old writers store none.

  friend bool operator==(const TagInfo&, const TagInfo&) = default;
};

struct Tag {
  std::shared_ptr<const TagInfo> info;
  ScalarSeries scalars;  // Points of a kScalar tag; empty for other kinds.
  BlobSeries blobs;      // Values of all other kinds.
  std::int64_t min_step = 0;
  std::int64_t max_step = 0;
  // Number of ignored values: their kind differs from the kind of the first value.
  std::uint32_t mismatched_count = 0;
  bool steps_ascend = true;  // True if no step is below the previous one.

  const std::string& name() const { return info->name; }
  TagKind kind() const { return info->kind; }
  std::size_t size() const { return kind() == TagKind::kScalar ? scalars.size() : blobs.size(); }
};

// The state of one event file of a run.
struct EventFile {
  std::filesystem::path path;
  std::uint64_t size_bytes = 0;     // Size when last checked.
  std::uint64_t record_count = 0;   // Whole records.
  std::uint64_t damaged_bytes = 0;  // Skipped bytes, and records that contain no event.
  std::uint64_t torn_bytes = 0;     // Bytes at the end: an incomplete record.
  std::optional<Error> error;       // Why reading ended early, if the file system refused.
};

// A place in an event file that could not be read.
struct Damage {
  std::filesystem::path path;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::string reason;
};

inline constexpr std::size_t kMaxReportedDamage = 100;

// A run: a directory that contains event files.
struct Run {
  // Name of the run: its path below the log directory, or "." for the log directory itself. It is
  // valid UTF-8 and unique.
  std::string name;
  std::filesystem::path directory;
  std::uint64_t version = 0;  // Version of the snapshot in which this run last changed.
  std::vector<Tag> tags;      // Sorted by name.
  std::vector<std::shared_ptr<const EventFile>> files;  // By name, which is also the order of time.
  std::vector<Damage> damage;                           // The first kMaxReportedDamage places.
  std::uint64_t damage_count = 0;                       // Number of all damaged places.
  std::uint64_t event_count = 0;
  // The smallest wall time of the run's events.
  double first_wall_time_seconds = std::numeric_limits<double>::infinity();
  double newest_wall_time_seconds = -std::numeric_limits<double>::infinity();

  // Memos: results that other modules have computed for this run. The next snapshot uses them again
  // if the run does not change.
  Notes notes;

  const Tag* Find(std::string_view tag) const;  // nullptr if there is none.
  bool Has(TagKind kind) const;                 // A tag of this kind.
};

struct LoadProgress {
  std::uint64_t done_bytes = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t done_runs = 0;
  std::uint64_t total_runs = 0;
  bool complete = false;  // True if all data that existed at the start has been read.
};

struct Snapshot {
  std::uint64_t version = 0;                     // Increases by one with each change.
  std::vector<std::shared_ptr<const Run>> runs;  // Sorted by name.
  std::vector<Error> unreadable;                 // Directories that could not be listed.
  std::vector<Error> notices;  // Why changes of some directories are detected late.
  LoadProgress progress;

  const Run* FindRun(std::string_view name) const;  // nullptr if there is none.
  const Tag* FindTag(std::string_view run, std::string_view tag) const;
};

}  // namespace cboard::reader
