// The directory of a tuning: ensures that only one tuning logs into it, and names the directories
// of its trials.
#pragma once

#include <filesystem>
#include <string>

#include "cboard/base/result.h"
#include "cboard/compression/tuning_logger.h"

namespace cboard::compression {

// Holds a lock on the directory, so that two tunings do not mix their trials. The lock ends with
// this object or with the process. A forked child process does not own the directory.
class TrialFolder {
 public:
  // Creates the directory if necessary. Fails with kUnavailable while another logger uses it, with
  // kAlreadyExists if earlier trials are not allowed, and with kPermissionDenied if it is not
  // writable.
  static Result<TrialFolder> Open(const std::filesystem::path& path, ExistingTrials earlier);

  TrialFolder(TrialFolder&& other) noexcept;
  TrialFolder& operator=(TrialFolder&& other) noexcept;
  ~TrialFolder();

  bool IsOfThisProcess() const;

  // Returns the number of the next trial.
  int next_number() const { return next_number_; }

  // Creates the directory of the next trial, under its temporary name.
  Result<std::filesystem::path> Start();

  // Renames the directory of the current trial to `name` and increments the trial number.
  Result<std::filesystem::path> Finish(const std::string& name);

  // Renames the current trial to <trial>_failed, or _failed_2 and so on; its number is used again.
  Result<std::filesystem::path> Abandon();

 private:
  TrialFolder(std::filesystem::path path, int lock);

  std::filesystem::path Unfinished() const;

  std::filesystem::path path_;
  int lock_ = -1;  // Descriptor of the directory; it holds the lock.
  int process_;
  int next_number_ = 0;
};

}  // namespace cboard::compression
