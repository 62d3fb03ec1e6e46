// TensorFlow's RunMetadata: memory and time per node, by which TensorBoard colors graphs.
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
  // The full name of the node in the graph, by which TensorBoard matches them.
  std::string node_name;
  std::int64_t all_start_micros = 0;
  std::int64_t op_end_rel_micros = 0;
  std::int64_t all_end_rel_micros = 0;
  std::int64_t total_bytes = 0;  // AllocatorMemoryUsed.total_bytes; 0 = no memory record.
  std::string allocator_name;
  std::vector<std::vector<std::int64_t>> output_shapes;

  friend bool operator==(const NodeStats&, const NodeStats&) = default;
};

// Encodes StepStats with one device. Without nodes, it encodes the empty device that tensorboardX's
// add_graph writes.
std::string EncodeRunMetadata(const std::vector<NodeStats>& nodes,
                              const std::string& device = "/device:CPU:0");

// Encodes a RunMetadata that contains graphs (each a serialized GraphDef) instead of measurements.
// TensorBoard's graph_run_metadata_graph plugin shows them as op graphs.
std::string EncodeFunctionGraphs(std::span<const std::string_view> graphs);

// The callback for a node's statistics. `device` is valid as long as the parsed bytes.
using VisitNodeStats = std::function<void(std::string_view device, const NodeStats& node)>;

// Calls `visit` for each node of each device in order. Memory of several allocators is added up,
// under the name of the last one. Fails with kDataLoss after visiting the nodes before the
// damage.
Result<void> ForEachNodeStats(std::string_view run_metadata, const VisitNodeStats& visit);

}  // namespace cboard::proto
