#include "cboard/analysis/graph_view.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/graph/visible_boxes.h"

namespace cboard::analysis {
namespace {

// Padding of an open group, in pixels; the top has room for the group's name.
constexpr double kSide = 14;
constexpr double kHeader = 22;
constexpr double kFooter = 10;

// Maximum number of values that cross the border of a group at separate places; more are shown on
// request.
constexpr std::size_t kMaxPorts = 64;
constexpr double kPortGap = 4;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kOut = kNoBox - 1;  // Stands for the border below, in place of a box.

// The boxes and lines inside one open group, without those of its subgroups.
struct Level {
  std::vector<std::uint32_t> boxes = {};
  std::vector<std::uint32_t> links = {};
  // The places at which values cross the border of the group, numbered in order. The key is the box
  // that a value comes from.
  std::unordered_map<std::uint32_t, std::uint32_t> ins = {};
  std::unordered_map<std::uint32_t, std::uint32_t> outs = {};
  // X coordinates of the crossings, relative to the left end of the group; empty before the group
  // is laid out.
  std::vector<double> in_xs = {};
  std::vector<double> out_xs = {};
  double anchor = 0;  // The x position by which the group is aligned, from its left end.
};

struct LinkEnds {
  std::uint32_t level = 0;  // Nesting level, one more than the enclosing box; 0 is the whole graph.
  std::uint32_t from = 0;   // A box, or kNone for the border above.
  std::uint32_t to = 0;     // A box, or kOut for the border below.
};

class ViewMaker {
 public:
  ViewMaker(const GraphScene& scene, const GraphViewOptions& options)
      : scene_(scene), options_(options) {}

  Result<GraphView> Run() {
    std::vector<char> hidden = scene_.hidden;
    const bool all_hidden = std::ranges::find(hidden, char{0}) == hidden.end();
    if (!options_.hide_constants || all_hidden) std::ranges::fill(hidden, char{0});
    const bool folds = options_.fold_quantization && !all_hidden;
    for (std::size_t i = 0; folds && i < hidden.size(); ++i) {
      if (scene_.folded_into[i] != kNoNode) hidden[i] = 1;
    }
    const std::vector<char> open = OpenGroups(scene_, hidden, options_);
    CBOARD_ASSIGN_OR_RETURN(visible_, CollectBoxes(scene_, hidden, open, options_));
    for (std::size_t i = 0; folds && i < hidden.size(); ++i) {
      if (scene_.folded_into[i] != kNoNode)
        visible_.box_of_node[i] = visible_.box_of_node[scene_.folded_into[i]];
    }
    AddFacts(scene_, hidden, visible_, view_.devices);
    levels_.resize(visible_.boxes.size() + 1);
    for (std::uint32_t i = 0; i < visible_.boxes.size(); ++i) {
      const GraphBox& box = visible_.boxes[i];
      LevelInside(box.parent).boxes.push_back(i);
      depths_.push_back(box.parent == kNoBox ? 1 : depths_[box.parent] + 1);
      if (box.kind == BoxKind::kOpenGroup)
        view_.open.push_back(scene_.outline.groups[box.index].path);
    }
    CollectLinks();
    for (std::size_t i = visible_.boxes.size(); i-- > 0;) {
      if (visible_.boxes[i].kind == BoxKind::kOpenGroup) LayOutLevel(static_cast<std::uint32_t>(i));
    }
    LayOutLevel(kNoBox);
    MoveIntoPlace();
    view_.boxes = std::move(visible_.boxes);
    return std::move(view_);
  }

 private:
  Level& LevelInside(std::uint32_t box) { return levels_[box == kNoBox ? 0 : box + 1]; }

  // Joins edges that connect the same two boxes.
  void CollectLinks() {
    struct Wire {
      std::uint64_t key;
      std::uint8_t sides;
      bool control;
    };
    std::vector<Wire> wires;
    for (const DiffEdge& edge : scene_.diff.edges) {
      const std::uint32_t from = visible_.box_of_node[edge.from],
                          to = visible_.box_of_node[edge.to];
      if (from == kNoBox || to == kNoBox || from == to) continue;
      wires.push_back({(std::uint64_t{from} << 32) | to, edge.sides, edge.control});
    }
    std::ranges::stable_sort(wires, {}, &Wire::key);
    for (std::size_t i = 0; i < wires.size();) {
      GraphLink link{.source = static_cast<std::uint32_t>(wires[i].key >> 32),
                     .value_count = 0,
                     .sides = 0,
                     .control = true};
      const std::uint64_t key = wires[i].key;
      for (; i < wires.size() && wires[i].key == key; ++i) {
        ++link.value_count;
        link.sides |= wires[i].sides;
        link.control = link.control && wires[i].control;
      }
      Connect(link, static_cast<std::uint32_t>(key));
    }
  }

  // Divides a line into pieces at the borders of groups. The pieces lead from the source out to the
  // innermost group that contains both ends of the line, and from there to the target.
  void Connect(const GraphLink& link, std::uint32_t target) {
    if (link.source != present_source_) pieces_.clear();
    present_source_ = link.source;
    std::uint32_t from = link.source, before = kNone;
    path_down_.clear();
    std::uint32_t to = target;
    while (visible_.boxes[from].parent != visible_.boxes[to].parent) {
      if (depths_[from] >= depths_[to]) {
        const std::uint32_t group = visible_.boxes[from].parent;
        before = AddPiece(link, {group + 1, from, kOut}, before, group);
        from = group;
      } else {
        path_down_.push_back(to);
        to = visible_.boxes[to].parent;
      }
    }
    const std::uint32_t around = visible_.boxes[to].parent;
    before = AddPiece(link, {around == kNoBox ? 0 : around + 1, from, to}, before, to);
    for (auto next = path_down_.rbegin(); next != path_down_.rend(); ++next) {
      const std::uint32_t group = visible_.boxes[*next].parent;
      before = AddPiece(link, {group + 1, kNone, *next}, before, *next);
    }
  }

  // Returns the index of a piece of a line; lines from the same box share pieces.
  std::uint32_t AddPiece(const GraphLink& link, LinkEnds ends, std::uint32_t before,
                         std::uint32_t end) {
    const std::uint64_t key = (std::uint64_t{ends.level} << 32) | ends.to;
    const auto [found, is_new] =
        pieces_.emplace(key, static_cast<std::uint32_t>(view_.links.size()));
    if (!is_new) {
      GraphLink& known = view_.links[found->second];
      known.value_count += link.value_count;
      known.sides |= link.sides;
      known.control = known.control && link.control;
      return found->second;
    }
    GraphLink& piece = view_.links.emplace_back(link);
    piece.end = end;
    piece.before = before;
    ends_.push_back(ends);
    Level& level = levels_[ends.level];
    level.links.push_back(found->second);
    if (ends.from == kNone)
      level.ins.emplace(link.source, static_cast<std::uint32_t>(level.ins.size()));
    if (ends.to == kOut)
      level.outs.emplace(link.source, static_cast<std::uint32_t>(level.outs.size()));
    return found->second;
  }

  static std::optional<double> PortX(const std::unordered_map<std::uint32_t, std::uint32_t>& ports,
                                     const std::vector<double>& xs, std::uint32_t source) {
    const auto found = ports.find(source);
    if (found == ports.end() || found->second >= xs.size()) return std::nullopt;
    return xs[found->second];
  }

  void LayOutLevel(std::uint32_t group) {
    Level& level = LevelInside(group);
    std::vector<LayoutNode> nodes;
    std::unordered_map<std::uint32_t, std::uint32_t> local;
    for (const std::uint32_t i : level.boxes) {
      GraphBox& box = visible_.boxes[i];
      double anchor = options_.node_width / 2;
      if (box.kind == BoxKind::kOpenGroup) {
        anchor = LevelInside(i).anchor;
      } else {
        box.width = options_.node_width;
        box.height = options_.node_height;
      }
      local.emplace(i, static_cast<std::uint32_t>(nodes.size()));
      nodes.push_back({.left = anchor, .right = box.width - anchor, .height = box.height});
    }
    const std::size_t in_count = std::min(level.ins.size(), kMaxPorts);
    const std::size_t out_count = std::min(level.outs.size(), kMaxPorts);
    const auto first_in = static_cast<std::uint32_t>(nodes.size());
    const auto first_out = static_cast<std::uint32_t>(first_in + in_count);
    nodes.resize(first_out,
                 {.left = kPortGap, .right = kPortGap, .place = LayoutNode::Place::kTop});
    nodes.resize(first_out + out_count,
                 {.left = kPortGap, .right = kPortGap, .place = LayoutNode::Place::kBottom});

    std::vector<LayoutEdge> edges;
    std::vector<std::uint32_t> edge_links;
    for (const std::uint32_t index : level.links) {
      const LinkEnds& ends = ends_[index];
      const std::uint32_t source = view_.links[index].source;
      LayoutEdge edge;
      if (ends.from == kNone) {
        const std::uint32_t port = level.ins.at(source);
        if (port >= in_count) continue;
        edge.from = first_in + port;
      } else {
        edge.from = local.at(ends.from);
        const Level& inside = levels_[ends.from + 1];
        edge.from_offset =
            PortX(inside.outs, inside.out_xs, source).value_or(inside.anchor) - inside.anchor;
      }
      if (ends.to == kOut) {
        const std::uint32_t port = level.outs.at(source);
        if (port >= out_count) continue;
        edge.to = first_out + port;
      } else {
        edge.to = local.at(ends.to);
        const Level& inside = levels_[ends.to + 1];
        edge.to_offset =
            PortX(inside.ins, inside.in_xs, source).value_or(inside.anchor) - inside.anchor;
      }
      edges.push_back(edge);
      edge_links.push_back(index);
    }
    GraphLayout layout = LayOut(nodes, edges);
    TakeOver(group, nodes, layout, first_in, first_out, edge_links);
  }

  // Positions are relative to the group; MoveIntoPlace adds the group's own position.
  void TakeOver(std::uint32_t group, const std::vector<LayoutNode>& nodes, GraphLayout& layout,
                std::uint32_t first_in, std::uint32_t first_out,
                const std::vector<std::uint32_t>& edge_links) {
    Level& level = LevelInside(group);
    const bool whole = group == kNoBox;
    const double left = whole ? 0 : kSide, top = whole ? 0 : kHeader;
    for (std::size_t i = 0; i < level.boxes.size(); ++i) {
      GraphBox& box = visible_.boxes[level.boxes[i]];
      box.x = left + layout.tops[i].x - nodes[i].left;
      box.y = top + layout.tops[i].y;
    }
    for (std::uint32_t i = first_in; i < first_out; ++i)
      level.in_xs.push_back(left + layout.tops[i].x);
    for (std::size_t i = first_out; i < nodes.size(); ++i)
      level.out_xs.push_back(left + layout.tops[i].x);
    for (const std::uint32_t index : level.links) view_.links[index].drawn = false;
    for (std::size_t i = 0; i < edge_links.size(); ++i) {
      GraphLink& link = view_.links[edge_links[i]];
      link.points = std::move(layout.routes[i]);
      link.drawn = !link.points.empty();
      for (LayoutPoint& point : link.points) {
        point.x += left;
        point.y += top;
      }
      if (link.points.empty()) continue;
      if (ends_[edge_links[i]].from == kNone) link.points.front().y = 0;
      if (ends_[edge_links[i]].to == kOut) link.points.back().y = top + layout.height + kFooter;
    }
    const double width = layout.width + 2 * left;
    const double height = whole ? layout.height : kHeader + layout.height + kFooter;
    if (whole) {
      view_.width = width;
      view_.height = height;
      return;
    }
    GraphBox& box = visible_.boxes[group];
    box.width = std::max(width, options_.node_width);
    box.height = height;
    level.anchor = !level.in_xs.empty()    ? level.in_xs.front()
                   : !level.out_xs.empty() ? level.out_xs.front()
                                           : box.width / 2;
  }

  void MoveIntoPlace() {
    for (GraphBox& box : visible_.boxes) {  // Groups come before their contents.
      if (box.parent == kNoBox) continue;
      box.x += visible_.boxes[box.parent].x;
      box.y += visible_.boxes[box.parent].y;
    }
    for (std::size_t i = 0; i < view_.links.size(); ++i) {
      if (ends_[i].level == 0) continue;
      const GraphBox& around = visible_.boxes[ends_[i].level - 1];
      for (LayoutPoint& point : view_.links[i].points) {
        point.x += around.x;
        point.y += around.y;
      }
    }
  }

  const GraphScene& scene_;
  const GraphViewOptions& options_;
  GraphView view_;
  VisibleBoxes visible_;
  std::vector<std::uint32_t> depths_;
  std::vector<Level> levels_;   // The whole graph first, then the content of each box.
  std::vector<LinkEnds> ends_;  // By link.
  std::uint32_t present_source_ = kNone;
  std::unordered_map<std::uint64_t, std::uint32_t> pieces_;  // Pieces of the current source.
  std::vector<std::uint32_t> path_down_;
};

}  // namespace

std::string LabelOf(const GraphScene& scene, const GraphBox& box) {
  if (box.kind != BoxKind::kNode) return scene.outline.groups[box.index].label;
  const std::string& own = scene.outline.nodes[box.index].label;
  if (box.named_after == kNoGroup) return own;
  const std::string& group = scene.outline.groups[box.named_after].label;
  const std::string& op = scene.AnyNode(box.index).op;
  if (op.empty() || group.starts_with(op)) return own;
  return own.starts_with(op) ? group : group + "/" + own;
}

Result<GraphView> ViewScene(const GraphScene& scene, const GraphViewOptions& options) {
  return ViewMaker(scene, options).Run();
}

}  // namespace cboard::analysis
