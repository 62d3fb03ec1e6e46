#include "cboard/compression/stage_graph.h"

#include <gmock/gmock.h>

#include <map>

#include "cboard/proto/graph.h"
#include "cboard/proto/run_metadata.h"
#include "testing/matchers.h"

namespace cboard::compression {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::Succeeds;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// The toolkit's log of a small network at thresholds_selection.
StageGraph SmallNet() {
  return {.name = "Net",
          .nodes = {{.name = "x",
                     .op = "DummyPlaceHolder",
                     .output_shapes = {{-1, 3, 16, 16}},
                     .activation = {{"activation_n_bits", std::int64_t{8}}}},
                    {.name = "conv1",
                     .op = "Conv2d",
                     .inputs = {{"x"}},
                     .attributes = {{"stride", std::string("(1, 1)")}},
                     .weights = {{"weights_n_bits", std::int64_t{8}}},
                     .float_parameters = 8,
                     .quantized_parameters = 216,
                     .weight_bits = 8},
                    {.name = "conv2", .op = "Conv2d", .inputs = {{"conv1", 1}}},
                    {.name = "fc",
                     .op = "Linear",
                     .inputs = {{"conv2"}},
                     .quantized_parameters = 3,
                     .weight_bits = 4}}};
}

std::vector<std::string> Lines(const std::string& graph_def) {
  std::vector<std::string> lines;
  EXPECT_THAT(proto::ForEachNode(graph_def,
                                 [&](const proto::NodeView& node) {
                                   std::string line(node.name);
                                   for (const auto input : node.inputs) {
                                     line += " <" + std::string(input);
                                   }
                                   lines.push_back(line + " " + std::string(node.op) + "@" +
                                                   std::string(node.device));
                                 }),
              Succeeds());
  return lines;
}

TEST(EncodeStageGraph, NamesNodesAsTheToolkitDoes) {
  const auto encoded = EncodeStageGraph(SmallNet());
  ASSERT_THAT(encoded, Succeeds());
  EXPECT_THAT(Lines(encoded->graph_def),
              ElementsAre("Input/x.activation <Input/x:0 @",            //
                          "Input/x DummyPlaceHolder@DummyPlaceHolder",  //
                          "Net/Conv2d_0/conv1.weights @",
                          "Net/Conv2d_0/conv1 <Input/x.activation:0 "
                          "<Net/Conv2d_0/conv1.weights:1 Conv2d@Conv2d",
                          "Net/Conv2d_1/conv2 <Net/Conv2d_0/conv1:1 Conv2d@Conv2d",
                          "Output/fc <Net/Conv2d_1/conv2:0 Linear@Linear"));
  EXPECT_THAT(encoded->node_names,
              ElementsAre("Input/x", "Net/Conv2d_0/conv1", "Net/Conv2d_1/conv2", "Output/fc"));
}

TEST(EncodeStageGraph, JoinsBytesToNodesByTheirFullName) {
  const auto encoded = EncodeStageGraph(SmallNet());
  ASSERT_THAT(encoded, Succeeds());
  std::vector<std::pair<std::string, std::int64_t>> bytes;
  EXPECT_THAT(proto::ForEachNodeStats(encoded->resources,
                                      [&](std::string_view device, const proto::NodeStats& node) {
                                        EXPECT_EQ(device, "/device:CPU:0");
                                        bytes.emplace_back(node.node_name, node.total_bytes);
                                      }),
              Succeeds());
  using Pair = std::pair<std::string, std::int64_t>;
  EXPECT_THAT(bytes, ElementsAre(Pair("Input/x", 0), Pair("Net/Conv2d_0/conv1", 8 * 4 + 216),
                                 Pair("Net/Conv2d_1/conv2", 0), Pair("Output/fc", 2)));
}

TEST(EncodeStageGraph, KeepsShapesWithAnOpenBatch) {
  const auto encoded = EncodeStageGraph(SmallNet());
  ASSERT_THAT(encoded, Succeeds());
  std::map<std::string, std::vector<std::string>> keys;
  EXPECT_THAT(proto::ForEachNode(encoded->graph_def,
                                 [&](const proto::NodeView& node) {
                                   auto& list = keys[std::string(node.name)];
                                   EXPECT_THAT(proto::ForEachAttribute(
                                                   node.bytes,
                                                   [&](auto key, auto) { list.emplace_back(key); }),
                                               Succeeds());
                                 }),
              Succeeds());
  EXPECT_THAT(keys["Input/x"], ElementsAre("_output_shapes"));
  EXPECT_THAT(keys["Input/x.activation"],
              UnorderedElementsAre("_output_shapes", "activation_n_bits"));
  EXPECT_THAT(keys["Net/Conv2d_0/conv1.weights"], ElementsAre("weights_n_bits"));
  EXPECT_THAT(keys["Net/Conv2d_0/conv1"], ElementsAre("stride"));
}

TEST(EncodeStageGraph, LeavesNoNameThatAnEdgeWouldMisread) {
  const auto encoded = EncodeStageGraph({.nodes = {{.name = "x:0", .op = "Input"},
                                                   {.name = "^y", .op = "F", .inputs = {{"x:0"}}},
                                                   {.name = "z", .op = "F", .inputs = {{"^y"}}}}});
  ASSERT_THAT(encoded, Succeeds());
  EXPECT_THAT(encoded->node_names, ElementsAre("Input/x", "model/F_0/_y", "Output/z"));
}

TEST(EncodeStageGraph, RefusesWhatIsNoGraph) {
  constexpr auto kInvalid = ErrorCode::kInvalidArgument;
  EXPECT_THAT(EncodeStageGraph({.name = "Net"}), FailsSaying(kInvalid, "'Net' has no nodes"));
  EXPECT_THAT(EncodeStageGraph({.nodes = {{.op = "Conv"}}}),
              FailsSaying(kInvalid, "node 0 of graph 'model' has no name"));
  EXPECT_THAT(EncodeStageGraph({.nodes = {{.name = "a"}, {.name = "a"}}}),
              FailsSaying(kInvalid, "two nodes of graph 'model' have the name 'a'"));
  EXPECT_THAT(EncodeStageGraph({.nodes = {{.name = "a", .inputs = {{"b"}}}, {.name = "b"}}}),
              FailsSaying(kInvalid, "'a' reads 'b', which is not an earlier node"));
  EXPECT_THAT(EncodeStageGraph({.nodes = {{.name = "a", .weight_bits = 0}}}),
              FailsSaying(kInvalid, "weights of 0 bits; expected 1 to 64"));
}

}  // namespace
}  // namespace cboard::compression
