// Reads a whole log directory once, from the first event file to the last, and tells what is there.
//
//   CBOARD_ASSIGN_OR_RETURN(LogdirScan scan, ScanLogdir("runs"));
//   for (const RunScan& run : scan.runs)
//     for (const auto& [tag, series] : run.tags) Print(run.name, tag, series.count);
//
// Memory follows the number of tags, and of scalar points when they are kept, not the size of the
// files. Damage never ends a scan: it is skipped and reported.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard {

// What a tag holds, decided by its first value: the kind of value, or for tensors the plugin that
// they are addressed to.
enum class TagKind {
  kScalar,
  kHistogram,
  kImage,
  kAudio,
  kText,
  kTensor,  // Of a plugin that is not one of these.
  kHParams,
  kPrCurve,
  kMesh,
  kGraph,
  kRunMetadata,
  kCustomScalars,
};

// The kind in the spelling of JSON and tables: "pr_curve".
std::string_view NameOf(TagKind kind);

struct ScalarPoint {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  double value = 0;
};

struct TagScan {
  TagKind kind = TagKind::kTensor;
  std::string plugin_name;   // As in the metadata of the first value; often empty.
  std::string display_name;  // Likewise.
  std::string description;   // Likewise.
  std::uint64_t count = 0;
  std::uint64_t mismatched_count = 0;  // Values of another kind than the first; not counted above.
  std::int64_t first_step = 0;         // In the order of the files.
  std::int64_t last_step = 0;
  std::int64_t min_step = 0;
  std::int64_t max_step = 0;
  double newest_wall_time_seconds = -std::numeric_limits<double>::infinity();
  std::optional<double> last_value;  // Scalars only.
  std::vector<ScalarPoint> points;   // Scalars only, when asked for.
};

struct FileScan {
  std::filesystem::path path;
  std::uint64_t size_bytes = 0;
  std::uint64_t record_count = 0;   // Whole records.
  std::uint64_t damaged_bytes = 0;  // Skipped, or records that hold no event.
  std::uint64_t torn_bytes = 0;  // At the end: a record that is still being written, or never was.
  std::optional<Error> error;    // Why reading ended early, if the file system refused.
};

struct Damage {
  std::filesystem::path path;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::string reason;
};

// A directory that holds event files.
struct RunScan {
  std::string name;  // The path below the log directory, "." for itself; valid UTF-8.
  std::filesystem::path directory;
  std::map<std::string, TagScan> tags;  // By tag, made valid UTF-8.
  std::vector<FileScan> files;          // In the order of their names, which is the order of time.
  std::vector<Damage> damage;           // The first kMaxReportedDamage places.
  std::uint64_t damage_count = 0;       // All of them.
  std::uint64_t event_count = 0;
  double newest_wall_time_seconds = -std::numeric_limits<double>::infinity();
};

struct LogdirScan {
  std::vector<RunScan> runs;      // In the order of their names.
  std::vector<Error> unreadable;  // Directories that could not be listed.
};

inline constexpr std::size_t kMaxReportedDamage = 100;

struct ScanOptions {
  bool keep_points = false;

  // More directories than this below the log directory fail with kResourceExhausted: it is
  // probably the root of a file system, or full of symbolic links.
  std::size_t max_directories = 1'000'000;

  // Called now and then with the bytes read so far and the bytes of all files.
  std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)> on_progress;
};

// A directory with event files (regular files whose name contains "tfevents"), before reading.
struct RunFiles {
  std::string name;
  std::filesystem::path directory;
  std::vector<std::filesystem::path> files;
  std::uint64_t size_bytes = 0;
};

// Finds the runs below `logdir`. Directories behind symbolic links are followed, except back into
// one that is being listed, and by at most 16 links into the same one. Fails with kNotFound when
// `logdir` is missing and kInvalidArgument when it is not a directory; what cannot be listed
// further down goes to `unreadable`.
Result<std::vector<RunFiles>> FindRuns(const std::filesystem::path& logdir,
                                       std::vector<Error>& unreadable,
                                       std::size_t max_directories = ScanOptions().max_directories);

// Reads one run.
RunScan ScanRun(const RunFiles& run, const ScanOptions& options = {});

// Finds and reads all runs. Fails as FindRuns does; a directory without runs is an empty scan.
Result<LogdirScan> ScanLogdir(const std::filesystem::path& logdir, const ScanOptions& options = {});

}  // namespace cboard
