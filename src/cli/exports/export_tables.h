// A log directory as Parquet tables in a folder or a bucket, for SQL. docs/sql.md describes them.
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

// `folder` is a directory or "s3://bucket/prefix". Tables that are there are replaced.
Result<void> ExportTables(const reader::Snapshot& snapshot, const ExportOptions& options,
                          const std::string& folder);

}  // namespace cboard::cli
