#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "cboard/analysis/layers.h"
#include "cboard/base/strings.h"
#include "cboard/compression/layer_report.h"
#include "cboard/compression/metrics.h"
#include "cli/exports/export_value.h"

namespace cboard::cli {
namespace {

using Values = std::map<std::string, std::map<std::string, double>>;  // By model and layer.

using Figures = std::map<std::string, std::map<std::string, Values>>;  // By variant and metric.

Figures Collect(const reader::Snapshot& snapshot, const ExportOptions& options) {
  Figures figures;
  for (const auto& run : snapshot.runs) {
    if (!options.Takes(*run)) continue;
    for (const reader::Tag& tag : run->tags) {
      if (tag.kind() != reader::TagKind::kScalar || tag.scalars.empty() || !options.Takes(tag))
        continue;
      const auto figure = analysis::ParseLayerTag(tag);
      if (!figure || figure->model.empty() || figure->parameter.empty()) continue;
      figures[figure->variant][figure->parameter][figure->model][figure->layer] =
          tag.scalars.back().value;
    }
  }
  return figures;
}

template <typename Map>
std::string KeysOf(const Map& map) {
  std::string keys;
  for (const auto& [key, value] : map) keys += (keys.empty() ? "" : ", ") + key;
  return keys;
}

// Metrics of the difference from the float model, the most informative first. A baseline has none
// of these metrics.
constexpr std::array<std::string_view, 5> kDefaultMetrics = {"sqnr_db", "accumulated_sqnr_db",
                                                             "cosine", "rmse_by_scale", "mse"};

std::string DefaultMetric(const std::map<std::string, Values>& metrics) {
  for (const std::string_view metric : kDefaultMetrics) {
    if (metrics.contains(std::string(metric))) return std::string(metric);
  }
  return metrics.begin()->first;
}

// Removes variants without the requested metric, unless no variant has it.
void DropVariantsWithout(Figures& figures, std::string_view metric) {
  const auto is_usable = [&](const auto& variant) {
    const auto has = [&](std::string_view key) {
      return variant.second.contains(std::string(key));
    };
    return metric.empty() ? std::ranges::any_of(kDefaultMetrics, has) : has(metric);
  };
  if (std::ranges::none_of(figures, is_usable)) return;
  std::erase_if(figures, [&](const auto& variant) { return !is_usable(variant); });
}

bool IsBetterHigh(std::string_view metric) {
  return metric == "cosine" ||
         compression::DescribeMetric(metric).better == compression::Better::kHigher;
}

}  // namespace

Result<std::string> NodeDataJson(const reader::Snapshot& snapshot, const ExportOptions& options,
                                 std::string_view metric, std::string_view variant) {
  Figures figures = Collect(snapshot, options);
  if (figures.empty()) {
    return Fail(
        ErrorCode::kNotFound,
        "the logs have no layer metrics, whose tags are <model>/layers/<layer>/<metric>/<variant>; "
        "log them with compression-board compare A B --logdir DIR");
  }
  if (variant.empty()) DropVariantsWithout(figures, metric);
  if (variant.empty() && figures.size() > 1) {
    return Fail(
        ErrorCode::kInvalidArgument,
        "several variants have layer metrics; choose one with --variant: " + KeysOf(figures));
  }
  const auto chosen = variant.empty() ? figures.begin() : figures.find(std::string(variant));
  if (chosen == figures.end()) {
    return Fail(ErrorCode::kNotFound, "no layer of the variant " + Quoted(variant) +
                                          " has a metric; the log has " + KeysOf(figures));
  }
  const std::string wanted = metric.empty() ? DefaultMetric(chosen->second) : std::string(metric);
  const auto values = chosen->second.find(wanted);
  if (values == chosen->second.end()) {
    return Fail(ErrorCode::kNotFound, "no layer of variant " + Quoted(chosen->first) +
                                          " has the metric " + Quoted(wanted) + "; the log has " +
                                          KeysOf(chosen->second));
  }
  std::vector<compression::NodeDataGraph> graphs;
  for (const auto& [model, layers] : values->second) {
    graphs.push_back({model, {layers.begin(), layers.end()}});
  }
  return compression::ModelExplorerNodeData(graphs, IsBetterHigh(wanted)) + "\n";
}

}  // namespace cboard::cli
