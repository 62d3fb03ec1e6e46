// The state that the methods of SummaryWriter share.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/clock.h"
#include "cboard/writer/summary_writer.h"
#include "writer/per_process.h"
#include "writer/run_files.h"

namespace cboard::writer {

class SummaryWriter::Impl {
 public:
  Impl(std::filesystem::path directory, WriterOptions options)
      : clock(options.clock), files(std::move(directory), std::move(options)) {}

  double WallTime(const At& at) const {
    if (at.wall_time_seconds) return *at.wall_time_seconds;
    return clock != nullptr ? clock->NowSeconds() : WallTimeSeconds();
  }

  // Calls `add` with the file that `open` returns. If that file was closed or, in a forked child,
  // deleted, calls `add` once more with a new file.
  template <typename Open, typename Add>
  Result<void> WithFile(const Open& open, const Add& add) {
    for (int tries = 0;; ++tries) {
      Result<EventFileWriter*> file = open();
      if (!file) return Fail(std::move(file).error());
      Result<void> added = add(**file);
      if (added || added.error().code != ErrorCode::kFailedPrecondition || tries > 0) return added;
      files.Forget(*file);
    }
  }
  template <typename Add>
  Result<void> WithMain(const Add& add) {
    return WithFile([this] { return files.Main(); }, add);
  }

  // Adds an event that contains `summary` to the main file.
  Result<void> AddSummary(std::string_view summary, const At& at);

  const Clock* clock;
  RunFiles files;

  struct Point {
    double wall_time_seconds;
    std::optional<std::int64_t> step;
    double value;
  };
  // The values that AddScalars has added. ExportScalarsToJson writes them.
  struct GroupedPoints {
    std::mutex mutex;
    std::map<std::string, std::vector<Point>> by_run_path;

    std::string ToJson() const;  // The caller must hold the lock of the points.
  };
  PerProcess<GroupedPoints> points;
};

}  // namespace cboard::writer
