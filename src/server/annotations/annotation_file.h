// Reads, writes and merges compression-board.json: names, notes, tags and colours that people give
// to runs, and named views. The file is stored in the log directory; docs/formats/annotations.md
// describes its format.
//
//   CBOARD_ASSIGN_OR_RETURN(Annotations all, ParseAnnotations(text));
//   Merge(all, changes);
//   WriteFileAtomically(path, FormatAnnotations(all));
//
// Every field stores the time at which it was set, and the later time wins. The order of merges
// therefore does not matter: two servers, or two machines that copy each other's files, end with
// the same content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::server {

inline constexpr std::string_view kAnnotationFileName = "compression-board.json";
inline constexpr std::size_t kMaxAnnotationFileBytes = std::size_t{32} << 20;

struct StampedValue {
  std::string json;  // Minified. "null" means that the field was removed.
  std::int64_t time_ms = 0;

  friend bool operator==(const StampedValue&, const StampedValue&) = default;
};

using AnnotationFields = std::map<std::string, StampedValue, std::less<>>;
using AnnotationsByName = std::map<std::string, AnnotationFields, std::less<>>;

struct Annotations {
  // The key is the path below the log directory; "." is the directory itself.
  AnnotationsByName runs;
  AnnotationsByName views;  // The key is the name of the view.

  friend bool operator==(const Annotations&, const Annotations&) = default;
};

// Parses the annotation file. Fails with kInvalidArgument if the text is not JSON, has another
// format, or exceeds the limits. Fields that this version does not know are kept.
Result<Annotations> ParseAnnotations(std::string_view text);

// Formats the annotations as JSON with one run or view per line, so that line-based tools can
// compare and merge files.
std::string FormatAnnotations(const Annotations& annotations);

// Merges field by field: the later value is kept; at equal times, the value whose text sorts last.
void Merge(Annotations& into, const Annotations& changes);

}  // namespace cboard::server
