// The gguf package is the oracle for the values of blocks, in tests/model/test_gguf.py. These tests
// check that the result does not depend on the processor.
#include "model/storage/ggml_blocks.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "testing/every_instruction_set.h"

namespace cboard::model {
namespace {

std::vector<std::byte> RandomBytes(std::size_t count) {
  std::mt19937 random(1);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// Returns the bits of all values; all NaNs have the same bits.
std::vector<std::uint32_t> BitsOf(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) {
    bits.push_back(std::isnan(value) ? 0x7FC00000u : std::bit_cast<std::uint32_t>(value));
  }
  return bits;
}

TEST(GgmlBlocks, AreTheSameBitForBitOnEveryInstructionSet) {
  using enum DType;
  for (const DType type : {kQ4_0, kQ4_1, kQ5_0, kQ5_1, kQ8_0, kQ2_K, kQ3_K, kQ4_K, kQ5_K, kQ6_K,
                           kQ8_K, kIq4Nl, kIq4Xs, kTq1_0, kTq2_0, kMxfp4}) {
    SCOPED_TRACE(NameOf(type));
    const ElementLayout layout = LayoutOf(type);
    const std::vector<std::byte> bytes = RandomBytes(50 * layout.bytes);
    std::vector<std::vector<std::uint32_t>> found;
    testing::OnEveryInstructionSet([&] {
      std::vector<float> values(50 * layout.elements);
      ReadBlocks(type, bytes, 0, values);
      found.push_back(BitsOf(values));
      // Reading a part that starts and ends inside blocks gives a part of the whole.
      std::vector<float> part(2 * layout.elements);
      ReadBlocks(type, bytes, 7, part);
      EXPECT_TRUE(
          std::ranges::equal(BitsOf(part), std::span(found.back()).subspan(7, part.size())));
    });
    for (const auto& bits : found) EXPECT_EQ(bits, found[0]);
  }
}

}  // namespace
}  // namespace cboard::model
