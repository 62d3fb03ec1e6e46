// Makes snapshots from the tree of directories and files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cboard/reader/log_reader.h"
#include "reader/live/log_tree.h"

namespace cboard::reader {

// Makes the snapshots of a log reader. Not thread-safe.
class SnapshotMaker {
 public:
  // Creates a snapshot maker. `workers` may be null.
  SnapshotMaker(std::vector<Logdir> logdirs, bool purge, Workers* workers)
      : logdirs_(std::move(logdirs)), purge_(purge), workers_(workers) {}

  // Makes a snapshot of `tree`, and clears the tree's lists of changed and removed runs. Runs that
  // did not change are the same objects as in the last snapshot. The caller sets the byte counts of
  // the progress.
  std::shared_ptr<Snapshot> Make(LogTree& tree);

  // Returns the version of the last snapshot.
  std::uint64_t version() const { return version_; }

 private:
  std::string UniqueName(const TreeDirectory& directory);
  void Remake(TreeDirectory& directory) const;

  std::vector<Logdir> logdirs_;
  bool purge_;
  Workers* workers_;
  std::uint64_t version_ = 0;
  std::map<std::string, TreeDirectory*> runs_;
  // The last suffix for each name that several directories would have.
  std::map<std::string, int> last_suffix_;
};

// Returns the name of a run: "run", or "name/run" if the log directory has a name. The run of the
// log directory itself is "." or "name/.".
std::string RunName(const Logdir& logdir, const std::string& relative);

}  // namespace cboard::reader
