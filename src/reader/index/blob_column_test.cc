#include "reader/index/blob_column.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>
#include <vector>

namespace cboard::reader {
namespace {

StoredBlob Blob(std::int64_t i) {
  return {.step = i,
          .wall_time_seconds = 0.5 * static_cast<double>(i),
          .record_offset = static_cast<std::uint64_t>(100 * i),
          .record_bytes = 90,
          .value_offset = 20,
          .value_bytes = 70};
}

TEST(BlobColumn, KeepsWhereEachBlobLies) {
  const auto arena = std::make_shared<Arena>();
  BlobColumn column(*arena);
  for (std::int64_t i = 0; i < 5000; ++i) column.Append(Blob(i));
  const BlobColumnView view = column.View(arena).WithFile(3);
  ASSERT_EQ(view.size(), 5000u);
  for (const std::int64_t i : {0, 1, 2, 3, 4, 700, 4998, 4999}) {
    EXPECT_EQ(view.at(static_cast<std::size_t>(i)),
              (BlobEntry{i, 0.5 * static_cast<double>(i), 3, 90,
                         static_cast<std::uint64_t>(100 * i), 20, 70}));
  }
  EXPECT_EQ(view.Slice(100, 50).Slice(5, 10).at(9).step, 114);
}

TEST(BlobColumn, AViewStaysTheSameWhileTheColumnGrows) {
  const auto arena = std::make_shared<Arena>();
  BlobColumn column(*arena);
  column.Append(Blob(0));
  const BlobColumnView view = column.View(arena);
  for (std::int64_t i = 1; i < 1000; ++i) column.Append(Blob(i));
  EXPECT_EQ(view.size(), 1u);
  EXPECT_EQ(view.at(0).step, 0);
}

TEST(BlobColumn, GivesBackEveryStepTimeAndPlaceInAnyOrder) {
  // Around what fits into the short form, by chance: most columns begin short and go on long.
  std::mt19937_64 random(3);
  const auto near = [&](std::uint64_t middle, int bits) {
    return middle + (random() >> (64 - bits)) - (std::uint64_t{1} << (bits - 1));
  };
  for (int round = 0; round < 200; ++round) {
    const auto arena = std::make_shared<Arena>();
    BlobColumn column(*arena);
    std::vector<StoredBlob> blobs;
    const std::uint64_t first_step = random(), first_wall = random();
    const int step_bits = 1 + static_cast<int>(random() % 34);
    const int wall_bits = 1 + static_cast<int>(random() % 50);
    const int offset_bits = 1 + static_cast<int>(random() % 50);
    for (std::uint64_t i = random() % 700; i > 0; --i) {
      const double wall = std::bit_cast<double>(near(first_wall, wall_bits));
      blobs.push_back({.step = static_cast<std::int64_t>(near(first_step, step_bits)),
                       .wall_time_seconds = wall,
                       .record_offset = random() >> (64 - offset_bits),
                       .record_bytes = static_cast<std::uint32_t>(random()),
                       .value_offset = static_cast<std::uint32_t>(random()),
                       .value_bytes = static_cast<std::uint32_t>(random())});
      column.Append(blobs.back());
    }
    const BlobColumnView view = column.View(arena);
    ASSERT_EQ(view.size(), blobs.size());
    for (std::size_t i = 0; i < blobs.size(); ++i) {
      const BlobEntry entry = view.at(i);
      ASSERT_EQ(entry.step, blobs[i].step);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(entry.wall_time_seconds),
                std::bit_cast<std::uint64_t>(blobs[i].wall_time_seconds));
      ASSERT_EQ(entry.record_offset, blobs[i].record_offset);
      ASSERT_EQ(entry.record_bytes, blobs[i].record_bytes);
      ASSERT_EQ(entry.value_offset, blobs[i].value_offset);
      ASSERT_EQ(entry.value_bytes, blobs[i].value_bytes);
    }
  }
}

TEST(BlobColumn, TakesThirtyTwoBytesForABlobOfAnOrdinaryLog) {
  Arena arena;
  BlobColumn column(arena);
  for (std::int64_t i = 0; i < 10'000; ++i) {
    StoredBlob blob = Blob(i);
    blob.wall_time_seconds = 1.7e9 + 600.1 * static_cast<double>(i);  // Ten weeks.
    column.Append(blob);
  }
  EXPECT_LE(arena.size_bytes(), 32u * 10'000);
}

TEST(BlobColumn, TakesSixtyFourBytesForABlobOfAnyLog) {
  Arena arena;
  BlobColumn column(arena);
  for (std::int64_t i = 0; i < 10'000; ++i) {
    StoredBlob blob = Blob(i);
    if (i % 2 == 1) blob.step = std::numeric_limits<std::int64_t>::max() - i;
    column.Append(blob);
  }
  EXPECT_LE(arena.size_bytes(), 64u * 10'000);
}

}  // namespace
}  // namespace cboard::reader
