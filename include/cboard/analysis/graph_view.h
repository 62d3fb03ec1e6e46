// Lays out a graph scene for drawing: some groups are open, each other group is one box.
//
// Only visible boxes are laid out, so a graph of 50,000 nodes costs as much as its top
// level. Lines cross the border of an open group at one place per value and branch inside
// the group.
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

// A special value in a list of groups to open. It means all groups.
inline constexpr std::string_view kEveryGroup = "*";

struct GraphViewOptions {
  std::vector<std::string> open = {};  // Paths of groups; unknown paths are ignored.
  // Used instead of `open`: opens as many levels of groups as fit into this number of boxes.
  std::optional<std::size_t> automatic_boxes = {};
  bool hide_constants = true;
  // Draws a tensor's quantize and dequantize nodes as part of the node that computes it.
  bool fold_quantization = true;
  double node_width = 184;
  double node_height = 22;
  std::size_t max_boxes = 200'000;  // Larger views fail with kResourceExhausted.
};

enum class BoxKind : std::uint8_t { kNode, kClosedGroup, kOpenGroup };

// Facts of a box for one of the two graphs: sums over the nodes of a group, or the values of a
// single node.
struct BoxFacts {
  std::uint64_t memory_bytes = 0;    // Measured.
  std::uint64_t compute_micros = 0;  // Measured.
  std::uint64_t weight_bytes = 0;
  std::uint64_t output_bytes = 0;
  std::uint8_t min_weight_bits = 0;  // 0 if unknown.
  std::uint8_t max_weight_bits = 0;
  std::uint8_t min_activation_bits = 0;
  std::uint32_t node_count = 0;  // Nodes of the group that this side has.
};

struct GraphBox {
  BoxKind kind = BoxKind::kNode;
  std::uint32_t index = 0;  // Index in the scene's diff.nodes or outline.groups.
  // If the box is the only node of a group: the group whose name the box shows.
  std::uint32_t named_after = kNoGroup;
  std::uint32_t parent = kNoBox;
  double x = 0;  // Upper left corner.
  double y = 0;
  double width = 0;
  double height = 0;
  BoxFacts a = {};
  BoxFacts b = {};
  std::uint32_t device = 0;               // Index in GraphView::devices.
  NodeChange change = NodeChange::kSame;  // For a group: kSame or kChanged.
  std::uint32_t fused_into = kNoBox;      // The box that this one was fused into.
};

// A line between two boxes, or the part of a line between two borders of groups.
struct GraphLink {
  std::uint32_t source = 0;  // The box that computes the value.
  std::uint32_t end = 0;     // Where this part ends: a box, or a group whose border it crosses.
  // Index of the previous part of this line; a line has one part between two borders of groups.
  std::uint32_t before = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value_count = 1;  // Number of graph edges that the line represents.
  std::uint8_t sides = kInA;
  bool control = false;
  bool drawn = true;  // False if the line is so long that it is shown on request only.
  std::vector<LayoutPoint> points = {};
};

struct GraphView {
  double width = 0;
  double height = 0;
  std::vector<GraphBox> boxes = {};  // A group comes before its content.
  std::vector<GraphLink> links = {};
  std::vector<std::string> devices = {};  // The first is "", for no device or several devices.
  std::vector<std::string> open = {};     // The open groups, in the order of boxes.
};

// The text of a box. For a group with a single node, the part of the name that says more than the
// operator: "conv1" for conv1/Conv and for Conv2D_3/conv1.
std::string LabelOf(const GraphScene& scene, const GraphBox& box);

Result<GraphView> ViewScene(const GraphScene& scene, const GraphViewOptions& options = {});

}  // namespace cboard::analysis
