// A scene as it is drawn: some groups open, the others a box each, everything at its place.
//
// Only what is visible is laid out, so that a graph of 50,000 nodes costs as much as its top level.
// Lines cross the border of an open group at a place of their own, one per value, and branch
// inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/graph_layout.h"
#include "cboard/analysis/graph_scene.h"

namespace cboard::analysis {

inline constexpr std::uint32_t kNoBox = std::numeric_limits<std::uint32_t>::max();

// Among the groups to be opened: all of them.
inline constexpr std::string_view kEveryGroup = "*";

struct GraphViewOptions {
  std::vector<std::string> open = {};  // Paths of groups; those that do not exist are left out.
  // Instead: as many levels of groups as make no more boxes than this.
  std::optional<std::size_t> automatic_boxes = {};
  bool hide_constants = true;
  bool fold_quantization = true;  // Draws a tensor's quantize and dequantize as part of its node.
  double node_width = 184;
  double node_height = 22;
  std::size_t max_boxes = 200'000;  // More are refused, with kResourceExhausted.
};

enum class BoxKind : std::uint8_t { kNode, kClosedGroup, kOpenGroup };

// Sums over the content of a group, or the values of a single node, for both sides.
struct BoxFacts {
  std::uint64_t memory_bytes = 0;    // Measured.
  std::uint64_t compute_micros = 0;  // Measured.
  std::uint64_t weight_bytes = 0;
  std::uint64_t output_bytes = 0;
  std::uint8_t min_weight_bits = 0;  // 0: unknown.
  std::uint8_t max_weight_bits = 0;
  std::uint8_t min_activation_bits = 0;
  std::uint32_t node_count = 0;  // That the side has.
};

struct GraphBox {
  BoxKind kind = BoxKind::kNode;
  std::uint32_t index = 0;               // In the scene's diff.nodes or outline.groups.
  std::uint32_t named_after = kNoGroup;  // A group with one node is no box of its own: that one.
  std::uint32_t parent = kNoBox;
  double x = 0;  // Upper left.
  double y = 0;
  double width = 0;
  double height = 0;
  BoxFacts a = {};
  BoxFacts b = {};
  std::uint32_t device = 0;               // In GraphView::devices.
  NodeChange change = NodeChange::kSame;  // For a group: kSame or kChanged.
  std::uint32_t fused_into = kNoBox;      // The box of what this one was fused into.
};

// A line, or a piece of one that crosses the borders of groups.
struct GraphLink {
  std::uint32_t source = 0;  // The box that the value comes from.
  std::uint32_t end = 0;     // Where this piece ends: a box, or a group whose border it crosses.
  std::uint32_t before = std::numeric_limits<std::uint32_t>::max();  // The piece it goes on from.
  std::uint32_t value_count = 1;  // Edges of the graph that it stands for.
  std::uint8_t sides = kInA;
  bool control = false;
  bool drawn = true;  // Not: it would be so long that it is shown on request only.
  std::vector<LayoutPoint> points = {};
};

struct GraphView {
  double width = 0;
  double height = 0;
  std::vector<GraphBox> boxes = {};  // Groups before what is in them.
  std::vector<GraphLink> links = {};
  std::vector<std::string> devices = {};  // The first is "", for none or several.
  std::vector<std::string> open = {};     // The groups that are open, in the order of boxes.
};

// Text for a box. For a group with a single node, the part of the name that says more than the
// operation: "conv1" for conv1/Conv and for Conv2D_3/conv1.
std::string LabelOf(const GraphScene& scene, const GraphBox& box);

Result<GraphView> ViewScene(const GraphScene& scene, const GraphViewOptions& options = {});

}  // namespace cboard::analysis
