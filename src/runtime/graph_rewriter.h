// Writes a graph of an ONNX model, with some of its nodes and constants replaced.
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
  std::string nodes = {};  // Encoded nodes that compute the tensor instead.
  const ReplacedNode* replacement = nullptr;
  const RecomputedTensor* recomputed = nullptr;
  bool is_removed = false;  // Also true if a constant replaces it.
  bool is_done = false;
};

// All edits of one graph and of its subgraphs.
struct GraphPart {
  std::unordered_map<std::string_view, Edit> edits;  // By tensor.
  std::vector<const ConstantTensor*> constants;
  std::vector<const ProductTensor*> products;
  std::vector<const AddedInput*> inputs;  // Only for the main graph.
  // Edits of the subgraphs of If, Loop and Scan nodes. The first key is the name of an output of
  // the node, the second the attribute that has the subgraph.
  std::map<std::string_view, std::map<std::string_view, GraphPart>> bodies;
  bool is_done = false;
  std::string place = "main graph";  // Name of the place for error messages.
};

// Maximum number of bytes for the field number and the length of a protobuf field.
inline constexpr std::size_t kFieldOverhead = 16;

// Splits `graph` into `pieces`, without the constants and inputs that `part` supplies. The pieces
// are views of `graph` and of `part`. Fails like EditGraph.
Result<void> RewriteGraph(std::string_view graph, GraphPart& part, ModelParts& pieces);

// SizeOf returns the size of an edited graph in bytes. AppendGraph appends the graph to `out`.
std::size_t SizeOf(const ModelParts& graph, const GraphPart& part);
void AppendGraph(const ModelParts& graph, const GraphPart& part, std::string& out);

// Checks the size of an edited model. `around` is the number of bytes in the model outside the
// graph. Fails with kResourceExhausted if the total exceeds the maximum size of a model in memory.
Result<void> CheckSize(std::size_t around, const ModelParts& graph, const GraphPart& part);

}  // namespace cboard::runtime
