// The log directories that a command is told to read, and reading them.
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

// --s3-endpoint: the store of all buckets that the command names, as $AWS_ENDPOINT_URL sets it.
void AddEndpointFlag(CLI::App& app, const std::string& group = "Options");

// --logdir and --logdir_spec, with the meanings that they have in TensorBoard.
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

// Reads everything once, showing progress on standard error. Fails when a flag is wrong, and when
// there is no event file; what could not be read of others is in Snapshot::unreadable.
Result<std::shared_ptr<const reader::Snapshot>> ReadLogs(const LogdirFlags& flags);

// Damage is part of the report; files that the file system refused are missing from it.
bool IsComplete(const reader::Snapshot& snapshot);

}  // namespace cboard::cli
