#include "cli/export_node_data.h"

#include <map>
#include <vector>

#include "cboard/analysis/layers.h"
#include "cboard/base/strings.h"
#include "cboard/compression/layer_report.h"
#include "cboard/compression/metrics.h"

namespace cboard::cli {
namespace {

using Values = std::map<std::string, std::map<std::string, double>>;  // By model and layer.

// By variant and metric.
std::map<std::string, std::map<std::string, Values>> Collect(const Snapshot& snapshot,
                                                             const ExportOptions& options) {
  std::map<std::string, std::map<std::string, Values>> figures;
  for (const auto& run : snapshot.runs) {
    if (!options.Takes(*run)) continue;
    for (const Tag& tag : run->tags) {
      if (tag.kind() != TagKind::kScalar || tag.scalars.empty() || !options.Takes(tag)) continue;
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

std::string UsualMetric(const std::map<std::string, Values>& metrics) {
  for (const char* metric : {"sqnr_db", "accumulated_sqnr_db", "cosine", "rmse_by_scale", "mse"}) {
    if (metrics.contains(metric)) return metric;
  }
  return metrics.begin()->first;
}

bool IsBetterHigh(std::string_view metric) {
  return metric == "cosine" || DescribeMetric(metric).better == Better::kHigher;
}

}  // namespace

Result<std::string> NodeDataJson(const Snapshot& snapshot, const ExportOptions& options,
                                 std::string_view metric, std::string_view variant) {
  const auto figures = Collect(snapshot, options);
  if (figures.empty()) {
    return Fail(ErrorCode::kNotFound,
                "there are no figures of layers, <model>/layers/<layer>/<metric>/<variant>");
  }
  if (variant.empty() && figures.size() > 1) {
    return Fail(
        ErrorCode::kInvalidArgument,
        "there are figures of several variants; choose one by --variant: " + KeysOf(figures));
  }
  const auto chosen = variant.empty() ? figures.begin() : figures.find(std::string(variant));
  if (chosen == figures.end()) {
    return Fail(ErrorCode::kNotFound, "no layer of the variant " + Quoted(variant) +
                                          " has a figure; there are " + KeysOf(figures));
  }
  const std::string wanted = metric.empty() ? UsualMetric(chosen->second) : std::string(metric);
  const auto values = chosen->second.find(wanted);
  if (values == chosen->second.end()) {
    return Fail(ErrorCode::kNotFound, "no layer of " + Quoted(chosen->first) + " has a figure " +
                                          Quoted(wanted) + "; there are " + KeysOf(chosen->second));
  }
  std::vector<NodeDataGraph> graphs;
  for (const auto& [model, layers] : values->second) {
    graphs.push_back({model, {layers.begin(), layers.end()}});
  }
  return ModelExplorerNodeData(graphs, IsBetterHigh(wanted)) + "\n";
}

}  // namespace cboard::cli
