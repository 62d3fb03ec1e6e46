// compression-board.json: names, notes, tags and colours that people give to runs, and named views.
// The file lies in the log directory; docs/formats/annotations.md describes it.
//
//   CBOARD_ASSIGN_OR_RETURN(Annotations all, ParseAnnotations(text));
//   Merge(all, changes);
//   WriteFileAtomically(path, FormatAnnotations(all));
//
// Every field has the time at which it was set, and the later time wins. So the result of a merge
// does not depend on the order: two boards, or two machines whose files are copied to and fro, end
// with the same content.
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
  std::string json;  // Minified. "null": the field was removed.
  std::int64_t time_ms = 0;

  friend bool operator==(const StampedValue&, const StampedValue&) = default;
};

using AnnotationFields = std::map<std::string, StampedValue, std::less<>>;
using AnnotationsByName = std::map<std::string, AnnotationFields, std::less<>>;

struct Annotations {
  AnnotationsByName runs;   // By the path below the log directory, "." for itself.
  AnnotationsByName views;  // By their names.

  friend bool operator==(const Annotations&, const Annotations&) = default;
};

// Fails with kInvalidArgument: no JSON, another format, or more than the limits allow. Fields that
// this version does not know are kept.
Result<Annotations> ParseAnnotations(std::string_view text);

// JSON with one run or view per line, so that line-based tools can compare and merge files.
std::string FormatAnnotations(const Annotations& annotations);

// Takes the later value of each field; of two values with the same time, the greater text.
void Merge(Annotations& into, const Annotations& changes);

}  // namespace cboard::server
