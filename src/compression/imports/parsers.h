// The parsers of layer reports, one per format. Each adds models and warnings to `report`, or fails
// with kInvalidArgument and a message that begins with `source`.
#pragma once

#include <simdjson.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/compression/layer_report.h"

namespace cboard::compression::imports {

// A CSV table; its first row contains the column names.
struct CsvTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // Each row has as many fields as `columns`.

  std::optional<std::size_t> Find(std::string_view column) const;
};

// Parses CSV as in RFC 4180: fields with commas, quotes or line breaks are quoted. Fails with
// "<source>:<line>: …" for a row with another number of fields, and for a quote that is never
// closed.
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
