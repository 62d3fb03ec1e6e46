// Selects runs and tags by pattern or kind, in TensorBoard's order.
//
//   CBOARD_ASSIGN_OR_RETURN(const TextPattern pattern, TextPattern::Compile("tune_.*"));
//   for (const Tag* tag : TagsMatching(run, TagKind::kScalar, pattern)) …
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::reader {

// A regular expression that matches in linear time for every pattern, so untrusted patterns are
// safe. The syntax is that of RE2: Python's without look-around and back-references. Cheap to copy;
// safe to use from many threads.
class TextPattern {
 public:
  // Compiles a regular expression. Fails with kInvalidArgument and the reason.
  static Result<TextPattern> Compile(std::string_view pattern);

  bool FoundIn(std::string_view text) const;         // Python's re.search.
  bool MatchesStartOf(std::string_view text) const;  // Python's re.match.

 private:
  class Impl;
  explicit TextPattern(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

using RunPointer = std::shared_ptr<const Run>;

// Returns the runs in TensorBoard's order: by the wall time of their first event, then by name.
// Runs without events come last.
std::vector<RunPointer> RunsByStartTime(const Snapshot& snapshot);

// Returns the tags of this kind, by name; the pointers live as long as the run.
std::vector<const Tag*> TagsOfKind(const Run& run, TagKind kind);

// Returns the tags of this kind whose names match the pattern at the start, as in TensorBoard's
// custom scalar charts.
std::vector<const Tag*> TagsMatching(const Run& run, TagKind kind, const TextPattern& pattern);

// The name of the plugin that shows a tag: the stored name, or TensorBoard's plugin for values of
// this kind: "scalars".
std::string_view PluginOf(const TagInfo& info);

// Returns the sorted names of the plugins that have data.
std::vector<std::string> ActivePlugins(const Snapshot& snapshot);

}  // namespace cboard::reader
