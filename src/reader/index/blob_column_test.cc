#include "reader/index/blob_column.h"

#include <gtest/gtest.h>

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

TEST(BlobColumn, TakesSixtyFourBytesForABlob) {
  Arena arena;
  BlobColumn column(arena);
  for (std::int64_t i = 0; i < 10'000; ++i) column.Append(Blob(i));
  EXPECT_LE(arena.size_bytes(), 64u * 10'000);
}

}  // namespace
}  // namespace cboard::reader
