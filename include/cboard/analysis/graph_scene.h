// One graph, or two as one, ready to be looked at from anywhere: parsed, compared and arranged in
// groups once, then shared by all who ask for views of it.
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
  std::shared_ptr<const MeasuredGraph> b = {};  // None when there is one graph only.
  GraphDiff diff = {};
  Outline outline = {};           // Outline of diff.nodes; names of A, or of B for added nodes.
  std::vector<char> hidden = {};  // Constants that something uses, and notes about nodes.
  // By node: for an operation that only quantizes or dequantizes an activation, the node that
  // computes the activation. kNoNode for all others.
  std::vector<std::uint32_t> folded_into = {};
  // By group: groups of equal structure have the same number.
  std::vector<std::uint32_t> structures = {};

  // The node of either side; nullptr where it has none.
  const reader::GraphNode* NodeInA(std::uint32_t node) const;
  const reader::GraphNode* NodeInB(std::uint32_t node) const;
  const NodeFacts* FactsInA(std::uint32_t node) const;
  const NodeFacts* FactsInB(std::uint32_t node) const;
  const reader::GraphNode& AnyNode(std::uint32_t node) const;  // A's, else B's.
};

GraphScene MakeScene(std::shared_ptr<const MeasuredGraph> a,
                     std::shared_ptr<const MeasuredGraph> b = nullptr);

// All nodes that `start` depends on (or that depend on it), itself included: 1 per node.
enum class TraceDirection { kInputs, kOutputs };
std::vector<char> Trace(const GraphScene& scene, std::span<const std::uint32_t> start,
                        TraceDirection direction);

// Where each of `layers` ("layer1.0.conv1") is in the graph: the nodes whose name, without the
// decoration that exporters add, is or ends in the layer's. kNoNode where there is none, or several
// that are not one inside the other.
std::vector<std::uint32_t> FindLayers(const GraphScene& scene,
                                      std::span<const std::string_view> layers);

}  // namespace cboard::analysis
