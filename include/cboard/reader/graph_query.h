// Parses logged graphs into nodes, edges and scopes, and formats them as TensorBoard does.
//
//   CBOARD_ASSIGN_OR_RETURN(const Graph graph, ParseGraph(graph_def));
//   CBOARD_ASSIGN_OR_RETURN(const GraphProfile profile, JoinRunMetadata(graph, run_metadata));
//
// A graph is logged in one of four formats. One of them is GraphDef; the functions GraphDefOf…
// convert the other three to a GraphDef. All functions fail with kDataLoss if the bytes are not the
// expected message, and with kResourceExhausted if a limit is exceeded.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/proto/tensor.h"

namespace cboard::reader {

// Returns the GraphDef in a MetaGraphDef, or an empty string if there is none.
Result<std::string> GraphDefOfMetaGraph(std::string_view meta_graph_def);

// Returns the unoptimized graphs of the functions in a RunMetadata (the op graphs of tf.function)
// as one graph. Merges them like TensorBoard: a single graph is unchanged; if a name is in several
// graphs, it gets the prefixes "graph_1/", "graph_2/", … Fails with kInvalidArgument if the
// versions of the graphs differ.
Result<std::string> GraphDefOfFunctionGraphs(std::string_view run_metadata);

// Converts the layers of a Keras model, given as the JSON of `model.to_json()`, to the graph that
// TensorBoard draws for it.
Result<std::string> GraphDefOfKerasModel(std::string_view json);

struct GraphLimits {
  std::size_t max_nodes = 2'000'000;
  std::size_t max_edges = 8'000'000;
  std::size_t max_attribute_bytes = 1024;  // Longer texts of attributes are shortened.
  // Maximum number of scopes. It is limited because a single name with a thousand slashes has a
  // thousand scopes.
  std::size_t max_scopes = 2'000'000;
};

struct GraphAttribute {
  std::string key;
  std::string
      text;  // "[1, 2, 2, 1]", "FLOAT", "float32 [3, 3, 64, 64], 147456 bytes"; valid UTF-8.
  bool elided = false;  // The text is shortened, or only names the kind of the value.
};

inline constexpr std::uint32_t kNoScope = std::numeric_limits<std::uint32_t>::max();

// A scope: a prefix of node names up to a slash. Scopes form a tree.
struct GraphScope {
  std::string name;  // Full name: "resnet/block1".
  std::uint32_t parent = kNoScope;
  std::vector<std::uint32_t> scopes;  // Directly inside.
  std::vector<std::uint32_t> nodes;   // Directly inside.
  std::uint32_t total_nodes = 0;      // Nodes of the scope and of all scopes inside it.
};

struct GraphNode {
  std::string name;  // As in the file, converted to valid UTF-8; usually unique.
  std::string op;
  std::string device;
  std::uint32_t scope = 0;
  std::vector<GraphAttribute> attributes;                  // By key.
  std::vector<std::optional<proto::Shape>> output_shapes;  // _output_shapes; nullopt: unknown rank.
};

struct GraphEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t from_output = 0;  // Index of the output of `from`.
  std::uint32_t to_input = 0;     // Index of the input of `to`.
  bool control = false;           // Control dependency, without data.
};

struct Graph {
  std::vector<GraphNode> nodes;             // In the order of the file.
  std::vector<GraphEdge> edges;             // By `to`, then by `to_input`.
  std::vector<GraphScope> scopes;           // The first is the root scope, "".
  std::vector<std::string> missing_inputs;  // Inputs that name no node; at most kMaxMissingInputs.
  std::size_t missing_input_count = 0;
};

inline constexpr std::size_t kMaxMissingInputs = 100;

Result<Graph> ParseGraph(std::string_view graph_def, const GraphLimits& limits = {});

struct NodeCost {
  std::int64_t memory_bytes = 0;
  std::int64_t compute_micros = 0;
  std::vector<proto::Shape> output_shapes;
  std::string device;
};

struct GraphProfile {
  std::vector<std::optional<NodeCost>> costs;  // One per node of the graph.
  // Names of measured nodes that are not in the graph. At most a hundred are listed.
  std::vector<std::string> unmatched;
  std::size_t unmatched_count = 0;
};

// Assigns measurements (memory, time) to nodes. A measurement belongs to the node with its full
// name. If there is none, it belongs to the node whose last part of the name is equal, if only one
// node has it. Several measurements of a node are added up.
Result<GraphProfile> JoinRunMetadata(const Graph& graph, std::string_view run_metadata);

struct GraphTextOptions {
  // Attributes above this size are omitted. Their names are listed in the attribute
  // `large_attributes_key`.
  std::optional<std::size_t> max_attribute_bytes;
  std::string large_attributes_key = "_too_large_attrs";
};

// These functions format a message in protobuf's text form, exactly like TensorBoard's responses to
// /graph and /run_metadata. One difference: attributes and other maps are sorted by key, while
// TensorBoard uses the order of a hash table. GraphDefText fails with kInvalidArgument if
// max_attribute_bytes is 0.
Result<std::string> GraphDefText(std::string_view graph_def, const GraphTextOptions& options = {});
Result<std::string> RunMetadataText(std::string_view run_metadata);

}  // namespace cboard::reader
