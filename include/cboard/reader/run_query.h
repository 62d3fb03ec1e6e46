// Selects runs and tags by pattern or by kind, and sorts them like TensorBoard.
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

// A regular expression. Every pattern matches in linear time, so patterns from untrusted users are
// safe. The syntax is that of RE2: Python's syntax without look-around and back-references. Copies
// are cheap, and many threads may use the same object.
class TextPattern {
 public:
  // Compiles a regular expression. Fails with kInvalidArgument; the error gives the reason.
  static Result<TextPattern> Compile(std::string_view pattern);

  bool FoundIn(std::string_view text) const;         // Python's re.search.
  bool MatchesStartOf(std::string_view text) const;  // Python's re.match.

 private:
  class Impl;
  explicit TextPattern(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

using RunPointer = std::shared_ptr<const Run>;

// Returns the runs in TensorBoard's order: by the wall time of the first event, then by name. Runs
// without events come last.
std::vector<RunPointer> RunsByStartTime(const Snapshot& snapshot);

// Returns the tags of this kind, sorted by name. The pointers are valid as long as the run.
std::vector<const Tag*> TagsOfKind(const Run& run, TagKind kind);

// Returns the tags of this kind that match the pattern. As in TensorBoard's custom scalar charts,
// the match must start at the first character of the name.
std::vector<const Tag*> TagsMatching(const Run& run, TagKind kind, const TextPattern& pattern);

// Returns the name of the plugin that shows a tag: the stored name or, if there is none, the name
// of TensorBoard's plugin for this kind of values, such as "scalars".
std::string_view PluginOf(const TagInfo& info);

// Returns the sorted names of the plugins that have data.
std::vector<std::string> ActivePlugins(const Snapshot& snapshot);

}  // namespace cboard::reader
