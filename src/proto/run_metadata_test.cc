#include "cboard/proto/run_metadata.h"

#include <gtest/gtest.h>

#include "proto/testing/golden_bytes.h"
#include "testing/matchers.h"

namespace cboard::proto {
namespace {

using testing::FailsWith;
using testing::Golden;
using testing::Succeeds;

TEST(RunMetadata, NoNodesGiveTheEmptyDeviceOfTensorboardX) {
  EXPECT_EQ(EncodeRunMetadata({}), Golden("0a 11 0a 0f 0a 0d \"/device:CPU:0\""));
}

TEST(RunMetadata, ReadsBackWhatItWrote) {
  const std::vector<NodeStats> nodes = {{.node_name = "model/conv1",
                                         .all_start_micros = 5,
                                         .op_end_rel_micros = 6,
                                         .all_end_rel_micros = 7,
                                         .total_bytes = 9408,
                                         .allocator_name = "cpu",
                                         .output_shapes = {{1, 64, 112, 112}, {}}},
                                        {.node_name = "model/relu",
                                         .all_start_micros = 0,
                                         .op_end_rel_micros = 0,
                                         .all_end_rel_micros = 0,
                                         .total_bytes = 0,
                                         .allocator_name = {},
                                         .output_shapes = {}}};
  std::vector<NodeStats> read;
  EXPECT_THAT(ForEachNodeStats(EncodeRunMetadata(nodes, "/device:GPU:1"),
                               [&](std::string_view device, const NodeStats& node) {
                                 EXPECT_EQ(device, "/device:GPU:1");
                                 read.push_back(node);
                               }),
              Succeeds());
  EXPECT_EQ(read, nodes);
}

TEST(RunMetadata, AddsTheMemoryOfAllAllocators) {
  // One node with two memory records, 3 and 4 bytes.
  std::int64_t total_bytes = 0;
  EXPECT_THAT(ForEachNodeStats(
                  Golden("0a 0c 0a 0a 12 08 32 02 10 03 32 02 10 04"),
                  [&](std::string_view, const NodeStats& node) { total_bytes = node.total_bytes; }),
              Succeeds());
  EXPECT_EQ(total_bytes, 7);
}

TEST(RunMetadata, MalformedBytesAreDataLoss) {
  for (const char* bytes : {"0a 01", "0a 02 0a 05", "0a 04 0a 02 12 03", "0a 05 0a 03 12 01 0a"}) {
    EXPECT_THAT(ForEachNodeStats(Golden(bytes), [](std::string_view, const NodeStats&) {}),
                FailsWith(ErrorCode::kDataLoss))
        << bytes;
  }
}

}  // namespace
}  // namespace cboard::proto
