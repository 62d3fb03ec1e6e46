// The folder that the trials of one tuning are logged into: whose turn it is, and what the
// directories are called while they are written and when they are done.
#pragma once

#include <filesystem>
#include <string>

#include "cboard/base/result.h"
#include "cboard/compression/tuning_logger.h"

namespace cboard::compression {

// Holds a lock on the folder, so that two tunings do not mix their trials; it ends with the object,
// and with the process. In a forked child the folder is still its parent's.
class TrialFolder {
 public:
  // Makes the folder. Fails with kUnavailable while another logger has it, with kAlreadyExists when
  // earlier trials are refused, and with kPermissionDenied when nothing can be written there.
  static Result<TrialFolder> Open(const std::filesystem::path& path, ExistingTrials earlier);

  TrialFolder(TrialFolder&& other) noexcept;
  TrialFolder& operator=(TrialFolder&& other) noexcept;
  ~TrialFolder();

  bool IsOfThisProcess() const;

  // The number of the next trial.
  int next_number() const { return next_number_; }

  // Makes the directory of the next trial, under the name it has while it is written.
  Result<std::filesystem::path> Start();

  // Gives the directory of the current trial `name`, and goes on to the next number.
  Result<std::filesystem::path> Finish(const std::string& name);

  // Gives it the name <trial>_failed, or _failed_2 and so on, and stays at its number.
  Result<std::filesystem::path> Abandon();

 private:
  TrialFolder(std::filesystem::path path, int lock);

  std::filesystem::path Unfinished() const;

  std::filesystem::path path_;
  int lock_ = -1;  // A descriptor of the folder.
  int process_;
  int next_number_ = 0;
};

}  // namespace cboard::compression
