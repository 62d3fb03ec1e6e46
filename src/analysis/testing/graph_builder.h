// Creates graphs for the tests of this folder from a few words per node.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cboard/analysis/graph_facts.h"
#include "cboard/proto/graph.h"
#include "cboard/proto/run_metadata.h"

namespace cboard::analysis {

struct TestNode {
  std::string name;
  std::string op = "Op";
  std::vector<std::string> inputs = {};
  std::vector<std::pair<std::string, proto::Attribute>> attributes = {};
  std::string device = {};
};

inline reader::Graph ParsedGraph(const std::vector<TestNode>& nodes) {
  proto::GraphBuilder builder;
  for (const TestNode& node : nodes) {
    builder.AddNode({.name = node.name,
                     .op = node.op,
                     .inputs = node.inputs,
                     .device = node.device,
                     .attributes = node.attributes});
  }
  auto graph = reader::ParseGraph(builder.Encode());
  EXPECT_TRUE(graph);
  return graph ? *std::move(graph) : reader::Graph();
}

inline std::shared_ptr<const MeasuredGraph> Measured(
    const std::vector<TestNode>& nodes, const std::vector<proto::NodeStats>& stats = {}) {
  reader::Graph graph = ParsedGraph(nodes);
  if (stats.empty()) return std::make_shared<const MeasuredGraph>(MeasureGraph(std::move(graph)));
  const auto profile = reader::JoinRunMetadata(graph, proto::EncodeRunMetadata(stats));
  EXPECT_TRUE(profile);
  return std::make_shared<const MeasuredGraph>(MeasureGraph(std::move(graph), &*profile));
}

}  // namespace cboard::analysis
