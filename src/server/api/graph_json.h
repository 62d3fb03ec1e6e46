// Views and nodes of graphs as JSON; docs/rest-api.md describes it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cboard/analysis/graph_scene.h"
#include "cboard/analysis/graph_view.h"
#include "cboard/base/json_writer.h"

namespace cboard::server {

// Members of the response to /graphs/view. `traced` has 1 for each node of the scene to be marked,
// or is empty.
void WriteView(JsonWriter& json, const analysis::GraphScene& scene, const analysis::GraphView& view,
               std::span<const char> traced);

// Members of the response to /graphs/node.
void WriteSceneNode(JsonWriter& json, const analysis::GraphScene& scene, std::uint32_t node);
void WriteSceneGroup(JsonWriter& json, const analysis::GraphScene& scene, std::uint32_t group);

}  // namespace cboard::server
