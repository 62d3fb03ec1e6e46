// The state of a tuning on disk, from which an interrupted tuning can continue:
//
//   net_int8.onnx.tune/job.json             the settings of the tuning
//   net_int8.onnx.tune/measurements.jsonl   label-free measurements
//   net_int8.onnx.tune/trial_0/result.json  the baseline
//   net_int8.onnx.tune/trial_1/…            trials, see executor.h
//   net_int8.onnx.tune/report.json          the result, only if the tuning is finished
//
// A file is never incomplete: it gets its name after all bytes are on disk.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/tune/executor.h"

namespace cboard::tune {

// Copies a file like WriteFileDurably(): after a power failure, `to` is either the old or the
// complete new file.
Result<void> CopyDurably(const std::filesystem::path& from, const std::filesystem::path& to);

std::string ToJson(const TrialResult& result);
// Reads a trial result from JSON. Fails with kDataLoss if the text is not a trial result.
Result<TrialResult> ParseTrialResult(std::string_view json);

class StateDirectory {
 public:
  // Opens the directory of a tuning. `job` describes the tuning; other settings give another text.
  // If `is_resumed` is true, continues a tuning, and fails with kFailedPrecondition if its settings
  // differ. Otherwise begins a new tuning, and fails with kFailedPrecondition if the directory has
  // an unfinished one.
  static Result<StateDirectory> Open(std::filesystem::path directory, const std::string& job,
                                     bool is_resumed);

  const std::filesystem::path& path() const { return directory_; }
  std::filesystem::path TrialPath(int number) const;

  // Read and store the results of finished trials.
  Result<std::optional<TrialResult>> ReadResult(int number) const;
  Result<void> StoreResult(int number, const TrialResult& result) const;

  // Read and store measurements that need no labels. An incomplete line (after a crash) is ignored.
  Result<std::map<std::string, double>> ReadMeasurements() const;
  Result<void> AddMeasurement(const std::string& key, double noise) const;

  Result<void> StoreReport(const std::string& json) const;

 private:
  explicit StateDirectory(std::filesystem::path directory) : directory_(std::move(directory)) {}
  std::filesystem::path directory_;
};

}  // namespace cboard::tune
