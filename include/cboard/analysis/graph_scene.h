// One graph, or two merged graphs, prepared for display: parsed, compared and grouped once, then
// shared by all views of it.
//
//   const GraphScene scene = MakeScene(fp32, int8);
//   const GraphView view = ViewScene(scene, {.open = {"net"}});
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/graph_diff.h"
#include "cboard/analysis/graph_facts.h"
#include "cboard/analysis/graph_outline.h"

namespace cboard::analysis {

struct GraphScene {
  std::shared_ptr<const MeasuredGraph> a = {};
  std::shared_ptr<const MeasuredGraph> b = {};  // Null if there is only one graph.
  GraphDiff diff = {};
  // The tree of groups of diff.nodes, built from the node names in A; added nodes have their names
  // in B.
  Outline outline = {};
  // For each node: 1 if it is hidden, otherwise 0. Annotation nodes, and constants that a node
  // uses, are hidden.
  std::vector<char> hidden = {};
  // For each node: if it only quantizes or dequantizes an activation, the node that computes the
  // activation; otherwise kNoNode.
  std::vector<std::uint32_t> folded_into = {};
  // For each group: a number above 0 that all groups of the same structure share; 0 for other
  // groups.
  std::vector<std::uint32_t> structures = {};

  // Returns the graph node of graph A or B; nullptr if that graph does not have it.
  const reader::GraphNode* NodeInA(std::uint32_t node) const;
  const reader::GraphNode* NodeInB(std::uint32_t node) const;
  const NodeFacts* FactsInA(std::uint32_t node) const;
  const NodeFacts* FactsInB(std::uint32_t node) const;
  // Returns the node of graph A if A has it, otherwise the node of graph B.
  const reader::GraphNode& AnyNode(std::uint32_t node) const;
};

GraphScene MakeScene(std::shared_ptr<const MeasuredGraph> a,
                     std::shared_ptr<const MeasuredGraph> b = nullptr);

// Marks all nodes that `start` depends on, or all nodes that depend on it. The result has one entry
// per node; `start` is marked too.
enum class TraceDirection { kInputs, kOutputs };
std::vector<char> Trace(const GraphScene& scene, std::span<const std::uint32_t> start,
                        TraceDirection direction);

// Finds the graph nodes of `layers` ("layer1.0.conv1"). A node matches if its name, without the
// decoration that exporters add, equals the layer's name or ends in it. The result is kNoNode if no
// node matches, or if several nodes match and none of them contains the others.
std::vector<std::uint32_t> FindLayers(const GraphScene& scene,
                                      std::span<const std::string_view> layers);

}  // namespace cboard::analysis
