// Logs the state of a running search to a run of the log directory, and looks for requests to stop.
// docs/formats/tuning-progress.md describes both.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tune/tune.h"
#include "cboard/writer/summary_writer.h"

namespace cboard::tune {

// A set of changes whose output error was measured without labels, for the trade-off chart.
struct PredictedPoint {
  std::int64_t size_bytes = 0;
  double end_sqnr_db = 0;
  std::size_t float_count = 0, wide_count = 0, narrow_count = 0;
};

// The state of a search, in addition to its report.
struct ProgressState {
  std::string phase = "calibrating";
  std::string step;
  std::optional<int> trial;
  double elapsed_seconds = 0;
  std::optional<double> left_seconds;
  bool can_stop = true;
  std::vector<PredictedPoint> predicted;
};

std::string ToJson(const ProgressState& state, const TuneReport& report,
                   const TuneOptions& options);

class ProgressLog {
 public:
  // Removes old stop requests. If `logdir` is empty, nothing is logged.
  ProgressLog(std::filesystem::path logdir, std::filesystem::path state);

  // Logs a value and flushes it. The first call creates the run. If writing fails, the error is
  // returned once and later calls do nothing, so that the tuning continues.
  Result<void> Write(const std::string& json);

  // Returns true if the file `stop` exists or existed in an earlier call. Checks at most five times
  // per second.
  bool IsStopRequested();

  void RemoveStopRequests() const;

 private:
  std::filesystem::path run_, state_;
  std::unique_ptr<writer::SummaryWriter> writer_;
  std::int64_t step_ = 0;
  bool has_failed_ = false;
  bool is_stop_requested_ = false;
  std::chrono::steady_clock::time_point last_look_;
};

}  // namespace cboard::tune
