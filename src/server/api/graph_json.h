// Writes graph views and nodes as JSON; docs/rest-api.md describes the members.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cboard/analysis/graph_scene.h"
#include "cboard/analysis/graph_view.h"
#include "cboard/base/json_writer.h"

namespace cboard::server {

// Writes the members of the response to /graphs/view. `traced` has one entry per node of the scene,
// 1 for a highlighted node; it may be empty.
void WriteView(JsonWriter& json, const analysis::GraphScene& scene, const analysis::GraphView& view,
               std::span<const char> traced);

// Writes the members of the response to /graphs/node.
void WriteSceneNode(JsonWriter& json, const analysis::GraphScene& scene, std::uint32_t node);
void WriteSceneGroup(JsonWriter& json, const analysis::GraphScene& scene, std::uint32_t group);

}  // namespace cboard::server
