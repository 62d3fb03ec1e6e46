// Makes snapshots from a tree of directories.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cboard/reader/log_reader.h"
#include "reader/live/log_tree.h"

namespace cboard::reader {

// Not thread-safe.
class SnapshotMaker {
 public:
  // `workers` may be nullptr.
  SnapshotMaker(std::vector<Logdir> logdirs, bool purge, Workers* workers)
      : logdirs_(std::move(logdirs)), purge_(purge), workers_(workers) {}

  // Makes a snapshot of `tree`, and clears the tree's lists of changed and removed runs. Runs that
  // did not change are shared with the last snapshot. The caller adds the byte counts of the
  // progress.
  std::shared_ptr<Snapshot> Make(LogTree& tree);

  // The version of the last snapshot.
  std::uint64_t version() const { return version_; }

 private:
  std::string UniqueName(const TreeDirectory& directory);
  void Remake(TreeDirectory& directory) const;

  std::vector<Logdir> logdirs_;
  bool purge_;
  Workers* workers_;
  std::uint64_t version_ = 0;
  std::map<std::string, TreeDirectory*> runs_;
  // The directories of names that several directories share.
  std::map<std::string, int> last_suffix_;
};

// The name of a run: "run" or "name/run"; "." or "name/." for a log directory itself.
std::string RunName(const Logdir& logdir, const std::string& relative);

}  // namespace cboard::reader
