#include "analysis/graph/visible_boxes.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "cboard/base/strings.h"

namespace cboard::analysis {
namespace {

// If a view has fewer boxes than this number, its largest group is opened, unless the group has
// more than kMaxBoxesPerGroup parts.
constexpr std::size_t kTooFewBoxes = 6;
constexpr std::size_t kMaxBoxesPerGroup = 600;

// Number of nodes of each group that are shown.
std::vector<std::uint32_t> CountShown(const Outline& outline, const std::vector<char>& hidden) {
  std::vector<std::uint32_t> counts(outline.groups.size(), 0);
  for (std::size_t i = outline.groups.size(); i-- > 0;) {
    for (const std::uint32_t node : outline.groups[i].nodes) counts[i] += hidden[node] ? 0u : 1u;
    if (outline.groups[i].parent != kNoGroup) counts[outline.groups[i].parent] += counts[i];
  }
  return counts;
}

class AutomaticOpening {
 public:
  AutomaticOpening(const Outline& outline, const std::vector<char>& hidden, std::size_t budget)
      : outline_(outline), hidden_(hidden), shown_(CountShown(outline, hidden)), budget_(budget) {}

  std::vector<char> Run() {
    open_.assign(outline_.groups.size(), 0);
    Open(0);
    while (OpenLevel()) {
    }
    // Opens the remaining groups, the smallest first, until the view is full.
    std::ranges::stable_sort(closed_, {}, [&](std::uint32_t group) { return PartsOf(group); });
    for (const std::uint32_t group : std::vector(closed_)) {
      if (boxes_ - 1 + PartsOf(group) <= budget_) Open(group);
    }
    while (boxes_ <= kTooFewBoxes) {
      const auto next = std::ranges::max_element(
          closed_, {}, [&](std::uint32_t group) { return open_[group] ? 0u : shown_[group]; });
      if (next == closed_.end() || open_[*next] || PartsOf(*next) > kMaxBoxesPerGroup) break;
      Open(*next);
    }
    return std::move(open_);
  }

 private:
  std::size_t PartsOf(std::uint32_t group) const {
    std::size_t parts = 0;
    for (const std::uint32_t node : outline_.groups[group].nodes) parts += hidden_[node] ? 0u : 1u;
    for (const std::uint32_t child : outline_.groups[group].groups)
      parts += shown_[child] > 0 ? 1u : 0u;
    return parts;
  }

  void Open(std::uint32_t group) {
    open_[group] = 1;
    boxes_ += PartsOf(group);
    if (group != 0) --boxes_;
    for (const std::uint32_t child : outline_.groups[group].groups) {
      if (shown_[child] > 0) closed_.push_back(child);
    }
  }

  bool OpenLevel() {
    std::size_t boxes = boxes_;
    for (const std::uint32_t group : closed_) boxes += PartsOf(group) - 1;
    if (closed_.empty() || boxes > budget_) return false;
    for (const std::uint32_t group : std::exchange(closed_, {})) Open(group);
    return true;
  }

  const Outline& outline_;
  const std::vector<char>& hidden_;
  std::vector<std::uint32_t> shown_;
  std::size_t budget_;
  std::size_t boxes_ = 0;
  std::vector<char> open_;
  std::vector<std::uint32_t> closed_;  // Visible groups; some may have been opened since.
};

void Widen(std::uint8_t& least, std::uint8_t& most, std::uint8_t bits) {
  if (bits == 0) return;
  least = least == 0 ? bits : std::min(least, bits);
  most = std::max(most, bits);
}

void Add(BoxFacts& sum, const NodeFacts* facts, bool hidden) {
  if (facts == nullptr) return;
  if (facts->memory_bytes)
    sum.memory_bytes += static_cast<std::uint64_t>(std::max<std::int64_t>(0, *facts->memory_bytes));
  if (facts->compute_micros)
    sum.compute_micros +=
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, *facts->compute_micros));
  if (hidden) return;
  ++sum.node_count;
  sum.weight_bytes += facts->weight_bytes;
  sum.output_bytes += facts->output_bytes;
  Widen(sum.min_weight_bits, sum.max_weight_bits, facts->weight_bits);
  std::uint8_t most = 0;
  Widen(sum.min_activation_bits, most, facts->activation_bits);
}

NodeChange ChangeOf(const std::array<std::uint32_t, 5>& counts) {
  const auto count = [&](NodeChange change) { return counts[static_cast<std::size_t>(change)]; };
  const std::uint32_t gone = count(NodeChange::kGone) + count(NodeChange::kFused);
  const std::uint32_t stayed = count(NodeChange::kSame) + count(NodeChange::kChanged);
  if (stayed == 0 && gone == 0) return NodeChange::kAdded;
  if (stayed == 0 && count(NodeChange::kAdded) == 0) return NodeChange::kGone;
  return count(NodeChange::kSame) == stayed && gone == 0 && count(NodeChange::kAdded) == 0
             ? NodeChange::kSame
             : NodeChange::kChanged;
}

}  // namespace

std::vector<char> OpenGroups(const GraphScene& scene, const std::vector<char>& hidden,
                             const GraphViewOptions& options) {
  const Outline& outline = scene.outline;
  std::vector<char> open(outline.groups.size(), 0);
  if (options.automatic_boxes) {
    open = AutomaticOpening(outline, hidden, *options.automatic_boxes).Run();
  }
  for (const std::string& path : options.open) {
    if (path == kEveryGroup) std::ranges::fill(open, char{1});
    const auto found = outline.group_of_path.find(path);
    if (found != outline.group_of_path.end()) open[found->second] = 1;
  }
  const std::vector<std::uint32_t> shown = CountShown(outline, hidden);
  open[0] = 1;
  for (std::size_t i = 1; i < open.size(); ++i) {
    open[i] = (open[i] || shown[i] == 1) && open[outline.groups[i].parent];
  }
  return open;
}

Result<VisibleBoxes> CollectBoxes(const GraphScene& scene, const std::vector<char>& hidden,
                                  const std::vector<char>& open, const GraphViewOptions& options) {
  const Outline& outline = scene.outline;
  const std::vector<std::uint32_t> shown = CountShown(outline, hidden);
  VisibleBoxes visible;
  visible.box_of_node.assign(scene.diff.nodes.size(), kNoBox);
  std::vector<std::uint32_t> box_of_group(outline.groups.size(), kNoBox);
  // A group with a single node is shown as the box of that node. If such groups are nested, the box
  // gets the name of the outermost group.
  std::vector<std::uint32_t> named_after(outline.groups.size(), kNoGroup);
  const auto add = [&](GraphBox box) {
    visible.boxes.push_back(box);
    return static_cast<std::uint32_t>(visible.boxes.size() - 1);
  };
  for (std::uint32_t i = 0; i < outline.groups.size(); ++i) {  // Parents before their children.
    const OutlineGroup& group = outline.groups[i];
    const std::uint32_t around = i == 0 ? kNoBox : box_of_group[group.parent];
    box_of_group[i] = around;
    if (i != 0 && open[group.parent]) {
      if (shown[i] == 0) {
        box_of_group[i] = kNoBox;  // Not the box of the enclosing group: no line starts there.
      } else if (shown[i] == 1) {
        const std::uint32_t outer = named_after[group.parent];
        named_after[i] = outer == kNoGroup ? i : outer;
      } else {
        const BoxKind kind = open[i] ? BoxKind::kOpenGroup : BoxKind::kClosedGroup;
        box_of_group[i] = add({.kind = kind, .index = i, .parent = around});
      }
    }
    std::uint32_t only = kNoBox;
    for (const std::uint32_t node : group.nodes) {
      if (!open[i]) {
        visible.box_of_node[node] = box_of_group[i];
      } else if (!hidden[node]) {
        only = visible.box_of_node[node] = add({.kind = BoxKind::kNode,
                                                .index = node,
                                                .named_after = named_after[i],
                                                .parent = box_of_group[i]});
      }
    }
    // Hidden nodes beside the only visible node of a group belong to that node.
    for (const std::uint32_t node : group.nodes) {
      if (named_after[i] != kNoGroup && hidden[node]) visible.box_of_node[node] = only;
    }
    if (visible.boxes.size() > options.max_boxes) {
      return Fail(
          ErrorCode::kResourceExhausted,
          "this view has more than " + HumanCount(options.max_boxes) + " boxes; open fewer groups");
    }
  }
  return visible;
}

void AddFacts(const GraphScene& scene, const std::vector<char>& hidden, VisibleBoxes& visible,
              std::vector<std::string>& devices) {
  constexpr std::uint32_t kUnset = kNoBox;
  devices.assign(1, "");
  std::unordered_map<std::string_view, std::uint32_t> device_of_name;
  std::vector<std::array<std::uint32_t, 5>> changes(visible.boxes.size());
  for (GraphBox& box : visible.boxes) box.device = kUnset;
  for (std::uint32_t node = 0; node < scene.diff.nodes.size(); ++node) {
    const std::string_view name = scene.AnyNode(node).device;
    std::uint32_t device = 0;
    if (!name.empty()) {
      const auto [found, is_new] =
          device_of_name.emplace(name, static_cast<std::uint32_t>(devices.size()));
      if (is_new) devices.emplace_back(name);
      device = found->second;
    }
    std::uint32_t at = visible.box_of_node[node];
    for (; at != kNoBox; at = visible.boxes[at].parent) {
      GraphBox& box = visible.boxes[at];
      Add(box.a, scene.FactsInA(node), hidden[node]);
      Add(box.b, scene.FactsInB(node), hidden[node]);
      const bool folded = hidden[node] && scene.folded_into[node] != kNoNode;
      if (folded && scene.FactsInA(node) != nullptr) ++box.a.node_count;
      if (folded && scene.FactsInB(node) != nullptr) ++box.b.node_count;
      if (folded) ++changes[at][static_cast<std::size_t>(scene.diff.nodes[node].change)];
      if (hidden[node]) continue;
      ++changes[at][static_cast<std::size_t>(scene.diff.nodes[node].change)];
      box.device = box.device == kUnset || box.device == device ? device : 0;
    }
  }
  for (std::size_t i = 0; i < visible.boxes.size(); ++i) {
    GraphBox& box = visible.boxes[i];
    if (box.device == kUnset) box.device = 0;
    if (box.kind != BoxKind::kNode) {
      box.change = ChangeOf(changes[i]);
      continue;
    }
    const DiffNode& node = scene.diff.nodes[box.index];
    box.change = node.change;
    if (node.fused_into != kNoNode) box.fused_into = visible.box_of_node[node.fused_into];
  }
}

}  // namespace cboard::analysis
