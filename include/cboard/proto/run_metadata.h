// TensorFlow's RunMetadata: memory and time per node, what TensorBoard colours graphs by.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cboard::proto {

struct NodeStats {
  std::string node_name;  // The full name of the node in the graph, so that TensorBoard joins them.
  std::int64_t all_start_micros = 0;
  std::int64_t op_end_rel_micros = 0;
  std::int64_t all_end_rel_micros = 0;
  std::int64_t total_bytes = 0;  // AllocatorMemoryUsed.total_bytes; 0 = no memory record.
  std::string allocator_name;
  std::vector<std::vector<std::int64_t>> output_shapes;
};

// StepStats with one device. No nodes gives the empty device that tensorboardX's add_graph writes.
std::string EncodeRunMetadata(const std::vector<NodeStats>& nodes,
                              const std::string& device = "/device:CPU:0");

}  // namespace cboard::proto
