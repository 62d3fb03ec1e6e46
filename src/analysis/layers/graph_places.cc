#include "analysis/layers/graph_places.h"

#include <vector>

#include "analysis/graph/computation_order.h"
#include "analysis/graph/graph_names.h"
#include "analysis/runs/run_path.h"
#include "cboard/analysis/graph_sources.h"
#include "cboard/reader/graph_query.h"

namespace cboard::analysis {
namespace {

struct GraphPlaces {
  std::map<std::string, std::size_t, std::less<>> by_name = {};
};

// Returns no places if the graph cannot be read: layers then keep the order of the log, and the
// Graph page shows the error.
GraphPlaces ReadPlaces(const reader::Run& run) {
  GraphPlaces places;
  for (const reader::Tag& tag : run.tags) {
    if (tag.kind() != reader::TagKind::kGraph || tag.blobs.empty() ||
        !tag.info->plugin_name.empty()) {
      continue;
    }
    const Result<std::string> bytes = ReadNewestBytes(run, tag);
    const Result<reader::Graph> graph = bytes ? reader::ParseGraph(*bytes) : Fail(bytes.error());
    if (!graph) continue;
    for (const std::uint32_t index : OrderOfComputation(*graph)) {
      const reader::GraphNode& node = graph->nodes[index];
      const std::size_t place = places.by_name.size();
      places.by_name.try_emplace(node.name, place);
      places.by_name.try_emplace("/" + node.name, place);
      if (std::string layer = LayerOf(node); !layer.empty()) {
        places.by_name.try_emplace(std::move(layer), place);
      }
    }
    return places;
  }
  return places;
}

}  // namespace

std::map<std::string, std::size_t, std::less<>> PlacesInGraph(const reader::Snapshot& snapshot,
                                                              const VariantLayers* baseline,
                                                              const VariantLayers& variant) {
  std::vector<const reader::Run*> candidates = {snapshot.FindRun(variant.run)};
  if (baseline != nullptr) candidates.push_back(snapshot.FindRun(baseline->run));
  // A file comparison logs graphs in separate runs.
  candidates.push_back(snapshot.FindRun(variant.run + "/" + variant.variant));
  if (variant.is_stage) {
    for (const auto& run : snapshot.runs) {
      if (ParentOf(WithoutDot(run->name)) == ParentOf(WithoutDot(variant.run))) {
        candidates.push_back(run.get());
      }
    }
  }
  for (const reader::Run* const run : candidates) {
    if (run == nullptr || !run->Has(reader::TagKind::kGraph)) continue;
    const auto& places = run->notes.Get<GraphPlaces>([&] { return ReadPlaces(*run); }).by_name;
    if (!places.empty()) return places;
  }
  return {};
}

}  // namespace cboard::analysis
