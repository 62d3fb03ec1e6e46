// Names, notes, tags and colours of runs, and named views, in a file of each log directory.
//
//   AnnotationStore store({{.path = "runs"}}, "");
//   store.ChangeRuns({"train/seed-1"}, {{"name", R"("Baseline")"}});
//
// The files are read for each request, because other boards may write them as well.
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

// Fields and their new values as JSON; null removes a field.
using FieldChanges = std::vector<std::pair<std::string, std::string>>;

// Thread-safe.
class AnnotationStore {
 public:
  // With a reason, the store never writes.
  AnnotationStore(std::vector<reader::Logdir> logdirs, std::string read_only_reason);

  // Called after each change. Set it before the first request.
  void OnChange(std::function<void()> listener) { on_change_ = std::move(listener); }

  // The annotations of all log directories, with names of runs as in snapshots. A file that cannot
  // be read is named in `problems`; the others are there.
  struct Content {
    Annotations annotations;
    std::vector<std::string> problems;
  };
  Content Read() const;

  // Why nothing can be written; empty if all log directories can be written to.
  std::string WhyReadOnly() const;

  // Fail with kPermissionDenied where the log directory cannot be written to, kFailedPrecondition
  // where its file cannot be read (it is left as it is), kUnavailable while another board writes,
  // and kInvalidArgument where the file would become too large. Nothing is changed then, except
  // that runs of an earlier log directory may have been.
  Result<void> ChangeRuns(std::span<const std::string> runs, const FieldChanges& changes) const;
  Result<void> ChangeView(const std::string& name, const FieldChanges& changes) const;

  // Deletes the event files of a run, its directory if nothing else is in it, and its annotations.
  // Files of other kinds stay.
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
