// State of the log directory besides its data: numbers for /metrics, and lines for the
// terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cboard/reader/log_reader.h"
#include "server/content/response_cache.h"

namespace cboard::server {

// Lag of events: from their wall time until they can be queried.
class LagMeter {
 public:
  // A new snapshot is there at `now_seconds` since 1970. Counts when it has an event that is newer
  // than all before it, once loading is complete: what was there at the start has no lag.
  void Observe(const reader::Snapshot& snapshot, double now_seconds);

  double last_seconds() const { return last_seconds_; }
  double newest_wall_time_seconds() const { return newest_; }  // 0 without events.

 private:
  double newest_ = 0;
  double last_seconds_ = 0;
  bool loaded_ = false;
};

// Appends lines in the form of prometheus_text.h. Takes time in proportion to the files.
void AppendReaderMetrics(std::string& text, const reader::Snapshot& snapshot,
                         const reader::ReaderStatistics& statistics, const LagMeter& lag,
                         const ResponseCacheStatistics& answers);

// Describes read errors, one line per kind: the file, the reason, the next step. Missing log
// directories are not included.
std::vector<std::string> DescribeTrouble(const reader::Snapshot& snapshot);

}  // namespace cboard::server
