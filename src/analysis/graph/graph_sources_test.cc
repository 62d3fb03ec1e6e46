#include "cboard/analysis/graph_sources.h"

#include <gmock/gmock.h>

#include "analysis/testing/graph_builder.h"
#include "analysis/testing/log_builder.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string GraphBytes(const std::string& name) {
  proto::GraphBuilder graph;
  graph.AddNode({.name = name, .op = "Conv", .inputs = {}, .device = {}, .attributes = {}});
  return graph.Encode();
}

TEST(FindGraphs, KnowsModelAndVariantOfARun) {
  LogBuilder log;
  for (const char* run : {"resnet18/fp32", "alexnet_int8", "stages/initial_graph",
                          "tuning/tune_1_acc_0.5", "plain"}) {
    ASSERT_TRUE(log.Writer(run).AddGraph(GraphBytes("n")));
  }
  log.Scalar("nothing", "loss", 1);
  std::vector<std::string> texts;
  for (const GraphSource& source : FindGraphs(*log.Read())) {
    texts.push_back(source.run + ": " + source.model + " " + source.variant);
  }
  EXPECT_THAT(texts,
              ElementsAre("alexnet_int8: alexnet int8", "plain:  ", "resnet18/fp32: resnet18 fp32",
                          "stages/initial_graph: stages initial_graph",
                          "tuning/tune_1_acc_0.5: tuning tune_1"));
}

TEST(FindGraphs, BelievesTheModelThatIsLoggedWithTheGraph) {
  LogBuilder log;
  log.Json("int8", "my_net/graph/int8", "{}", R"({"v":1,"model":"my net","variant":"int8"})");
  log.Json("net/w4a8", "net/graph/w4a8", "{}", R"({"v":1,"model":"net","variant":"w4a8"})");
  log.Json("plain", "net/layers/graph/output/int8", "{}", R"({"v":1,"model":"net"})");
  for (const char* run : {"int8", "net/w4a8", "plain"}) {
    ASSERT_TRUE(log.Writer(run).AddGraph(GraphBytes("n")));
  }
  std::vector<std::string> texts;
  for (const GraphSource& source : FindGraphs(*log.Read())) {
    texts.push_back(source.run + ": " + source.model + ", " + source.variant);
  }
  EXPECT_THAT(texts, ElementsAre("int8: my net, int8", "net/w4a8: net, w4a8", "plain: , "));
}

TEST(ReadGraph, JoinsWhatWasMeasured) {
  LogBuilder log;
  ASSERT_TRUE(log.Writer("run").AddGraph(GraphBytes("net/conv")));
  ASSERT_TRUE(log.Writer("run").AddRunMetadata(
      "Resources", proto::EncodeRunMetadata({{.node_name = "conv", .total_bytes = 64}})));
  const auto snapshot = log.Read();
  const auto sources = FindGraphs(*snapshot);
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_THAT(sources[0].profiles, ElementsAre("Resources"));
  std::vector<Error> problems;
  const auto graph = ReadGraph(*snapshot, sources[0], problems);
  ASSERT_THAT(graph, testing::Succeeds());
  EXPECT_EQ(graph->facts[0].memory_bytes, 64);
  EXPECT_TRUE(graph->has_memory);
  EXPECT_THAT(problems, IsEmpty());
}

TEST(ReadGraph, SaysWhichGraphIsDamaged) {
  LogBuilder log;
  ASSERT_TRUE(log.Writer("run").AddGraph("\x0a\x05"));
  const auto snapshot = log.Read();
  std::vector<Error> problems;
  EXPECT_THAT(ReadGraph(*snapshot, FindGraphs(*snapshot).at(0), problems),
              testing::FailsSaying(ErrorCode::kDataLoss, "of run 'run'"));
}

TEST(ReadGraph, ShowsAGraphWhoseMeasurementsAreDamaged) {
  LogBuilder log;
  ASSERT_TRUE(log.Writer("run").AddGraph(GraphBytes("n")));
  ASSERT_TRUE(log.Writer("run").AddRunMetadata("step 1", "\x0a\x05"));
  const auto snapshot = log.Read();
  std::vector<Error> problems;
  EXPECT_THAT(ReadGraph(*snapshot, FindGraphs(*snapshot).at(0), problems), testing::Succeeds());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0].message, ::testing::HasSubstr("'step 1'"));
}

}  // namespace
}  // namespace cboard::analysis
