// The result of an import, as text.
#pragma once

#include <string>
#include <string_view>

#include "cboard/compression/benchmark_import.h"
#include "cboard/compression/benchmark_json.h"
#include "cboard/compression/layer_report.h"

namespace cboard::cli {

// A line about the file, a table with a row per variant, and what was skipped, read differently or
// left out. Lists are cut after kMaxImportRows or kMaxImportNotes lines unless `verbose`, which
// also lists what is left out only because the file has no figures for it.
std::string ImportText(std::string_view path, const compression::BenchmarkFile& file,
                       const compression::ImportReport& report, bool verbose);

// The same of a report about layers: a line per model, and its warnings.
std::string LayerImportText(std::string_view path, const compression::LayerReport& report,
                            const std::vector<compression::ImportedLayers>& imported);

inline constexpr std::size_t kMaxImportRows = 40;
inline constexpr std::size_t kMaxImportNotes = 5;

}  // namespace cboard::cli
