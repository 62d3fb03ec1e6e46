// What an import has written, as text.
#pragma once

#include <string>
#include <string_view>

#include "cboard/compression/benchmark_import.h"
#include "cboard/compression/benchmark_json.h"

namespace cboard::cli {

// A line about the file, a table with a row per variant, and what was skipped or read differently.
// The table ends after kMaxImportRows rows unless `verbose`, which also lists ratios that could not
// be computed.
std::string ImportText(std::string_view path, const BenchmarkFile& file, const ImportReport& report,
                       bool verbose);

inline constexpr std::size_t kMaxImportRows = 40;
inline constexpr std::size_t kMaxImportNotes = 5;

}  // namespace cboard::cli
