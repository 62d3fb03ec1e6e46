// Stores names, notes, tags and colours of runs, and named views, in a file of each log directory.
//
//   AnnotationStore store({{.path = "runs"}}, "");
//   store.ChangeRuns({"train/seed-1"}, {{"name", R"("Baseline")"}});
//
// The files are read for each request, because other servers may write them as well.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/log_reader.h"
#include "cboard/reader/snapshot.h"
#include "server/annotations/annotation_file.h"

namespace cboard::server {

// Names of fields with their new values as JSON; null removes a field.
using FieldChanges = std::vector<std::pair<std::string, std::string>>;

// Thread-safe.
class AnnotationStore {
 public:
  // Opens the store. If a reason is given, the store is read-only.
  AnnotationStore(std::vector<reader::Logdir> logdirs, std::string read_only_reason);

  // Sets the function that is called after each change. Call this before the first request.
  void OnChange(std::function<void()> listener) { on_change_ = std::move(listener); }

  // The annotations of all log directories; runs are named as in snapshots. A file that cannot be
  // read is named in `problems` and skipped.
  struct Content {
    Annotations annotations;
    std::vector<std::string> problems;
  };
  Content Read() const;

  // The reason why annotations cannot be written; empty if all log directories are writable.
  std::string WhyReadOnly() const;

  // The following functions change or delete annotations. Errors: kPermissionDenied if the log
  // directory is not writable; kFailedPrecondition if its annotation file cannot be read (the file
  // is then not changed); kUnavailable while another server writes; kInvalidArgument if the file
  // would become too large. After an error nothing is changed, except possibly runs of earlier log
  // directories.
  Result<void> ChangeRuns(std::span<const std::string> runs, const FieldChanges& changes) const;
  Result<void> ChangeView(const std::string& name, const FieldChanges& changes) const;

  // Deletes the event files of a run, its annotations, and its directory if the directory is then
  // empty. Files of other kinds are kept.
  Result<void> DeleteRun(const reader::Run& run) const;

 private:
  Result<void> CheckWritable() const;
  std::size_t LogdirOf(std::string_view run) const;
  Result<void> Apply(std::size_t logdir, Annotations changes) const;

  std::vector<reader::Logdir> logdirs_;
  std::string read_only_reason_;
  std::function<void()> on_change_;
};

}  // namespace cboard::server
