// Requests the routes of graphs for real event files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "cboard/proto/graph.h"
#include "cboard/proto/run_metadata.h"
#include "cboard/server/board.h"
#include "cboard/writer/summary_writer.h"
#include "server/api/graph_cache.h"
#include "testing/temp_dir.h"

namespace cboard::server {
namespace {

using proto::Attribute;
using ::testing::HasSubstr;
using ::testing::Not;

struct NodeText {
  std::string name, op;
  std::vector<std::string> inputs;
};

std::string GraphOf(const std::vector<NodeText>& nodes) {
  proto::GraphBuilder graph;
  for (const NodeText& node : nodes) {
    graph.AddNode({.name = node.name,
                   .op = node.op,
                   .inputs = node.inputs,
                   .device = "/device:CPU:0",
                   .attributes = {{"_output_shapes", Attribute::ShapeList({{-1, 8}})},
                                  {"strides", Attribute::IntList({1, 1})}}});
  }
  return graph.Encode();
}

class GraphRoutesTest : public ::testing::Test {
 protected:
  GraphRoutesTest() {
    {
      SummaryWriter fp32((logdir_ / "net/fp32").string());
      EXPECT_TRUE(fp32.AddGraph(GraphOf({{"x", "Placeholder", {}},
                                         {"block/conv", "Conv", {"x"}},
                                         {"block/relu", "Relu", {"block/conv"}},
                                         {"<b>fc", "Gemm", {"block/relu"}}})));
      EXPECT_TRUE(fp32.AddRunMetadata(
          "step 1", proto::EncodeRunMetadata({{.node_name = "block/conv", .total_bytes = 640}})));
      SummaryWriter int8((logdir_ / "net/int8").string());
      EXPECT_TRUE(int8.AddGraph(GraphOf({{"x", "Placeholder", {}},
                                         {"q", "QuantizeLinear", {"x"}},
                                         {"block/conv", "QLinearConv", {"q"}},
                                         {"<b>fc", "Gemm", {"block/conv"}}})));
      SummaryWriter other((logdir_ / "other").string());
      other.AddScalar("loss", 1, 0);
    }
    auto board = Board::Open({.logdirs = {{.path = logdir_.path()}}});
    EXPECT_TRUE(board);
    board_ = *std::move(board);
    EXPECT_TRUE(board_->WaitForFirstLoad(std::chrono::minutes(1)).loaded);
  }

  std::string Ask(HttpRequest request) const {
    HttpResponse response = board_->Handle(request);
    return (response.later ? response.later() : response).body;
  }
  std::string Get(const std::string& target) const {
    return Ask({.method = "GET", .target = "/api/v1" + target});
  }
  std::string Post(const std::string& target, const std::string& body) const {
    return Ask({.method = "POST", .target = "/api/v1" + target, .body = body});
  }

  cboard::testing::TempDir logdir_;
  std::unique_ptr<Board> board_;
};

TEST_F(GraphRoutesTest, GraphsAreListedWithModelAndVariant) {
  const std::string graphs = Get("/graphs");
  EXPECT_THAT(graphs, HasSubstr(R"("runs":["net/fp32","net/int8"])"));
  EXPECT_THAT(graphs, HasSubstr(R"("models":["net","net"],"variants":["fp32","int8"])"));
  EXPECT_THAT(graphs, HasSubstr(R"("profiles":[["step 1"],[]])"));
}

TEST_F(GraphRoutesTest, AViewHasBoxesAndLinesInColumns) {
  const std::string body = Post("/graphs/view", R"({"run":"net/fp32","open":[]})");
  simdjson::dom::parser parser;
  const simdjson::dom::element view = parser.parse(body);
  EXPECT_EQ(std::uint64_t(view["node_count"]), 4u);
  const simdjson::dom::object boxes = view["boxes"];
  const std::size_t count = simdjson::dom::array(boxes["paths"]).size();
  EXPECT_EQ(count, 3u) << "x, the closed block, fc";
  for (const char* column : {"labels", "kinds", "parents", "x", "y", "widths", "heights", "ops",
                             "b_ops", "devices", "changes", "fused_into", "structures"}) {
    EXPECT_EQ(simdjson::dom::array(boxes[column]).size(), count) << column;
  }
  for (const auto [name, column] : simdjson::dom::object(boxes["a"])) {
    EXPECT_EQ(simdjson::dom::array(column).size(), count) << name;
  }
  EXPECT_EQ(simdjson::dom::array(view["links"]["points"]).size(), 2u);
  EXPECT_THAT(body, HasSubstr(R"("memory_bytes":[0,0,640])"));
  EXPECT_THAT(body, HasSubstr(R"("has_memory":true)"));
  EXPECT_THAT(body, Not(HasSubstr(R"("traced")")));
}

TEST_F(GraphRoutesTest, GroupsOpenByThemselvesOrOnRequest) {
  EXPECT_THAT(Post("/graphs/view", R"({"run":"net/fp32"})"), HasSubstr(R"("open":["block"])"));
  EXPECT_THAT(Post("/graphs/view", R"({"run":"net/fp32","open":["block","gone"]})"),
              HasSubstr(R"("open":["block"])"));
}

TEST_F(GraphRoutesTest, WhatIsToBeRevealedHasItsGroupsOpen) {
  EXPECT_THAT(Post("/graphs/view", R"({"run":"net/fp32","open":[],"reveal":"block/relu"})"),
              HasSubstr(R"("open":["block"])"));
}

TEST_F(GraphRoutesTest, TwoGraphsAreOneWithWhatChanged) {
  const std::string view =
      Post("/graphs/view", R"({"run":"net/fp32","with_run":"net/int8","open":["block"]})");
  EXPECT_THAT(view, HasSubstr(R"("summary":{"changes":["changed","added","fused"])"));
  EXPECT_THAT(view, HasSubstr(R"("others":["QLinearConv","","QLinearConv"])"));
  const std::string node = Get("/graphs/node?run=net/fp32&with_run=net/int8&path=block%2Fconv");
  EXPECT_THAT(node, HasSubstr(R"("fused":["block/relu"])"));
  EXPECT_THAT(node,
              HasSubstr(R"("differences":{"whats":["op"],"a":["Conv"],"b":["QLinearConv"]})"));
}

TEST_F(GraphRoutesTest, ANodeSaysWhatIsKnownOfIt) {
  const std::string node = Get("/graphs/node?run=net/fp32&path=block%2Fconv");
  EXPECT_THAT(node, HasSubstr(R"("output_shapes":[[-1,8]])"));
  EXPECT_THAT(node, HasSubstr(R"("memory_bytes":640)"));
  EXPECT_THAT(node, HasSubstr(R"("inputs":{"total":1,"paths":["x"],"ops":["Placeholder"])"));
  EXPECT_THAT(node, HasSubstr(R"("keys":["_output_shapes","strides"])"));
  const std::string group = Get("/graphs/node?run=net/fp32&path=block");
  EXPECT_THAT(group, HasSubstr(R"("operations":{"names":["Conv","Relu"],"a":[1,1],"b":[0,0]})"));
  EXPECT_THAT(group, HasSubstr(R"("outputs":{"total":1,"paths":["<b>fc"])"));
}

TEST_F(GraphRoutesTest, NodesAreFoundByNameAndOperation) {
  EXPECT_THAT(Get("/graphs/search?run=net/fp32&pattern=CONV"),
              HasSubstr(R"("total":1,"paths":["block/conv"],"ops":["Conv"])"));
  EXPECT_THAT(Get("/graphs/search?run=net/fp32&pattern=block&limit=1"),
              HasSubstr(R"("total":3,"paths":["block"],"ops":[""])"));
  EXPECT_THAT(Get("/graphs/search?run=net/fp32&pattern=%5B"), HasSubstr("invalid_argument"));
}

TEST_F(GraphRoutesTest, TracingMarksWhatANodeDependsOn) {
  EXPECT_THAT(Post("/graphs/view", R"({"run":"net/fp32","open":[],"trace":"block/conv"})"),
              HasSubstr(R"("traced":[1,0,1])"));
  EXPECT_THAT(
      Post("/graphs/view", R"({"run":"net/fp32","open":[],"trace":"block","direction":"outputs"})"),
      HasSubstr(R"("traced":[0,1,1])"));
  EXPECT_THAT(Post("/graphs/view", R"({"run":"net/fp32","trace":"nowhere"})"),
              HasSubstr("no node or group 'nowhere'"));
  EXPECT_THAT(Post("/graphs/view", R"({"run":"net/fp32","trace":"x","direction":"up"})"),
              HasSubstr("inputs or outputs"));
}

TEST_F(GraphRoutesTest, RunningMemoryHasItsPeak) {
  const std::string memory = Get("/graphs/memory?run=net/fp32&with_run=net/int8");
  EXPECT_THAT(memory, HasSubstr(R"("bytes":[32,64,64,64])"));
  EXPECT_THAT(memory, HasSubstr(R"("peak_path":"block/conv")"));
  EXPECT_THAT(memory, HasSubstr(R"("b":{"operations":4)"));
}

TEST_F(GraphRoutesTest, LayersAreFoundInTheGraph) {
  EXPECT_THAT(Post("/graphs/layers", R"({"run":"net/fp32","layers":["block.conv","nothing"]})"),
              HasSubstr(R"("paths":["block/conv",null])"));
}

TEST_F(GraphRoutesTest, MistakesAreNamed) {
  EXPECT_THAT(Post("/graphs/view", R"({"run":"other"})"), HasSubstr("run 'other' has no graph"));
  EXPECT_THAT(Post("/graphs/view", R"({"run":"gone"})"), HasSubstr("the logs have no run 'gone'"));
  EXPECT_THAT(Post("/graphs/view", R"({"run":"net/fp32","tag":"x"})"),
              HasSubstr("it has '__run_graph__'"));
  EXPECT_THAT(Post("/graphs/view", R"({"run":"net/fp32","open":"block"})"), HasSubstr("an array"));
  EXPECT_THAT(Post("/graphs/view", R"({"run":"net/fp32","open":[1]})"), HasSubstr("strings"));
  EXPECT_THAT(Get("/graphs/node?run=net/fp32&path=nowhere"),
              HasSubstr("no node or group 'nowhere'"));
}

TEST(GraphCache, MakesASceneOnceAndForgetsTheOldest) {
  GraphCache shelf(2);
  int made = 0;
  const GraphCache::Make make = [&]() -> Result<CachedScene> {
    ++made;
    return CachedScene{};
  };
  ASSERT_TRUE(shelf.Take("a", make));
  ASSERT_TRUE(shelf.Take("b", make));
  ASSERT_TRUE(shelf.Take("a", make));
  EXPECT_EQ(made, 2);
  ASSERT_TRUE(shelf.Take("c", make));  // b was used least recently.
  ASSERT_TRUE(shelf.Take("a", make));
  EXPECT_EQ(made, 3);
  ASSERT_TRUE(shelf.Take("b", make));
  EXPECT_EQ(made, 4);
}

TEST(GraphCache, TriesAgainAfterAFailure) {
  GraphCache shelf;
  EXPECT_FALSE(shelf.Take("a", [] { return Fail(ErrorCode::kUnavailable, "not now"); }));
  EXPECT_TRUE(shelf.Take("a", []() -> Result<CachedScene> { return CachedScene{}; }));
}

}  // namespace
}  // namespace cboard::server
