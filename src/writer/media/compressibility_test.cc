#include "writer/media/compressibility.h"

#include <gtest/gtest.h>
#include <libdeflate.h>

#include <random>
#include <vector>

namespace cboard::writer::media {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes Noise(std::size_t size) {
  Bytes bytes(size);
  std::mt19937 random(11);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

// Returns the size after deflate as a share of the original size.
double CompressedShare(const Bytes& bytes) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(1);
  Bytes out(bytes.size() * 2 + 1000);
  const std::size_t size =
      libdeflate_deflate_compress(compressor, bytes.data(), bytes.size(), out.data(), out.size());
  libdeflate_free_compressor(compressor);
  return static_cast<double>(size) / static_cast<double>(bytes.size());
}

TEST(EstimateCompressibility, KnowsNoise) {
  EXPECT_EQ(EstimateCompressibility(Noise(16 << 10)), Compressibility::kNone);
  EXPECT_EQ(EstimateCompressibility(Noise(200000)), Compressibility::kNone);
}

TEST(EstimateCompressibility, LeavesShortInputsToTheCompressor) {
  EXPECT_EQ(EstimateCompressibility(Noise((16 << 10) - 1)), Compressibility::kSome);
  EXPECT_EQ(EstimateCompressibility({}), Compressibility::kSome);
}

TEST(EstimateCompressibility, SeesAFlatCorner) {
  Bytes bytes = Noise(200000);
  std::fill(bytes.end() - 20000, bytes.end(), std::uint8_t{0});
  EXPECT_EQ(EstimateCompressibility(bytes), Compressibility::kSome);
}

TEST(EstimateCompressibility, SeesNoiseThatRepeatsWithinReach) {
  for (const std::size_t period : {100u, 768u, 5000u, 20000u, 32000u}) {
    Bytes bytes = Noise(200000);
    for (std::size_t i = period; i < bytes.size(); ++i) bytes[i] = bytes[i - period];
    EXPECT_EQ(EstimateCompressibility(bytes), Compressibility::kSome) << period;
  }
}

TEST(EstimateCompressibility, KnowsBackground) {
  Bytes bytes(100000);
  EXPECT_EQ(EstimateCompressibility(bytes), Compressibility::kHigh);
  for (std::size_t i = 0; i < bytes.size(); i += 100) bytes[i] = 7;
  EXPECT_EQ(EstimateCompressibility(bytes), Compressibility::kHigh);
  for (std::size_t i = 0; i < bytes.size(); i += 10) bytes[i] = 7;
  EXPECT_EQ(EstimateCompressibility(bytes), Compressibility::kSome);
}

TEST(EstimateCompressibility, NeverMissesMoreThanAFewPercent) {
  std::mt19937 random(13);
  for (int trial = 0; trial < 100; ++trial) {
    // Noise in which a part is something else: values of a smaller range, copies, or zeros.
    Bytes bytes = Noise(40000 + random() % 100000);
    const std::size_t period = 3 + random() % 3000, every = 1 + random() % 100;
    for (std::size_t i = period; i < bytes.size(); ++i) {
      if (i / 256 % every != 0) continue;
      if (trial % 3 == 0) bytes[i] = bytes[i - period];
      if (trial % 3 == 1) bytes[i] &= 0x7f;
      if (trial % 3 == 2) bytes[i] = 0;
    }
    if (EstimateCompressibility(bytes) == Compressibility::kNone) {
      EXPECT_GT(CompressedShare(bytes), 0.96) << trial;
    }
  }
}

}  // namespace
}  // namespace cboard::writer::media
