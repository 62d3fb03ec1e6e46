// Imports layer reports in JSON from AIMET, the Model Compression Toolkit (MCT) and Model Explorer.
#include <algorithm>
#include <array>
#include <cmath>

#include "cboard/base/strings.h"
#include "compression/benchmarks/json_document.h"
#include "compression/imports/parsers.h"

namespace cboard::compression::imports {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

tl::unexpected<Error> Wrong(const std::filesystem::path& source, const std::string& what) {
  return Fail(ErrorCode::kInvalidArgument, source.string() + ": " + what);
}

Result<object> Root(element document, const std::filesystem::path& source) {
  object root;
  if (document.get(root) == simdjson::SUCCESS) return root;
  return Wrong(source, "expected an object of layers, {\"conv1\": …}, found another value");
}

struct Range {
  double low, high;
};

// Reads [min, max].
std::optional<Range> RangeIn(element value) {
  array items;
  if (value.get(items) != simdjson::SUCCESS || items.size() != 2) return std::nullopt;
  const auto low = NumberOf(items.at(0)), high = NumberOf(items.at(1));
  if (!low || !high) return std::nullopt;
  return Range{*low, *high};
}

// Reads {"conv1_weight_0": [min, max], …}, with one entry per channel.
std::optional<LayerFigures> ChannelRangesIn(element value) {
  object channels;
  if (value.get(channels) != simdjson::SUCCESS || channels.size() == 0) return std::nullopt;
  Range all = {HUGE_VAL, -HUGE_VAL};
  std::vector<double> magnitudes;
  for (const auto [name, entry] : channels) {
    const std::optional<Range> range = RangeIn(entry);
    if (!range) return std::nullopt;
    all = {std::min(all.low, range->low), std::max(all.high, range->high)};
    magnitudes.push_back(std::max(std::abs(range->low), std::abs(range->high)));
  }
  LayerFigures figures = {{"range_min", all.low},
                          {"range_max", all.high},
                          {"channel_count", static_cast<double>(magnitudes.size())}};
  const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
  std::ranges::nth_element(magnitudes, middle);
  const double median = *middle, largest = *std::ranges::max_element(magnitudes);
  // Returns the range of the widest channel divided by the range of the median channel.
  if (median > 0) figures["channel_spread"] = largest / median;
  return figures;
}

// Returns the metric of a file with plain numbers. The metric is a part of the file name.
std::string_view AimetMetric(const std::string& stem) {
  if (stem.find("quant_enabled") != std::string::npos) return "score_if_only_this_is_quantized";
  if (stem.find("quant_disabled") != std::string::npos)
    return "score_if_all_but_this_are_quantized";
  if (stem.find("mse") != std::string::npos) return "mse";
  return {};
}

// Returns the layer of a range: AIMET's conv1_output_0 belongs to conv1.
std::string LayerOfRange(std::string_view name) {
  constexpr std::string_view kOutput = "_output_0";
  if (name.ends_with(kOutput) && name.size() > kOutput.size()) name.remove_suffix(kOutput.size());
  return std::string(name);
}

// Returns mse, cs and sqnr of one tensor under our names; other metrics keep their names.
LayerFigures MctFigures(const object& metrics) {
  LayerFigures figures;
  for (const auto [name, entry] : metrics) {
    const std::optional<double> value = NumberOf(entry);
    if (!value) continue;
    if (name == "cs") {
      figures["cosine"] = *value;
    } else if (name == "sqnr") {
      // Converts a ratio of powers to dB. For a tensor without error, the toolkit divides by a tiny
      // number instead of 0.
      if (*value > 0) figures["sqnr_db"] = 10 * std::log10(*value);
    } else {
      figures[std::string(name)] = *value;
    }
  }
  return figures;
}

void AddMctLayers(const object& layers, ReportedModel& model) {
  for (const auto [name, entry] : layers) {
    object metrics;
    if (name.empty() || entry.get(metrics) != simdjson::SUCCESS) continue;
    LayerFigures figures = MctFigures(metrics);
    if (!figures.empty()) model.layers.push_back({std::string(name), std::move(figures)});
  }
}

// Returns a metric name from a file name: sqnr for "sqnr.json", with characters that a tag may
// contain.
std::string MetricOfFile(const std::filesystem::path& source) {
  std::string metric = source.stem().string();
  for (char& c : metric) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || c == '.';
    if (!plain) c = '_';
  }
  return metric.empty() ? "value" : metric;
}

Result<void> AddNodeData(std::string_view graph, const object& data,
                         const std::filesystem::path& source, LayerReport& report) {
  object results;
  if (data["results"].get(results) != simdjson::SUCCESS) {
    return Wrong(source, "graph " + Quoted(graph) +
                             " has no \"results\"; expected {\"results\": {\"<node>\": {\"value\": "
                             "…}}}");
  }
  const std::string metric = MetricOfFile(source);
  ReportedModel model{.model = std::string(graph)};
  std::size_t texts = 0;
  for (const auto [node, entry] : results) {
    object result;
    element value;
    if (entry.get(result) == simdjson::SUCCESS) {
      if (result["value"].get(value) != simdjson::SUCCESS) continue;
    } else {
      value = entry;  // Older files contain {"node": 1.5}.
    }
    const std::optional<double> number = NumberOf(value);
    if (!number || node.empty()) {
      ++texts;
      continue;
    }
    model.layers.push_back({std::string(node), {{metric, *number}}});
  }
  if (texts > 0) {
    report.warnings.push_back(HumanCount(texts) + " nodes of graph " + Quoted(graph) +
                              " have no number and are left out");
  }
  if (!model.layers.empty()) report.models.push_back(std::move(model));
  return {};
}

}  // namespace

Result<void> ParseAimet(element document, const std::filesystem::path& source,
                        LayerReport& report) {
  CBOARD_ASSIGN_OR_RETURN(const object root, Root(document, source));
  const std::string_view metric = AimetMetric(source.stem().string());
  ReportedModel model;
  for (const auto [name, entry] : root) {
    if (name.empty()) continue;
    if (const std::optional<Range> range = RangeIn(entry)) {
      model.layers.push_back(
          {LayerOfRange(name), {{"range_min", range->low}, {"range_max", range->high}}});
    } else if (const std::optional<double> number = NumberOf(entry)) {
      if (metric.empty()) {
        return Wrong(
            source,
            "the file name does not say which metric the numbers are; use one of AIMET's names: "
            "per_layer_quant_enabled.json, per_layer_quant_disabled.json or "
            "per_layer_mse_loss.json");
      }
      model.layers.push_back({std::string(name), {{std::string(metric), *number}}});
    } else if (std::optional<LayerFigures> figures = ChannelRangesIn(entry)) {
      model.layers.push_back({std::string(name), *std::move(figures)});
    } else {
      return Wrong(source, "layer " + Quoted(name) +
                               " holds neither a number nor [min, max]; expected a report of "
                               "AIMET's QuantAnalyzer");
    }
  }
  if (model.layers.empty()) return Wrong(source, "the report contains no layer");
  report.models.push_back(std::move(model));
  return {};
}

Result<void> ParseMct(element document, const std::filesystem::path& source, LayerReport& report) {
  CBOARD_ASSIGN_OR_RETURN(const object root, Root(document, source));
  ReportedModel model;
  // If the report contains validation data, uses it instead of the data that the quantizer has
  // used.
  for (const std::string_view data : {"val", "repr"}) {
    object layers, output;
    const std::string suffix(data);
    if (model.layers.empty() &&
        root["intermediate_similarity_metrics_" + suffix].get(layers) == simdjson::SUCCESS) {
      AddMctLayers(layers, model);
    }
    if (model.figures.empty() &&
        root["output_similarity_metrics_" + suffix].get(output) == simdjson::SUCCESS) {
      for (const auto& [name, value] : MctFigures(output)) model.figures["output_" + name] = value;
    }
  }
  if (model.layers.empty() && model.figures.empty()) {
    return Wrong(source,
                 "expected \"intermediate_similarity_metrics_val\" or \"…_repr\" with numbers, as "
                 "in quant_report.json");
  }
  report.models.push_back(std::move(model));
  return {};
}

Result<void> ParseModelExplorer(element document, const std::filesystem::path& source,
                                LayerReport& report) {
  CBOARD_ASSIGN_OR_RETURN(const object root, Root(document, source));
  element results;
  // The file may contain the results without a graph. This is not an error.
  if (root["results"].get(results) == simdjson::SUCCESS) {
    CBOARD_RETURN_IF_ERROR(AddNodeData("", root, source, report));
  } else {
    for (const auto [graph, entry] : root) {
      object data;
      if (entry.get(data) != simdjson::SUCCESS) {
        return Wrong(source,
                     "graph " + Quoted(graph) + " must be an object with the key \"results\"");
      }
      CBOARD_RETURN_IF_ERROR(AddNodeData(graph, data, source, report));
    }
  }
  if (report.models.empty()) return Wrong(source, "no node of the file has a number");
  return {};
}

}  // namespace cboard::compression::imports
