// Runs and tags: which there are, chosen by pattern or kind, in the order people expect.
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

// A regular expression that takes time in proportion to the text, whatever the pattern: it may come
// from anybody. The syntax is RE2's, which is Python's without look-around and back-references.
// Cheap to copy, and safe to use from many threads.
class TextPattern {
 public:
  // Fails with kInvalidArgument and the reason.
  static Result<TextPattern> Compile(std::string_view pattern);

  bool FoundIn(std::string_view text) const;         // Python's re.search.
  bool MatchesStartOf(std::string_view text) const;  // Python's re.match.

 private:
  class Impl;
  explicit TextPattern(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

using RunPointer = std::shared_ptr<const Run>;

// In the order of TensorBoard: by the wall time of their first event, then by name. Runs without
// events come last.
std::vector<RunPointer> RunsByStartTime(const Snapshot& snapshot);

// By name; the pointers live as long as the run.
std::vector<const Tag*> TagsOfKind(const Run& run, TagKind kind);

// Those whose name begins with the pattern: how the custom scalar charts of TensorBoard choose.
std::vector<const Tag*> TagsMatching(const Run& run, TagKind kind, const TextPattern& pattern);

// The plugin that shows a tag, in TensorBoard's spelling: the one stored, or the one that values of
// this kind belong to: "scalars".
std::string_view PluginOf(const TagInfo& info);

// The names of the plugins that have something to show, sorted.
std::vector<std::string> ActivePlugins(const Snapshot& snapshot);

}  // namespace cboard::reader
