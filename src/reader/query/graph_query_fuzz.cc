// Graphs from any bytes, in all their wrappings: indices stay inside, and both ways of writing the
// text accept or refuse together.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cboard/reader/graph_query.h"

namespace {

using namespace cboard;

void Look(std::string_view graph_def, std::string_view run_metadata) {
  const auto graph = reader::ParseGraph(
      graph_def,
      {.max_nodes = 1000, .max_edges = 4000, .max_attribute_bytes = 64, .max_scopes = 2000});
  if (!graph) return;
  for (const reader::GraphEdge& edge : graph->edges) {
    if (edge.from >= graph->nodes.size() || edge.to >= graph->nodes.size()) std::abort();
  }
  for (const reader::GraphNode& node : graph->nodes) {
    if (node.scope >= graph->scopes.size()) std::abort();
  }
  if (graph->scopes[0].total_nodes != graph->nodes.size()) std::abort();
  if (const auto profile = reader::JoinRunMetadata(*graph, run_metadata)) {
    if (profile->costs.size() != graph->nodes.size()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Look(bytes, bytes);
  const auto whole = reader::GraphDefText(bytes);
  const auto limited = reader::GraphDefText(bytes, {.max_attribute_bytes = 8});
  if (whole && !limited) std::abort();
  (void)reader::RunMetadataText(bytes);
  if (const auto graph = reader::GraphDefOfMetaGraph(bytes)) Look(*graph, bytes);
  if (const auto graph = reader::GraphDefOfFunctionGraphs(bytes)) Look(*graph, bytes);
  if (const auto graph = reader::GraphDefOfKerasModel(bytes)) {
    if (!reader::ParseGraph(*graph)) std::abort();
  }
  return 0;
}
