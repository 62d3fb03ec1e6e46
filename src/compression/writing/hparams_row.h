// Writes rows of TensorBoard's HParams page: one run per model and variant.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/compression/compression_writer.h"

namespace cboard::compression {

// Writes the row of `variant` as a separate run below `directory`, and returns its columns. If no
// metric is a column, writes nothing and reports this. Thread-safe.
//
// tensorboardX writes three events; the event `experiment` is omitted here. It lists the columns of
// the page. TensorBoard uses only the first list that it finds, so a column that this list lacks
// would be missing for all rows. Without a list, TensorBoard collects the columns of all rows.
Result<LogReport> WriteHParamsRow(const std::filesystem::path& directory,
                                  const ModelComparison& comparison, std::string_view variant,
                                  const CompressionConfig& config,
                                  const CompressionOptions& options, std::int64_t step);

}  // namespace cboard::compression
