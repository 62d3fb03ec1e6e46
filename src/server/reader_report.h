// Reports the state of the reader: metrics for /metrics, and lines for the
// terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cboard/reader/log_reader.h"
#include "server/content/response_cache.h"

namespace cboard::server {

// Measures the lag of events: the time from their wall time until they can be queried.
class LagMeter {
 public:
  // Processes a new snapshot, taken at `now_seconds` since 1970. Counts the lag if the snapshot has
  // an event newer than all before it. Events from before the end of loading are not counted.
  void Observe(const reader::Snapshot& snapshot, double now_seconds);

  double last_seconds() const { return last_seconds_; }
  double newest_wall_time_seconds() const { return newest_; }  // 0 without events.

 private:
  double newest_ = 0;
  double last_seconds_ = 0;
  bool loaded_ = false;
};

// Appends metrics in the format of prometheus_text.h. The time is proportional to the number of
// files.
void AppendReaderMetrics(std::string& text, const reader::Snapshot& snapshot,
                         const reader::ReaderStatistics& statistics, const LagMeter& lag,
                         const ResponseCacheStatistics& answers);

// Describes read errors, one line per kind: the file, the reason, the next step. Missing log
// directories are not included.
std::vector<std::string> DescribeTrouble(const reader::Snapshot& snapshot);

}  // namespace cboard::server
