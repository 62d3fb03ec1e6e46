// Exports a log directory as Parquet tables for SQL, into a directory or a bucket. docs/sql.md
// describes them.
//
//   <folder>/scalars/experiment=<first part of the run's name>/scalars.parquet
//   <folder>/metrics/metrics.parquet
//   <folder>/layers/layers.parquet
#pragma once

#include <string>

#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"
#include "cli/exports/export_logs.h"

namespace cboard::cli {

// Writes the tables. `folder` is a directory or "s3://bucket/prefix". Existing tables are replaced.
Result<void> ExportTables(const reader::Snapshot& snapshot, const ExportOptions& options,
                          const std::string& folder);

}  // namespace cboard::cli
