#include "cboard/analysis/graph_outline.h"

#include <gmock/gmock.h>

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> GroupsOf(std::vector<std::string_view> names) {
  std::vector<std::string> paths;
  const Outline outline = MakeOutline(names);
  for (const OutlineGroup& group : outline.groups) paths.push_back(group.path);
  return paths;
}

std::vector<std::string> PathsOf(std::vector<std::string_view> names) {
  std::vector<std::string> paths;
  const Outline outline = MakeOutline(names);
  for (const OutlineNode& node : outline.nodes) paths.push_back(node.path);
  return paths;
}

TEST(MakeOutline, MakesGroupsOfNames) {
  const std::vector<std::string_view> names = {"x", "net/a/conv", "net/a/relu", "net/b"};
  const Outline outline = MakeOutline(names);
  EXPECT_THAT(GroupsOf(names), ElementsAre("", "net", "net/a"));
  EXPECT_EQ(outline.groups[1].total_nodes, 3u);
  EXPECT_EQ(outline.groups[2].label, "a");
  EXPECT_EQ(outline.nodes[1].label, "conv");
  EXPECT_EQ(outline.nodes[1].group, 2u);
}

TEST(MakeOutline, TakesDotsWhereThereAreNoSlashes) {
  EXPECT_THAT(GroupsOf({"layer1.0.conv1", "layer1.0.bn1", "input.4"}),
              ElementsAre("", "layer1", "layer1.0"));
  EXPECT_THAT(GroupsOf({"a/b", "layer1.0.conv1"}), ElementsAre("", "a"));
}

TEST(MakeOutline, MakesNoGroupOfANodeThatHasDetails) {
  EXPECT_THAT(GroupsOf({"conv1", "conv1.weights", "conv1.activation", "relu"}), ElementsAre(""));
  EXPECT_THAT(PathsOf({"conv1", "conv1.weights"}), ElementsAre("conv1", "conv1.weights"));
  EXPECT_THAT(GroupsOf({"layer1.conv", "layer1.conv.weights"}), ElementsAre("", "layer1"));
  EXPECT_THAT(GroupsOf({"block", "block.0.conv"}), ElementsAre("", "block", "block.0"))
      << "what is nested further is more than a detail";
}

TEST(MakeOutline, NamesNumberedGroupsWithTheirParent) {
  const std::vector<std::string_view> names = {"layer1/0/conv", "layer1/1/conv", "7/x"};
  const Outline outline = MakeOutline(names);
  EXPECT_EQ(outline.groups[2].label, "layer1/0");
  EXPECT_EQ(outline.groups[4].label, "7");
}

TEST(MakeOutline, KeepsPathsUnique) {
  EXPECT_THAT(PathsOf({"a", "a", "a"}), ElementsAre("a", "a (2)", "a (3)"));
  EXPECT_THAT(PathsOf({"a/b", "a"}), ElementsAre("a/b", "a/(a)"))
      << "a node that is called like a group";
}

TEST(MakeOutline, SurvivesOddNames) {
  EXPECT_THAT(PathsOf({"", "/", "//", "a//b", "/a", "a/"}),
              ElementsAre("", "/", "//", "a//b", "/a", "a/"));
  const std::string deep(5000, '/');
  const std::string nested = [] {
    std::string name;
    for (int i = 0; i < 1000; ++i) name += "a/";
    return name + "a";
  }();
  EXPECT_LT(GroupsOf({deep, nested}).size(), 70u);
}

}  // namespace
}  // namespace cboard::analysis
