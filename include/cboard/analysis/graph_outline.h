// Arranges the node names of a graph as a tree of groups: "net/block1/conv" is the node "conv" in
// the group "block1" in the group "net".
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cboard::analysis {

inline constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();

struct OutlineGroup {
  std::string path = {};   // "net/block1"; the path of the root group is "".
  std::string label = {};  // "block1"; "layers/0" if the last part is only a number.
  std::uint32_t parent = kNoGroup;
  std::uint32_t depth = 0;
  std::vector<std::uint32_t> groups = {};  // Direct members, in the order of their first node.
  std::vector<std::uint32_t> nodes = {};
  std::uint32_t total_nodes = 0;  // Nodes of the group and of all groups inside it.
};

struct OutlineNode {
  std::string path = {};  // Always unique, unlike a name, and never equal to a group's path.
  std::string label = {};
  std::uint32_t group = 0;
};

struct Outline {
  std::vector<OutlineGroup> groups = {};  // Parents before their children.
  std::vector<OutlineNode> nodes = {};    // In the order of the names.
  std::unordered_map<std::string_view, std::uint32_t> group_of_path = {};
  std::unordered_map<std::string_view, std::uint32_t> node_of_path = {};

  Outline() = default;
  Outline(Outline&&) = default;  // The maps point into the vectors.
  Outline& operator=(Outline&&) = default;
  Outline(const Outline&) = delete;
  Outline& operator=(const Outline&) = delete;
};

// Splits names at slashes. If no name has a slash, names are split at dots ("layer1.0.conv1"), with
// two exceptions: not before a final number, which numbers values ("input.4"), and not if the part
// before the last dot is itself the name of a node ("conv1.weights" describes "conv1"). A node with
// the name of a group moves into the group as "(name)". The second of two equal names becomes "name
// (2)".
Outline MakeOutline(std::span<const std::string_view> names);

}  // namespace cboard::analysis
