// Reads the log directories that the flags of a command name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/log_reader.h"

namespace CLI {
class App;
}

namespace cboard::cli {

// Adds the flag --s3-endpoint: the object store of all buckets in the command; it overrides
// $AWS_ENDPOINT_URL.
void AddEndpointFlag(CLI::App& app, const std::string& group = "Options");

// The flags --logdir and --logdir_spec, with the same meaning as in TensorBoard.
struct LogdirFlags {
  std::string logdir;
  std::string logdir_spec;
  double bucket_cache_gb = 50;

  // Adds the flags to a group of the help.
  void AddTo(CLI::App& app, const std::string& group = "Input");

  Result<std::vector<reader::Logdir>> Parse() const;

  bool empty() const { return logdir.empty() && logdir_spec.empty(); }
  const std::string& text() const { return logdir.empty() ? logdir_spec : logdir; }
};

// Reads all logs once and shows progress on standard error. Fails if a flag is wrong or no event
// file exists; Snapshot::unreadable lists files that could not be read.
Result<std::shared_ptr<const reader::Snapshot>> ReadLogs(const LogdirFlags& flags);

// Returns true if all files could be read. Damaged bytes are part of the report, but files that the
// file system refused are missing from it.
bool IsComplete(const reader::Snapshot& snapshot);

}  // namespace cboard::cli
