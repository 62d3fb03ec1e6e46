#include "cboard/compression/layer_report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "cboard/compression/names.h"
#include "cboard/proto/summary.h"
#include "cboard/writer/summary_writer.h"
#include "compression/benchmarks/json_document.h"
#include "compression/imports/parsers.h"

namespace cboard::compression {
namespace {

struct NamedKind {
  LayerReportKind kind;
  std::string_view name;
};
constexpr auto kKinds =
    std::to_array<NamedKind>({{LayerReportKind::kAimet, "aimet"},
                              {LayerReportKind::kTfliteDebugger, "tflite"},
                              {LayerReportKind::kMct, "mct"},
                              {LayerReportKind::kNeuralCompressor, "neural-compressor"},
                              {LayerReportKind::kModelExplorer, "model-explorer"}});

constexpr std::string_view kSpaces = " \t\r\n";

// Reads the beginning of a text step by step, to find out its format. After the end of the text, no
// step succeeds.
class FormatDetector {
 public:
  explicit FormatDetector(std::string_view text) : rest_(text) {}

  bool Take(char wanted) {
    Skip();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  char Next() {
    Skip();
    return rest_.empty() ? '\0' : rest_.front();
  }

  // Reads a quoted text without decoding its escapes, because names can be recognized without
  // decoding.
  std::optional<std::string_view> TakeText() {
    if (!Take('"')) return std::nullopt;
    const std::size_t end = rest_.find('"');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

 private:
  void Skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpaces), rest_.size())); }

  std::string_view rest_;
};

bool StartsNumber(char c) { return c == '-' || c == 'N' || (c >= '0' && c <= '9'); }

std::optional<LayerReportKind> DetectJson(std::string_view beginning, const std::string& stem) {
  FormatDetector json(beginning);
  if (!json.Take('{')) return std::nullopt;
  const auto key = json.TakeText();
  if (!key || !json.Take(':')) return std::nullopt;
  if (key->find("_similarity_metrics_") != std::string_view::npos) return LayerReportKind::kMct;
  if (StartsNumber(json.Next())) {
    return stem.starts_with("per_layer_") ? std::optional(LayerReportKind::kAimet) : std::nullopt;
  }
  if (json.Next() == '[') return LayerReportKind::kAimet;
  if (!json.Take('{')) return std::nullopt;
  if (*key == "results") return LayerReportKind::kModelExplorer;
  const auto inner = json.TakeText();
  if (!inner || !json.Take(':')) return std::nullopt;
  if (*inner == "results") return LayerReportKind::kModelExplorer;
  if (json.Next() == '[' && inner->starts_with(*key)) return LayerReportKind::kAimet;
  return std::nullopt;
}

// Removes NaN values, and then layers and models that have no other value.
Result<void> DropNaN(const std::filesystem::path& source, LayerReport& report) {
  const auto is_nan = [](const auto& figure) { return std::isnan(figure.second); };
  std::size_t dropped = 0;
  for (ReportedModel& model : report.models) {
    dropped += std::erase_if(model.figures, is_nan);
    for (ReportedLayer& layer : model.layers) dropped += std::erase_if(layer.figures, is_nan);
    std::erase_if(model.layers, [](const ReportedLayer& layer) { return layer.figures.empty(); });
  }
  std::erase_if(report.models, [](const ReportedModel& model) {
    return model.layers.empty() && model.figures.empty();
  });
  if (dropped > 0) report.warnings.push_back(HumanCount(dropped) + " figures are NaN and left out");
  if (report.models.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                source.string() + ": all values of the report are NaN; export it again");
  }
  return {};
}

// Returns the model name for a file: resnet18 for resnet18/per_layer_mse_loss.json.
std::string ModelOfFile(const std::filesystem::path& source) {
  const std::string stem = source.stem().string();
  const bool usual = stem.starts_with("per_layer_") || stem == "quant_report" ||
                     stem.ends_with("_table") || stem == "activations" || stem == "weights";
  if (!usual) return stem;
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(source, error);
  std::filesystem::path folder = absolute.parent_path();
  if (folder.filename() == "min_max_ranges") folder = folder.parent_path();
  const std::string name = folder.filename().string();
  return name.empty() ? stem : name;
}

}  // namespace

std::string_view NameOf(LayerReportKind kind) {
  return std::ranges::find(kKinds, kind, &NamedKind::kind)->name;
}

std::optional<LayerReportKind> LayerReportKindOf(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &NamedKind::name);
  return found == kKinds.end() ? std::nullopt : std::optional(found->kind);
}

std::optional<LayerReportKind> DetectLayerReport(std::string_view beginning,
                                                 const std::filesystem::path& name) {
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
  if (beginning.starts_with(kUtf8Mark)) beginning.remove_prefix(kUtf8Mark.size());
  if (const auto kind = DetectJson(beginning, name.stem().string())) return kind;
  const std::string_view header = beginning.substr(0, beginning.find_first_of("\r\n"));
  if (header.find("tensor_name") != std::string_view::npos &&
      header.find("mean_squared_error") != std::string_view::npos) {
    return LayerReportKind::kTfliteDebugger;
  }
  if (header.starts_with("OP name,MSE")) return LayerReportKind::kNeuralCompressor;
  return std::nullopt;
}

Result<LayerReport> ParseLayerReport(std::string text, const std::filesystem::path& source,
                                     LayerReportKind kind) {
  LayerReport report{.kind = kind};
  if (kind == LayerReportKind::kTfliteDebugger || kind == LayerReportKind::kNeuralCompressor) {
    CBOARD_ASSIGN_OR_RETURN(const imports::CsvTable table,
                            imports::ParseCsv(text, source.string()));
    CBOARD_RETURN_IF_ERROR(kind == LayerReportKind::kTfliteDebugger
                               ? imports::ParseTfliteDebugger(table, source, report)
                               : imports::ParseNeuralCompressor(table, source, report));
    CBOARD_RETURN_IF_ERROR(DropNaN(source, report));
    return report;
  }
  simdjson::dom::parser parser;
  CBOARD_ASSIGN_OR_RETURN(
      const simdjson::dom::element document,
      ParseJson(text, parser, source.string(), "a report about layers", report.warnings));
  CBOARD_RETURN_IF_ERROR(
      kind == LayerReportKind::kAimet ? imports::ParseAimet(document, source, report)
      : kind == LayerReportKind::kMct ? imports::ParseMct(document, source, report)
                                      : imports::ParseModelExplorer(document, source, report));
  CBOARD_RETURN_IF_ERROR(DropNaN(source, report));
  return report;
}

Result<std::vector<ImportedLayers>> ImportLayerReport(const LayerReport& report,
                                                      const std::filesystem::path& source,
                                                      const LayerImportOptions& options) {
  std::vector<ImportedLayers> imported;
  const std::string variant = DirectoryNameOf(options.variant);
  for (const ReportedModel& model : report.models) {
    ImportedLayers done;
    // If a file has several graphs, the model of each graph is named after the graph.
    done.model = !model.model.empty() && (options.model.empty() || report.models.size() > 1)
                     ? model.model
                     : options.model;
    if (done.model.empty()) done.model = ModelOfFile(source);
    done.run = options.directory / DirectoryNameOf(done.model);
    done.layers = model.layers.size();
    SummaryWriter writer(done.run);
    CBOARD_RETURN_IF_ERROR(writer.status());
    const std::string prefix = TagPrefixOf(done.model);
    // The tag contains the layer's unchanged name, so that graphs and histograms can refer to the
    // layer.
    const auto log = [&](const std::string& tag, double value) -> Result<void> {
      std::string summary;
      proto::AppendScalarValue(tag, static_cast<float>(value), {}, summary);
      ++done.values;
      return writer.AddSummary(summary, options.step);
    };
    for (const ReportedLayer& layer : model.layers) {
      for (const auto& [metric, value] : layer.figures) {
        CBOARD_RETURN_IF_ERROR(
            log(prefix + "/layers/" + layer.layer + "/" + DirectoryNameOf(metric) + "/" + variant,
                value));
      }
    }
    for (const auto& [metric, value] : model.figures) {
      CBOARD_RETURN_IF_ERROR(
          log(prefix + "/metrics/" + DirectoryNameOf(metric) + "/" + variant, value));
    }
    CBOARD_RETURN_IF_ERROR(writer.Close());
    imported.push_back(std::move(done));
  }
  return imported;
}

std::string ModelExplorerNodeData(std::span<const NodeDataGraph> graphs, bool higher_is_better) {
  constexpr std::string_view kGood = "#ffffff", kBad = "#e5484d";
  JsonWriter json;
  json.BeginObject();
  for (const NodeDataGraph& graph : graphs) {
    json.Key(graph.name).BeginObject().Key("results").BeginObject();
    for (const auto& [node, value] : graph.values) {
      if (std::isfinite(value)) json.Key(node).BeginObject().Key("value").Value(value).EndObject();
    }
    json.EndObject().Key("gradient").BeginArray();
    json.BeginObject().Key("stop").Value(0).Key("bgColor").Value(higher_is_better ? kBad : kGood);
    json.EndObject();
    json.BeginObject().Key("stop").Value(1).Key("bgColor").Value(higher_is_better ? kGood : kBad);
    json.EndObject().EndArray().EndObject();
  }
  json.EndObject();
  return json.Take();
}

}  // namespace cboard::compression
