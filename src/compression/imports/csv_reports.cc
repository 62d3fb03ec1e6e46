// Imports layer reports in CSV from the TFLite debugger and from neural-compressor.
#include <array>
#include <charconv>
#include <cmath>

#include "cboard/base/strings.h"
#include "compression/imports/parsers.h"

namespace cboard::compression::imports {
namespace {

// Returns the number in a field; nullopt for an empty field, "None" and other text.
std::optional<double> NumberIn(std::string_view field) {
  while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
  while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  return value;
}

struct Column {
  std::string_view title;
  std::string_view metric;
};

Result<std::size_t> Need(const CsvTable& table, std::string_view title,
                         const std::filesystem::path& source, std::string_view what) {
  if (const auto index = table.Find(title)) return *index;
  std::string there;
  for (const std::string& column : table.columns) {
    if (there.size() > 200) break;
    there += (there.empty() ? "" : ", ") + column;
  }
  return Fail(ErrorCode::kInvalidArgument, source.string() + ":1: the table lacks the column " +
                                               Quoted(title) + " of " + std::string(what) +
                                               " report; its columns are " + Quoted(there, 240));
}

// Reads one layer per row, with the numbers in `columns`.
Result<void> ReadRows(const CsvTable& table, std::size_t name, std::span<const Column> columns,
                      const std::filesystem::path& source, LayerReport& report) {
  std::vector<std::pair<std::size_t, std::string_view>> found;
  for (const Column& column : columns) {
    if (const auto index = table.Find(column.title)) found.emplace_back(*index, column.metric);
  }
  ReportedModel model;
  std::size_t nameless = 0;
  for (const std::vector<std::string>& row : table.rows) {
    if (row[name].empty()) {
      ++nameless;
      continue;
    }
    ReportedLayer layer{.layer = ToValidUtf8(row[name])};
    for (const auto& [index, metric] : found) {
      if (const auto value = NumberIn(row[index])) layer.figures[std::string(metric)] = *value;
    }
    if (!layer.figures.empty()) model.layers.push_back(std::move(layer));
  }
  if (nameless > 0) report.warnings.push_back(HumanCount(nameless) + " rows name no layer");
  if (model.layers.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                source.string() +
                    ": no row of the table has both a layer name and a number; "
                    "export the table with at least one metric per layer");
  }
  report.models.push_back(std::move(model));
  return {};
}

}  // namespace

Result<void> ParseTfliteDebugger(const CsvTable& table, const std::filesystem::path& source,
                                 LayerReport& report) {
  constexpr auto kColumns = std::to_array<Column>({{"num_elements", "count"},
                                                   {"stddev", "error_deviation"},
                                                   {"mean_error", "mean_error"},
                                                   {"max_abs_error", "max_error"},
                                                   {"mean_squared_error", "mse"},
                                                   {"scale", "scale"},
                                                   {"zero_point", "zero_point"}});
  CBOARD_ASSIGN_OR_RETURN(const std::size_t name,
                          Need(table, "tensor_name", source, "the TFLite debugger's"));
  CBOARD_RETURN_IF_ERROR(Need(table, "mean_squared_error", source, "the TFLite debugger's"));
  CBOARD_RETURN_IF_ERROR(ReadRows(table, name, kColumns, source, report));
  for (ReportedLayer& layer : report.models.back().layers) {
    const auto mse = layer.figures.find("mse"), scale = layer.figures.find("scale");
    if (mse == layer.figures.end() || scale == layer.figures.end()) continue;
    if (!(mse->second >= 0) || !(scale->second > 0)) continue;
    layer.figures["rmse_by_scale"] = std::sqrt(mse->second) / scale->second;
  }
  return {};
}

Result<void> ParseNeuralCompressor(const CsvTable& table, const std::filesystem::path& source,
                                   LayerReport& report) {
  // This report has no MSE in units of the values, because each tensor was stretched to 0…1 before.
  // So its column MSE is logged as normalized_mse.
  constexpr auto kColumns =
      std::to_array<Column>({{"MSE", "normalized_mse"},
                             {"Activation min", "range_min"},
                             {"Activation max", "range_max"},
                             {"Input model min", "weight_min"},
                             {"Input model max", "weight_max"},
                             {"Optimized model min", "compressed_weight_min"},
                             {"Optimized model max", "compressed_weight_max"}});
  CBOARD_ASSIGN_OR_RETURN(const std::size_t name,
                          Need(table, "OP name", source, "neural-compressor's"));
  CBOARD_RETURN_IF_ERROR(Need(table, "MSE", source, "neural-compressor's"));
  CBOARD_RETURN_IF_ERROR(ReadRows(table, name, kColumns, source, report));
  report.warnings.emplace_back(
      "neural-compressor stretches each tensor to 0…1 before it takes the MSE, so that a wrong "
      "scale or offset does not show in it");
  return {};
}

}  // namespace cboard::compression::imports
