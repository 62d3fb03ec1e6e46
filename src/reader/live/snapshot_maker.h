// Makes snapshots of a tree of directories.
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

  // The state of `tree`, whose lists of changed and removed runs are used up. Runs that did not
  // change are the objects of the last snapshot. The caller adds the bytes of the progress.
  std::shared_ptr<Snapshot> Make(LogTree& tree);

  // Version of the last snapshot.
  std::uint64_t version() const { return version_; }

 private:
  std::string UniqueName(const TreeDirectory& directory);
  void Remake(TreeDirectory& directory) const;

  std::vector<Logdir> logdirs_;
  bool purge_;
  Workers* workers_;
  std::uint64_t version_ = 0;
  std::map<std::string, TreeDirectory*> runs_;
  std::map<std::string, int> last_suffix_;  // By name that several directories share.
};

// "run", "name/run"; "." and "name/." for a log directory itself.
std::string RunName(const Logdir& logdir, const std::string& relative);

}  // namespace cboard::reader
