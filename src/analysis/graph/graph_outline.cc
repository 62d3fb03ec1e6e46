#include "cboard/analysis/graph_outline.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace cboard::analysis {
namespace {

// Maximum depth of groups. Further parts of a name do not create groups: nobody nests that deep.
constexpr std::uint32_t kMaxDepth = 64;

bool IsNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

class OutlineMaker {
 public:
  explicit OutlineMaker(std::span<const std::string_view> names) : names_(names) {
    const auto has = [&](char c) {
      return std::ranges::any_of(
          names, [&](std::string_view name) { return name.find(c) != std::string_view::npos; });
    };
    separator_ = has('/') ? '/' : '.';
    if (separator_ == '.') whole_names_.insert(names.begin(), names.end());
    outline_.groups.emplace_back();
  }

  Outline Make() {
    // Finds all groups first: a node may have the name of a group that appears later.
    std::vector<std::uint32_t> groups;
    std::vector<std::size_t> label_starts;
    for (const std::string_view name : names_) {
      const auto [group, start] = Place(name);
      groups.push_back(group);
      label_starts.push_back(start);
    }
    std::unordered_map<std::string, std::uint32_t> uses;
    for (std::uint32_t i = 0; i < names_.size(); ++i) {
      OutlineNode node{.path = std::string(names_[i]),
                       .label = std::string(names_[i].substr(label_starts[i])),
                       .group = groups[i]};
      if (const auto own = group_of_name_.find(node.path); own != group_of_name_.end()) {
        node.group = own->second;
        node.label = "(" + node.label + ")";
        node.path += separator_ + node.label;
      }
      while (uses.contains(node.path) || group_of_name_.contains(node.path)) {
        const std::string suffix = " (" + std::to_string(++uses[node.path] + 1) + ")";
        node.path += suffix;
        node.label += suffix;
      }
      uses.emplace(node.path, 0);
      outline_.groups[node.group].nodes.push_back(i);
      outline_.nodes.push_back(std::move(node));
    }
    Finish();
    return std::move(outline_);
  }

 private:
  // Finds or adds the group of a name. Returns the group, and the position of the node's own part
  // of the name.
  std::pair<std::uint32_t, std::size_t> Place(std::string_view name) {
    std::uint32_t group = 0;
    std::size_t start = 0;
    for (std::uint32_t depth = 1; depth <= kMaxDepth; ++depth) {
      const std::size_t end = name.find(separator_, start);
      if (end == std::string_view::npos) break;
      const std::string_view rest = name.substr(end + 1);
      if (rest.empty()) break;  // The slash at the end belongs to the name: "name/".
      if (separator_ == '.' && (IsNumber(rest) || IsDetail(name.substr(0, end), rest))) break;
      if (end == start) {  // Skips empty parts, as in "/name" and "a//b".
        start = end + 1;
        continue;
      }
      const auto [known, is_new] = group_of_name_.try_emplace(
          std::string(name.substr(0, end)), static_cast<std::uint32_t>(outline_.groups.size()));
      if (is_new) {
        outline_.groups[group].groups.push_back(known->second);
        std::string label(name.substr(start, end - start));
        // A number alone is not a useful name: it is shown with its parent, as in layer1/0.
        if (IsNumber(label) && group != 0) {
          label = outline_.groups[group].label + separator_ + label;
        }
        outline_.groups.push_back({.path = known->first,
                                   .label = std::move(label),
                                   .parent = group,
                                   .depth = outline_.groups[group].depth + 1});
      }
      group = known->second;
      start = end + 1;
    }
    return {group, start};
  }

  // "conv1.weights" is an annotation of "conv1", so conv1 does not become a group.
  bool IsDetail(std::string_view about, std::string_view rest) const {
    return rest.find('.') == std::string_view::npos && whole_names_.contains(about);
  }

  void Finish() {
    for (std::size_t i = outline_.groups.size(); i-- > 0;) {
      OutlineGroup& group = outline_.groups[i];
      group.total_nodes += static_cast<std::uint32_t>(group.nodes.size());
      if (group.parent != kNoGroup) outline_.groups[group.parent].total_nodes += group.total_nodes;
    }
    for (std::uint32_t i = 0; i < outline_.groups.size(); ++i) {
      outline_.group_of_path.emplace(outline_.groups[i].path, i);
    }
    for (std::uint32_t i = 0; i < outline_.nodes.size(); ++i) {
      outline_.node_of_path.emplace(outline_.nodes[i].path, i);
    }
  }

  std::span<const std::string_view> names_;
  char separator_ = '/';
  std::unordered_set<std::string_view> whole_names_;  // Only for names that are separated by dots.
  Outline outline_;
  std::unordered_map<std::string, std::uint32_t> group_of_name_;
};

}  // namespace

Outline MakeOutline(std::span<const std::string_view> names) { return OutlineMaker(names).Make(); }

}  // namespace cboard::analysis
