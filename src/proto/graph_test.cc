#include "cboard/proto/graph.h"

#include <gtest/gtest.h>

#include "proto/testing/golden_bytes.h"
#include "testing/matchers.h"

namespace cboard::proto {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::Golden;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::Succeeds;

TEST(Graph, ANodeHasProtobufsBytes) {
  GraphBuilder graph;
  graph.AddNode({.name = "y",
                 .op = "Relu",
                 .inputs = {"x"},
                 .device = {},
                 .attributes = {{"b", Attribute::Int(0)}, {"a", Attribute::Bool(true)}}});
  EXPECT_EQ(graph.Encode(),
            Golden("0a 1e 0a 01 \"y\" 12 04 \"Relu\" 1a 01 \"x\" "
                   "2a 07 0a 01 \"a\" 12 02 28 01 2a 07 0a 01 \"b\" 12 02 18 00 22 02 08 16"));
  EXPECT_EQ(graph.node_count(), 1u);
}

TEST(Graph, AnEmptyGraphStillHasAVersion) {
  EXPECT_EQ(GraphBuilder().Encode(), Golden("22 02 08 16"));
  EXPECT_EQ(GraphBuilder().Encode(0), Golden("22 00"));
}

TEST(Graph, NodesComeBackInOrder) {
  GraphBuilder graph;
  graph.AddNode(
      {.name = "x", .op = "Variable", .inputs = {}, .device = "/gpu:0", .attributes = {}});
  graph.AddNode({.name = "y",
                 .op = "Add",
                 .inputs = {"x", "x:1", "^c"},
                 .device = {},
                 .attributes = {{"k", Attribute::Int(1)}, {"l", Attribute::Int(2)}}});
  std::vector<std::string> lines;
  EXPECT_THAT(ForEachNode(graph.Encode(),
                          [&](const NodeView& node) {
                            std::string line = std::string(node.name) + " " + std::string(node.op);
                            for (const auto input : node.inputs) line += " <" + std::string(input);
                            line += " @" + std::string(node.device);
                            line += " " + std::to_string(node.attribute_count);
                            lines.push_back(line);
                          }),
              Succeeds());
  EXPECT_THAT(lines, ElementsAre("x Variable @/gpu:0 0", "y Add <x <x:1 <^c @ 2"));
}

TEST(Graph, AttributesComeBackWithTheirBytes) {
  GraphBuilder graph;
  graph.AddNode(
      {.name = "n",
       .op = "op",
       .inputs = {},
       .device = {},
       .attributes = {
           {"k", Attribute::Int(1)}, {"j", Attribute::String("s")}, {"k", Attribute::Int(2)}}});
  std::vector<std::pair<std::string, std::string>> attributes;
  EXPECT_THAT(ForEachNode(graph.Encode(),
                          [&](const NodeView& node) {
                            EXPECT_EQ(node.attribute_count, 2u);
                            EXPECT_THAT(ForEachAttribute(node.bytes,
                                                         [&](auto key, auto value) {
                                                           attributes.emplace_back(key, value);
                                                         }),
                                        Succeeds());
                          }),
              Succeeds());
  // If two attributes have the same key, the later one is used.
  EXPECT_THAT(attributes,
              ElementsAre(Pair("j", Golden("12 01 \"s\"")), Pair("k", Golden("18 02"))));
}

TEST(Graph, VisitsTheNodesBeforeDamage) {
  GraphBuilder graph;
  graph.AddNode({.name = "good", .op = {}, .inputs = {}, .device = {}, .attributes = {}});
  std::vector<std::string> names;
  EXPECT_THAT(ForEachNode(graph.Encode() + Golden("0a 40 0a 01 62"),
                          [&](const NodeView& node) { names.emplace_back(node.name); }),
              FailsWith(ErrorCode::kDataLoss));
  EXPECT_THAT(names, ElementsAre("good"));
}

TEST(Graph, MalformedBytesAreDataLoss) {
  const auto ignore_node = [](const NodeView&) {};
  const auto ignore_attribute = [](std::string_view, std::string_view) {};
  for (const char* bytes : {"0a 05", "0a 02 0a 07", "0a 03 2a 07 0a", "0b"}) {
    EXPECT_THAT(ForEachNode(Golden(bytes), ignore_node), FailsWith(ErrorCode::kDataLoss)) << bytes;
  }
  EXPECT_THAT(ForEachAttribute(Golden("2a 02 0a 07"), ignore_attribute),
              FailsWith(ErrorCode::kDataLoss));
}

}  // namespace
}  // namespace cboard::proto
