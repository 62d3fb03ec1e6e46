// TensorFlow's RunMetadata: memory and time per node. TensorBoard colors graphs by these numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::proto {

struct NodeStats {
  // The full name of the node in the graph. TensorBoard uses it to find the node.
  std::string node_name;
  std::int64_t all_start_micros = 0;
  std::int64_t op_end_rel_micros = 0;
  std::int64_t all_end_rel_micros = 0;
  std::int64_t total_bytes = 0;  // AllocatorMemoryUsed.total_bytes; 0 = no memory record.
  std::string allocator_name;
  std::vector<std::vector<std::int64_t>> output_shapes;

  friend bool operator==(const NodeStats&, const NodeStats&) = default;
};

// Encodes a RunMetadata with the StepStats of one device. If `nodes` is empty, the device is empty
// too, as tensorboardX's add_graph writes it.
std::string EncodeRunMetadata(const std::vector<NodeStats>& nodes,
                              const std::string& device = "/device:CPU:0");

// Encodes a RunMetadata that contains graphs (each a serialized GraphDef) instead of measurements.
// TensorBoard's graph_run_metadata_graph plugin shows them as op graphs.
std::string EncodeFunctionGraphs(std::span<const std::string_view> graphs);

// The callback for the statistics of a node. `device` is valid as long as the parsed bytes exist.
using VisitNodeStats = std::function<void(std::string_view device, const NodeStats& node)>;

// Calls `visit` for each node of each device in order. If a node used several allocators, their
// memory is added up and has the name of the last one. If the message is damaged, visits the nodes
// before the damage and then fails with kDataLoss.
Result<void> ForEachNodeStats(std::string_view run_metadata, const VisitNodeStats& visit);

}  // namespace cboard::proto
