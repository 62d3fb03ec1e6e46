// Reads reports of other programs that contain metrics per layer:
//
//   AIMET              per_layer_{quant_enabled,quant_disabled,mse_loss}.json,
//                      min_max_ranges/*.json
//   TFLite debugger    layer statistics, CSV
//   MCT                quant_report.json (XQuant)
//   neural-compressor  activations_table.csv, weights_table.csv
//   Model Explorer     node data, JSON
//
// ImportLayerReport logs them under <model>/layers/<layer>/<metric>/<variant>, where the Layers
// page finds them. docs/stages.md describes the mapping of each metric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::compression {

enum class LayerReportKind { kAimet, kTfliteDebugger, kMct, kNeuralCompressor, kModelExplorer };

// The name of a report's kind: "aimet", "tflite", "mct", "neural-compressor", "model-explorer".
std::string_view NameOf(LayerReportKind kind);
std::optional<LayerReportKind> LayerReportKindOf(std::string_view name);

// Layer metrics by name: sqnr_db, cosine, mse, … Non-numeric values are skipped.
using LayerFigures = std::map<std::string, double, std::less<>>;

struct ReportedLayer {
  std::string layer;
  LayerFigures figures;
};

struct ReportedModel {
  std::string model;  // Empty if the file does not name it.
  std::vector<ReportedLayer> layers;
  LayerFigures figures;  // Metrics of the model's output.
};

struct LayerReport {
  LayerReportKind kind = LayerReportKind::kAimet;
  std::vector<ReportedModel> models;  // At least one, with a layer or a metric.
  std::vector<std::string> warnings;  // Omitted parts, with reasons.
};

// Maximum size of a layer report. A report of a thousand layers takes a megabyte, so a larger file
// has other content.
inline constexpr std::uint64_t kMaxLayerReportBytes = std::uint64_t{64} << 20;

// Detects the kind of a file from its name and first bytes; nullopt for files of no known kind.
// AIMET files that contain only numbers are detected by name alone.
std::optional<LayerReportKind> DetectLayerReport(std::string_view beginning,
                                                 const std::filesystem::path& name);

// Parses a layer report; `source` is its path: the meaning of numbers from AIMET and Model Explorer
// depends on the path. Fails with kInvalidArgument; the error says where, what was found and what
// was expected.
Result<LayerReport> ParseLayerReport(std::string text, const std::filesystem::path& source,
                                     LayerReportKind kind);

struct LayerImportOptions {
  std::filesystem::path directory;  // Parent directory of the models' runs.
  std::string model;                // Model name if the file has none; empty: the file's name.
  std::string variant = "int8";
  std::int64_t step = 0;
};

struct ImportedLayers {
  std::string model;
  std::filesystem::path run;
  std::size_t layers = 0;
  std::size_t values = 0;
};

// Logs a parsed report. An existing run gets one more event file, so that several reports of a
// model are combined. Fails with the writer's error; values that were written before the failure
// stay.
Result<std::vector<ImportedLayers>> ImportLayerReport(const LayerReport& report,
                                                      const std::filesystem::path& source,
                                                      const LayerImportOptions& options);

struct NodeDataGraph {
  std::string name;
  std::vector<std::pair<std::string, double>> values;  // By node.
};

// Writes node data for Model Explorer, with one value per node: {"<graph>": {"results": {"<node>":
// {"value": …}}, …}, …}, with a color gradient from the best to the worst value. Non-finite values
// are skipped.
std::string ModelExplorerNodeData(std::span<const NodeDataGraph> graphs, bool higher_is_better);

}  // namespace cboard::compression
