#include "parquet/index_runs.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace cboard::parquet {
namespace {

using namespace std::string_literals;  // NOLINT: for ""s with zero bytes.

TEST(BitsPerIndex, FitsTheLastIndex) {
  EXPECT_EQ(BitsPerIndex(0), 1);
  EXPECT_EQ(BitsPerIndex(1), 1);
  EXPECT_EQ(BitsPerIndex(2), 1);
  EXPECT_EQ(BitsPerIndex(3), 2);
  EXPECT_EQ(BitsPerIndex(256), 8);
  EXPECT_EQ(BitsPerIndex(257), 9);
}

TEST(EncodeIndices, PacksTheExampleOfTheSpecification) {
  std::vector<IndexRun> runs;
  for (std::uint32_t i = 0; i < 8; ++i) runs.push_back({i, 1});
  EXPECT_EQ(EncodeIndices(runs, 3), "\x03\x88\xc6\xfa"s);
}

TEST(EncodeIndices, StoresARunOnce) {
  EXPECT_EQ(EncodeIndices(std::vector<IndexRun>{{5, 1000}}, 9), "\xd0\x0f\x05\x00"s);
  EXPECT_EQ(EncodeIndices({}, 1), "");
}

TEST(EncodeIndices, FillsAGroupBeforeARunBegins) {
  // Three ones and five of the twenty zeros are a group; the other fifteen zeros are a run.
  EXPECT_EQ(EncodeIndices(std::vector<IndexRun>{{1, 3}, {0, 20}}, 1), "\x03\x07\x1e\x00"s);
}

TEST(EncodeIndices, FillsTheLastGroupWithZeros) {
  EXPECT_EQ(EncodeIndices(std::vector<IndexRun>{{1, 3}}, 1), "\x03\x07"s);
}

// A decoder that follows the specification bit by bit.
std::vector<std::uint32_t> Decoded(const std::string& bytes, int bits) {
  std::vector<std::uint32_t> indices;
  std::size_t at = 0;
  const auto byte = [&] { return static_cast<unsigned char>(bytes.at(at++)); };
  while (at < bytes.size()) {
    std::uint64_t header = 0;
    for (int shift = 0;; shift += 7) {
      const unsigned char part = byte();
      header |= std::uint64_t{part & 0x7fu} << shift;
      if (part < 0x80) break;
    }
    if ((header & 1) == 0) {
      std::uint32_t index = 0;
      for (int shift = 0; shift < bits; shift += 8) index |= std::uint32_t{byte()} << shift;
      indices.insert(indices.end(), header >> 1, index);
      continue;
    }
    const std::size_t start = at * 8;
    const std::size_t count = (header >> 1) * 8;
    at += (header >> 1) * static_cast<std::size_t>(bits);
    for (std::size_t i = 0; i < count * static_cast<std::size_t>(bits); ++i) {
      if (i % static_cast<std::size_t>(bits) == 0) indices.push_back(0);
      const std::size_t bit = start + i;
      const unsigned eight = static_cast<unsigned char>(bytes.at(bit / 8));
      const unsigned set = eight >> bit % 8 & 1u;
      indices.back() |= set << i % static_cast<std::size_t>(bits);
    }
  }
  return indices;
}

TEST(EncodeIndices, GivesBackAnyRuns) {
  std::mt19937 random(1);
  for (int bits = 1; bits <= 32; ++bits) {
    for (int round = 0; round < 20; ++round) {
      std::vector<IndexRun> runs(random() % 50);
      std::vector<std::uint32_t> expected;
      for (IndexRun& run : runs) {
        run = {static_cast<std::uint32_t>(random() >> (32 - bits)),
               1 + random() % (1 << round % 8)};
        expected.insert(expected.end(), run.count, run.index);
      }
      std::vector<std::uint32_t> decoded = Decoded(EncodeIndices(runs, bits), bits);
      ASSERT_GE(decoded.size(), expected.size());
      ASSERT_LT(decoded.size(), expected.size() + 8);
      decoded.resize(expected.size());
      ASSERT_EQ(decoded, expected) << bits << " bits";
    }
  }
}

}  // namespace
}  // namespace cboard::parquet
