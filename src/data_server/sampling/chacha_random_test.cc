#include "data_server/sampling/chacha_random.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace cboard::data_server {
namespace {

// Expected numbers: what Rust's rand 0.7.3 and rand_chacha 0.2.2 give for
// ChaCha20Rng::seed_from_u64(0).

TEST(ChaChaRandom, GivesTheWordsOfRust) {
  ChaChaRandom random;
  const std::array<std::uint32_t, 20> expected = {
      0x81f5f7b2, 0x063cded6, 0x6efd22a8, 0xfb65827e, 0x01840fc0, 0xdc5b6a69, 0xd2a6f534,
      0x2f923fff, 0x188ca258, 0xe5716b57, 0x86321ce6, 0x3ca05578, 0x1ec9a8d0, 0x1c9a1f73,
      0x87c0a600, 0x402e9d0d, 0x0e58dce4, 0x7f1a622f, 0xa74145fa, 0xc55cfadf};
  for (const std::uint32_t word : expected) EXPECT_EQ(random.Next32(), word);
}

TEST(ChaChaRandom, TakesLongNumbersAcrossBlocks) {
  ChaChaRandom random;
  for (int i = 0; i < 41; ++i) (void)random.Next32();
  const std::array<std::uint64_t, 14> expected = {
      0x5f6fdb5280a47e44, 0xed486be8ce6876cd, 0xabf7013ad0e5b421, 0x1d490358d9dca9a7,
      0x585b96f130aec549, 0x8d7e1407e96ac425, 0x874715e177e39ab3, 0xfc3df47ff6d0185f,
      0x312a2f326ef1359b, 0x4a4f5c720f57216e, 0x8e6bb8eddc0d90c2, 0x1fdeae1aea85273b,
      0x980c163b72955f1a, 0xbd9a6f792387e922};
  for (const std::uint64_t number : expected) EXPECT_EQ(random.Next64(), number);
}

TEST(ChaChaRandom, DrawsBelowABoundAsRustDoes) {
  ChaChaRandom wide, narrow, between;
  const std::vector<std::uint64_t> expected = {24,  983, 863, 186, 900, 238,
                                               112, 252, 500, 778, 267, 90};
  const std::vector<std::uint32_t> expected_narrow = {51, 2,  44, 102, 0,  91,
                                                      88, 20, 10, 98,  58, 26};
  const std::vector<std::uint32_t> expected_between = {54, 9,  48, 102, 7,  92,
                                                       89, 25, 16, 99,  61, 19};
  for (std::uint32_t i = 0; i < 12; ++i) {
    EXPECT_EQ(wide.Below64(1001 + i), expected[i]);
    EXPECT_EQ(narrow.Below32(101 + i), expected_narrow[i]);
    EXPECT_EQ(between.Between32(7, 101 + i), expected_between[i]);
  }
}

}  // namespace
}  // namespace cboard::data_server
