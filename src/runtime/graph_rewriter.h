// A graph of an ONNX model written again, with some of its nodes and constants replaced.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/runtime/graph_edits.h"
#include "runtime/onnx_parts.h"

namespace cboard::runtime {

// The edit of a tensor, or of the node that computes it.
struct Edit {
  std::string nodes = {};  // Encoded; what gives the tensor instead.
  const ReplacedNode* replacement = nullptr;
  const RecomputedTensor* recomputed = nullptr;
  bool is_removed = false;  // Also where a constant is to take its place.
  bool is_done = false;
};

// All edits of one graph, and of the bodies in it.
struct GraphPart {
  std::unordered_map<std::string_view, Edit> edits;  // By tensor.
  std::vector<const ConstantTensor*> constants;
  std::vector<const ProductTensor*> products;
  std::vector<const AddedInput*> inputs;  // For the main graph.
  // By an output of the node, then by attribute.
  std::map<std::string_view, std::map<std::string_view, GraphPart>> bodies;
  bool is_done = false;
  std::string place = "main graph";  // For messages.
};

// Largest size of a field's number and length.
inline constexpr std::size_t kFieldOverhead = 16;

// Fills `pieces` with all of `graph` but the constants and inputs that `part` gives it; views of
// `graph` and of `part`. Fails as EditGraph does.
Result<void> RewriteGraph(std::string_view graph, GraphPart& part, ModelParts& pieces);

// The graph with these; SizeOf is the number of bytes that AppendGraph appends.
std::size_t SizeOf(const ModelParts& graph, const GraphPart& part);
void AppendGraph(const ModelParts& graph, const GraphPart& part, std::string& out);

// Fails with kResourceExhausted when the graph and `around`, bytes around it, are more than a model
// in memory may have.
Result<void> CheckSize(std::size_t around, const ModelParts& graph, const GraphPart& part);

}  // namespace cboard::runtime
