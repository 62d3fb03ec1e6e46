// The names of a graph's nodes as a tree of groups: "net/block1/conv" is the node "conv" in the
// group "block1" in the group "net".
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
  std::string path = {};   // "net/block1"; the first group, "", holds everything.
  std::string label = {};  // "block1"; "layers/0" where the last part is only a number.
  std::uint32_t parent = kNoGroup;
  std::uint32_t depth = 0;
  std::vector<std::uint32_t> groups = {};  // Directly inside, in the order of their first node.
  std::vector<std::uint32_t> nodes = {};
  std::uint32_t total_nodes = 0;  // Also further down.
};

struct OutlineNode {
  std::string path = {};  // Unlike a name always unique, and never that of a group.
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

// Names are taken apart at slashes; where no name has one, at dots ("layer1.0.conv1"), but not
// before a number at the end, which tells values apart ("input.4"), and not where what comes before
// the last dot is a node itself, which the rest tells something about ("conv1.weights" beside
// "conv1"). A node with the name of a group moves into it as "(name)", and the second of two equal
// names becomes "name (2)".
Outline MakeOutline(std::span<const std::string_view> names);

}  // namespace cboard::analysis
