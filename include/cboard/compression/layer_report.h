// Reports about single layers that other programs write, as figures per layer:
//
//   AIMET              per_layer_{quant_enabled,quant_disabled,mse_loss}.json,
//                      min_max_ranges/*.json
//   TFLite debugger    layer statistics, CSV
//   MCT                quant_report.json (XQuant)
//   neural-compressor  activations_table.csv, weights_table.csv
//   Model Explorer     node data, JSON
//
// ImportLayerReport logs them under <model>/layers/<layer>/<metric>/<variant>, where the page of
// layers finds them. docs/stages.md says what becomes of each figure.
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

// "aimet", "tflite", "mct", "neural-compressor", "model-explorer".
std::string_view NameOf(LayerReportKind kind);
std::optional<LayerReportKind> LayerReportKindOf(std::string_view name);

// By metric: sqnr_db, cosine, mse, … What is not a number is not there.
using LayerFigures = std::map<std::string, double, std::less<>>;

struct ReportedLayer {
  std::string layer;
  LayerFigures figures;
};

struct ReportedModel {
  std::string model;  // Empty when the file names none.
  std::vector<ReportedLayer> layers;
  LayerFigures figures;  // Figures of the model's output.
};

struct LayerReport {
  LayerReportKind kind = LayerReportKind::kAimet;
  std::vector<ReportedModel> models;  // At least one, with a layer or a figure.
  std::vector<std::string> warnings;  // Omitted parts, with reasons.
};

// A report of a thousand layers has a megabyte; more than this is something else.
inline constexpr std::uint64_t kMaxLayerReportBytes = std::uint64_t{64} << 20;

// Which of these a file is, by its name and by how it begins; nothing for any other. AIMET's files
// of plain numbers are told by their name alone.
std::optional<LayerReportKind> DetectLayerReport(std::string_view beginning,
                                                 const std::filesystem::path& name);

// Reads a text; `source` is the file it came from, and says which figures AIMET's and Model
// Explorer's numbers are. Fails with kInvalidArgument, and with where, what is there and what was
// expected.
Result<LayerReport> ParseLayerReport(std::string text, const std::filesystem::path& source,
                                     LayerReportKind kind);

struct LayerImportOptions {
  std::filesystem::path directory;  // Below which each model gets a run of its own.
  std::string model;                // For a file that names none; empty: by the file's name.
  std::string variant = "int8";
  std::int64_t step = 0;
};

struct ImportedLayers {
  std::string model;
  std::filesystem::path run;
  std::size_t layers = 0;
  std::size_t values = 0;
};

// Logs what was read. Runs that are there get one more event file, so that several reports of a
// model come together. Fails with the writer's error; what was written until then stays.
Result<std::vector<ImportedLayers>> ImportLayerReport(const LayerReport& report,
                                                      const std::filesystem::path& source,
                                                      const LayerImportOptions& options);

struct NodeDataGraph {
  std::string name;
  std::vector<std::pair<std::string, double>> values;  // By node.
};

// A value per node for Model Explorer: {"<graph>": {"results": {"<node>": {"value": …}}, …}, …},
// with a gradient from the best value to the worst. Values that are not finite are left out.
std::string ModelExplorerNodeData(std::span<const NodeDataGraph> graphs, bool higher_is_better);

}  // namespace cboard::compression
