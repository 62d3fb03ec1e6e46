#include <cmath>
#include <string_view>
#include <unordered_map>

#include "server/api/graph_json.h"
#include "server/content/json_columns.h"

namespace cboard::server {
namespace {

using analysis::BoxFacts;
using analysis::BoxKind;
using analysis::GraphBox;
using analysis::GraphLink;
using analysis::GraphScene;
using analysis::GraphView;

std::int64_t Rounded(double value) { return std::llround(value); }

// Returns the index, or -1 if there is none.
std::int64_t IndexOrNone(std::uint32_t index) {
  return index == analysis::kNoBox ? -1 : static_cast<std::int64_t>(index);
}

// Writes each operator name once; each box then refers to its name by index.
void WriteOperations(JsonWriter& json, const GraphScene& scene, const GraphView& view) {
  std::unordered_map<std::string_view, std::int64_t> number_of_name;
  std::vector<std::string_view> names;
  const auto number = [&](const reader::GraphNode* node) -> std::int64_t {
    if (node == nullptr) return -1;
    const auto [found, is_new] =
        number_of_name.emplace(node->op, static_cast<std::int64_t>(names.size()));
    if (is_new) names.push_back(node->op);
    return found->second;
  };
  WriteValues(json, "ops", view.boxes, [&](const GraphBox& box) {
    return box.kind == BoxKind::kNode ? number(scene.NodeInA(box.index)) : -1;
  });
  WriteValues(json, "b_ops", view.boxes, [&](const GraphBox& box) {
    return box.kind == BoxKind::kNode ? number(scene.NodeInB(box.index)) : -1;
  });
  WriteValues(json, "op_names", names);
}

void WriteFacts(JsonWriter& json, const std::vector<GraphBox>& boxes, std::string_view side,
                BoxFacts GraphBox::*facts) {
  const auto write = [&](std::string_view name, auto BoxFacts::*member) {
    WriteValues(json, name, boxes, [&](const GraphBox& box) { return (box.*facts).*member; });
  };
  json.Key(side).BeginObject();
  write("node_counts", &BoxFacts::node_count);
  write("memory_bytes", &BoxFacts::memory_bytes);
  write("compute_micros", &BoxFacts::compute_micros);
  write("weight_bytes", &BoxFacts::weight_bytes);
  write("output_bytes", &BoxFacts::output_bytes);
  write("weight_bits", &BoxFacts::min_weight_bits);
  write("most_weight_bits", &BoxFacts::max_weight_bits);
  write("activation_bits", &BoxFacts::min_activation_bits);
  json.EndObject();
}

// A box is marked if any node inside it is marked.
void WriteTraced(JsonWriter& json, const GraphScene& scene, const GraphView& view,
                 std::span<const char> traced) {
  if (traced.empty()) return;
  std::vector<char> groups(scene.outline.groups.size(), 0);
  for (std::size_t i = 0; i < traced.size(); ++i) {
    if (traced[i]) groups[scene.outline.nodes[i].group] = 1;
  }
  for (std::size_t i = groups.size(); i-- > 1;) {
    if (groups[i]) groups[scene.outline.groups[i].parent] = 1;
  }
  WriteValues(json, "traced", view.boxes, [&](const GraphBox& box) {
    return static_cast<int>(box.kind == BoxKind::kNode ? traced[box.index] : groups[box.index]);
  });
}

void WriteBoxes(JsonWriter& json, const GraphScene& scene, const GraphView& view,
                std::span<const char> traced) {
  const auto& boxes = view.boxes;
  const auto path = [&](const GraphBox& box) -> const std::string& {
    return box.kind == BoxKind::kNode ? scene.outline.nodes[box.index].path
                                      : scene.outline.groups[box.index].path;
  };
  json.Key("boxes").BeginObject();
  WriteValues(json, "paths", boxes, path);
  WriteValues(json, "labels", boxes, [&](const GraphBox& box) { return LabelOf(scene, box); });
  WriteValues(json, "kinds", boxes, [](const auto& box) { return static_cast<int>(box.kind); });
  WriteValues(json, "parents", boxes, [](const auto& box) { return IndexOrNone(box.parent); });
  WriteValues(json, "x", boxes, [](const auto& box) { return Rounded(box.x); });
  WriteValues(json, "y", boxes, [](const auto& box) { return Rounded(box.y); });
  WriteValues(json, "widths", boxes, [](const auto& box) { return Rounded(box.width); });
  WriteValues(json, "heights", boxes, [](const auto& box) { return Rounded(box.height); });
  WriteOperations(json, scene, view);
  WriteValues(json, "devices", boxes, &GraphBox::device);
  WriteValues(json, "changes", boxes, [](const auto& box) { return static_cast<int>(box.change); });
  WriteValues(json, "fused_into", boxes,
              [](const auto& box) { return IndexOrNone(box.fused_into); });
  WriteValues(json, "structures", boxes, [&](const GraphBox& box) {
    return box.kind == BoxKind::kNode ? 0u : scene.structures[box.index];
  });
  WriteTraced(json, scene, view, traced);
  WriteFacts(json, boxes, "a", &GraphBox::a);
  if (scene.b != nullptr) WriteFacts(json, boxes, "b", &GraphBox::b);
  json.EndObject();
}

void WriteLinks(JsonWriter& json, const std::vector<GraphLink>& links) {
  json.Key("links").BeginObject();
  WriteValues(json, "sources", links, &GraphLink::source);
  WriteValues(json, "ends", links, &GraphLink::end);
  WriteValues(json, "befores", links, [](const auto& link) { return IndexOrNone(link.before); });
  WriteValues(json, "counts", links, &GraphLink::value_count);
  WriteValues(json, "sides", links, &GraphLink::sides);
  WriteValues(json, "controls", links, [](const auto& link) { return link.control ? 1 : 0; });
  // Each link is [x, y, x, y, …], or empty if the link is not drawn.
  json.Key("points").BeginArray();
  for (const GraphLink& link : links) {
    json.BeginArray();
    for (const analysis::LayoutPoint& point : link.points) {
      json.Value(Rounded(point.x)).Value(Rounded(point.y));
    }
    json.EndArray();
  }
  json.EndArray().EndObject();
}

}  // namespace

void WriteView(JsonWriter& json, const GraphScene& scene, const GraphView& view,
               std::span<const char> traced) {
  json.Key("width").Value(Rounded(view.width)).Key("height").Value(Rounded(view.height));
  WriteValues(json, "open", view.open);
  WriteValues(json, "devices", view.devices);
  WriteBoxes(json, scene, view, traced);
  WriteLinks(json, view.links);
  const auto& summary = scene.diff.summary;
  json.Key("summary").BeginObject();
  WriteValues(json, "changes", summary, [](const auto& line) { return NameOf(line.change); });
  WriteValues(json, "counts", summary, [](const auto& line) { return line.count; });
  WriteValues(json, "ops", summary, [](const auto& line) { return line.op; });
  WriteValues(json, "others", summary, [](const auto& line) { return line.other; });
  json.Key("whats").BeginArray();
  for (const analysis::DiffSummaryLine& line : summary) {
    json.BeginArray();
    for (const std::string& what : line.whats) json.Value(what);
    json.EndArray();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace cboard::server
