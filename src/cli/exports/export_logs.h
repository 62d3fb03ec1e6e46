// A log directory as CSV, Parquet or JSON, for other programs. Written as it goes: memory does not
// grow with the number of points.
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
  std::optional<reader::TextPattern> runs;  // Only runs in whose name it is found.
  std::optional<reader::TextPattern> tags;  // Likewise.
  bool media = false;  // JSON: the bytes of images, audio, graphs and run metadata too, in base64.

  // Called now and then with how many values are written, of how many.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;

  bool Takes(const reader::Run& run) const { return !runs || runs->FoundIn(run.name); }
  bool Takes(const reader::Tag& tag) const { return !tags || tags->FoundIn(tag.name()); }
};

// Scalars only: a line run,tag,step,wall_time,value for each point after a line with these names.
// Numbers are the shortest decimals that read back as the same double; nan, inf and -inf as they
// are. Texts that hold a comma, a quote or a line break are in quotes, as RFC 4180 has it.
Result<void> ExportCsv(const reader::Snapshot& snapshot, const ExportOptions& options,
                       ByteSink& out);

// The same table as a Parquet file: texts run and tag, an int64 step, doubles wall_time (seconds
// since 1970, as in CSV: a timestamp would cut them off, and has no NaN) and value. All are bit for
// bit what was logged.
Result<void> ExportParquet(const reader::Snapshot& snapshot, const ExportOptions& options,
                           ByteSink& out);

// {"runs":[{"run":…,"tags":[{"tag":…,"kind":…,"plugin":…,"display_name":…,"description":…,
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
