// Graphs as nodes, edges and scopes, and as the text that TensorBoard sends.
//
//   CBOARD_ASSIGN_OR_RETURN(const Graph graph, ParseGraph(graph_def));
//   CBOARD_ASSIGN_OR_RETURN(const GraphProfile profile, JoinRunMetadata(graph, run_metadata));
//
// A graph reaches us in one of four wrappings; GraphDefOf… take each of them off. All functions
// fail with kDataLoss when the bytes are not what they should be, and kResourceExhausted beyond
// limits.
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

// The GraphDef in a MetaGraphDef; empty if it has none.
Result<std::string> GraphDefOfMetaGraph(std::string_view meta_graph_def);

// The graphs before optimization of the functions in a RunMetadata (the op graphs of tf.function),
// in one, as TensorBoard merges them: a single graph as it is; of several, names get the prefixes
// "graph_1/", "graph_2/", … Fails with kInvalidArgument when their versions differ.
Result<std::string> GraphDefOfFunctionGraphs(std::string_view run_metadata);

// The layers of a Keras model in the JSON of `model.to_json()`, as TensorBoard draws them.
Result<std::string> GraphDefOfKerasModel(std::string_view json);

struct GraphLimits {
  std::size_t max_nodes = 2'000'000;
  std::size_t max_edges = 8'000'000;
  std::size_t max_attribute_bytes = 1024;  // Longer texts of attributes are cut.
  std::size_t max_scopes = 2'000'000;      // A name of a thousand slashes makes a thousand scopes.
};

struct GraphAttribute {
  std::string key;
  std::string
      text;  // "[1, 2, 2, 1]", "FLOAT", "float32 [3, 3, 64, 64], 147456 bytes"; valid UTF-8.
  bool elided = false;  // The text is cut, or tells only what kind of thing the value is.
};

inline constexpr std::uint32_t kNoScope = std::numeric_limits<std::uint32_t>::max();

// A part of names up to a slash, as a tree.
struct GraphScope {
  std::string name;  // In full: "resnet/block1".
  std::uint32_t parent = kNoScope;
  std::vector<std::uint32_t> scopes;  // Directly inside.
  std::vector<std::uint32_t> nodes;   // Directly inside.
  std::uint32_t total_nodes = 0;      // Also further down.
};

struct GraphNode {
  std::string name;  // As in the file, made valid UTF-8; usually unique.
  std::string op;
  std::string device;
  std::uint32_t scope = 0;
  std::vector<GraphAttribute> attributes;                  // By key.
  std::vector<std::optional<proto::Shape>> output_shapes;  // _output_shapes; nullopt: unknown rank.
};

struct GraphEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t from_output = 0;  // Which output of `from`.
  std::uint32_t to_input = 0;     // Which input of `to`.
  bool control = false;           // Orders the two, carries no data.
};

struct Graph {
  std::vector<GraphNode> nodes;    // In the order of the file.
  std::vector<GraphEdge> edges;    // By `to`, then by `to_input`.
  std::vector<GraphScope> scopes;  // The first is the root, "".
  std::vector<std::string>
      missing_inputs;  // Names that are no node's, the first kMaxMissingInputs.
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
  std::vector<std::string> unmatched;          // Measured, but no node's: the first hundred.
  std::size_t unmatched_count = 0;
};

// Assigns measurements (memory, time) to nodes: by the full name, otherwise by the last
// part of the name, if exactly one node has it. Several measurements of a node are added
// up.
Result<GraphProfile> JoinRunMetadata(const Graph& graph, std::string_view run_metadata);

struct GraphTextOptions {
  // Attributes of more bytes than this are left out, and their names listed in the attribute
  // `large_attributes_key`.
  std::optional<std::size_t> max_attribute_bytes;
  std::string large_attributes_key = "_too_large_attrs";
};

// Protobuf's text form, character for character what TensorBoard answers to /graph and
// /run_metadata, except that attributes and other maps are sorted by key, where TensorBoard's have
// the order of a hash table. Fails with kInvalidArgument when the limit is 0.
Result<std::string> GraphDefText(std::string_view graph_def, const GraphTextOptions& options = {});
Result<std::string> RunMetadataText(std::string_view run_metadata);

}  // namespace cboard::reader
