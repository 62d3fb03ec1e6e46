// Exports a log directory as CSV, Parquet or JSON for other programs. The output is written during
// reading, so memory use does not grow with the number of points.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "cboard/base/file.h"
#include "cboard/base/result.h"
#include "cboard/reader/run_query.h"
#include "cboard/reader/snapshot.h"

namespace cboard::cli {

struct ExportOptions {
  std::optional<reader::TextPattern> runs;  // Only runs whose name matches.
  std::optional<reader::TextPattern> tags;  // Only tags that match.
  // For JSON: if true, the output includes the bytes of images, audio, graphs and run metadata in
  // base64.
  bool media = false;

  // A callback that is called regularly with the number of values written so far and the number of
  // all values.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;

  bool Takes(const reader::Run& run) const { return !runs || runs->FoundIn(run.name); }
  bool Takes(const reader::Tag& tag) const { return !tags || tags->FoundIn(tag.name()); }
};

// Writes scalars: a header line run,tag,step,wall_time,value and one line per point. Numbers are
// the shortest decimals that read back as the same double, or nan, inf, -inf. As RFC 4180 requires,
// texts with a comma, a quote or a line break are quoted.
Result<void> ExportCsv(const reader::Snapshot& snapshot, const ExportOptions& options,
                       ByteSink& out);

// Writes scalars as a Parquet file: texts run and tag, an int64 step, doubles wall_time and value.
// All values have exactly the logged bits. wall_time is seconds since 1970, as in CSV; a timestamp
// type would lose digits and has no NaN.
Result<void> ExportParquet(const reader::Snapshot& snapshot, const ExportOptions& options,
                           ByteSink& out);

// Writes all values as JSON:
//
//   {"runs":[{"run":…,"tags":[{"tag":…,"kind":…,"plugin":…,"display_name":…,"description":…,
//   "steps":[…],"wall_times":[…],"values":[…]}]}]}
//
// A value is
//   scalar       a number, or "NaN", "Infinity", "-Infinity"
//   histogram    {"min","max","num","sum","sum_squares","bucket_limits":[…],"bucket_counts":[…]}
//   image        {"width","height","colorspace","size_bytes"} and, if asked for, "base64"
//   audio        {"sample_rate","num_channels","length_frames","content_type","size_bytes"},
//                likewise
//   tensor       {"dtype","shape":[…],"values":[…]}; of strings that are not UTF-8, "size_bytes"
//                instead of "values", likewise
//   graph, run_metadata   {"size_bytes"}, likewise
//   hparams      null; the tag has "hparams":{…} instead
// and {"error":…} if it is not what its tag says. Fails when the output cannot be written, or when
// an event file has changed since it was indexed.
Result<void> ExportJson(const reader::Snapshot& snapshot, const ExportOptions& options,
                        ByteSink& out);

}  // namespace cboard::cli
