// The state of a tuning on disk, from which an interrupted tuning goes on:
//
//   net_int8.onnx.tune/job.json             the settings of the tuning
//   net_int8.onnx.tune/measurements.jsonl   label-free measurements
//   net_int8.onnx.tune/trial_0/result.json  the baseline
//   net_int8.onnx.tune/trial_1/…            trials, see executor.h
//   net_int8.onnx.tune/report.json          the result; the tuning is finished
//
// Files appear as a whole, after their bytes have reached the disk.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/tune/executor.h"

namespace cboard::tune {

// Copies a file as WriteFileDurably() writes one: after a power failure, `to` is the old file or
// the new one.
Result<void> CopyDurably(const std::filesystem::path& from, const std::filesystem::path& to);

std::string ToJson(const TrialResult& result);
// Fails with kDataLoss when the text is no result.
Result<TrialResult> ParseTrialResult(std::string_view json);

class StateDirectory {
 public:
  // `job` describes the tuning: other settings give another text. Continues a tuning if
  // `is_resumed`, and begins a new one otherwise. Fails with kFailedPrecondition when the directory
  // has an unfinished tuning and `is_resumed` is false, or a tuning of other settings and it is
  // true.
  static Result<StateDirectory> Open(std::filesystem::path directory, const std::string& job,
                                     bool is_resumed);

  const std::filesystem::path& path() const { return directory_; }
  std::filesystem::path TrialPath(int number) const;

  // The results of trials that have ended.
  Result<std::optional<TrialResult>> ReadResult(int number) const;
  Result<void> StoreResult(int number, const TrialResult& result) const;

  // Label-free measurements; a line that was cut by a crash is ignored.
  Result<std::map<std::string, double>> ReadMeasurements() const;
  Result<void> AddMeasurement(const std::string& key, double noise) const;

  Result<void> StoreReport(const std::string& json) const;

 private:
  explicit StateDirectory(std::filesystem::path directory) : directory_(std::move(directory)) {}
  std::filesystem::path directory_;
};

}  // namespace cboard::tune
