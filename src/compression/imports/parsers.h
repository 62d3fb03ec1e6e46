// One parser per kind of report. Each fills models and warnings of `report`, or fails with
// kInvalidArgument and a message that begins with `source`.
#pragma once

#include <simdjson.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/compression/layer_report.h"

namespace cboard::compression::imports {

// A table whose first row names its columns.
struct CsvTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // Each as long as `columns`.

  std::optional<std::size_t> Find(std::string_view column) const;
};

// RFC 4180: quotes around fields with commas, quotes or line breaks. Fails with "<source>:<line>:
// …" for a row of another length, or a quote that is never closed.
Result<CsvTable> ParseCsv(std::string_view text, std::string_view source);

Result<void> ParseAimet(simdjson::dom::element document, const std::filesystem::path& source,
                        LayerReport& report);
Result<void> ParseMct(simdjson::dom::element document, const std::filesystem::path& source,
                      LayerReport& report);
Result<void> ParseModelExplorer(simdjson::dom::element document,
                                const std::filesystem::path& source, LayerReport& report);
Result<void> ParseTfliteDebugger(const CsvTable& table, const std::filesystem::path& source,
                                 LayerReport& report);
Result<void> ParseNeuralCompressor(const CsvTable& table, const std::filesystem::path& source,
                                   LayerReport& report);

}  // namespace cboard::compression::imports
