// Creates scenes and views of graphs from any bytes: the first half is one graph, the second the
// other. Boxes stay inside their groups, lines connect boxes, and the output is bounded by the
// input.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "cboard/analysis/graph_view.h"
#include "cboard/analysis/running_memory.h"

namespace {

using namespace cboard;
using namespace cboard::analysis;

void Check(bool holds) {
  if (!holds) std::abort();
}

std::shared_ptr<const MeasuredGraph> Parse(std::string_view bytes) {
  const auto graph = reader::ParseGraph(
      bytes, {.max_nodes = 500, .max_edges = 2000, .max_attribute_bytes = 64, .max_scopes = 2000});
  if (!graph) return nullptr;
  const auto profile = reader::JoinRunMetadata(*graph, bytes);
  return std::make_shared<const MeasuredGraph>(MeasureGraph(*graph, profile ? &*profile : nullptr));
}

void Look(const GraphScene& scene, const GraphViewOptions& options) {
  const auto view = ViewScene(scene, options);
  if (!view) return;
  for (const GraphBox& box : view->boxes) {
    Check(box.parent == kNoBox || box.parent < view->boxes.size());
    Check(box.x >= -1 && box.y >= -1);
    Check(box.x + box.width <= view->width + 1 && box.y + box.height <= view->height + 1);
  }
  for (const GraphLink& link : view->links) {
    Check(link.source < view->boxes.size() && link.end < view->boxes.size());
    Check(link.before == kNoBox || link.before < view->links.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto a = Parse(bytes.substr(0, size / 2)), b = Parse(bytes.substr(size / 2));
  if (a == nullptr) return 0;
  Check(RunMemory(*a).bytes.size() <= a->graph.nodes.size());
  for (const auto& other : {std::shared_ptr<const MeasuredGraph>(), b}) {
    const GraphScene scene = MakeScene(a, other);
    Look(scene, {});
    Look(scene, {.open = {"*"}, .hide_constants = false});
    Look(scene, {.automatic_boxes = 40});
    (void)FindLayers(scene, std::vector<std::string_view>{bytes.substr(0, 20)});
  }
  return 0;
}
