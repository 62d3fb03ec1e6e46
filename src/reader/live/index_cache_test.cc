#include "reader/live/index_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "cboard/base/file.h"
#include "reader/testing/event_builder.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::reader {
namespace {

using testing::Succeeds;
using testing::TempDir;
using testing::WriteBytes;

StoredIndex Stored(std::uint64_t number, std::string_view structure, std::string_view columns) {
  return {.status = {.id = {number, number + 1},
                     .size_bytes = number + 2,
                     .modified_ns = -5,
                     .changed_ns = 7},
          .read_bytes = number + 3,
          .sample_crc = static_cast<std::uint32_t>(number + 4),
          .encoded = {AsBytes(structure), AsBytes(columns)},
          .owner = nullptr};
}

void WriteCache(const std::filesystem::path& path) {
  Result<IndexCacheWriter> writer = IndexCacheWriter::Create(path);
  ASSERT_THAT(writer, Succeeds());
  ASSERT_THAT(writer->Add("/logs/a/tfevents", Stored(10, "index of a", "points")), Succeeds());
  ASSERT_THAT(writer->Add("/logs/b/tfevents", Stored(20, "b", std::string(1000, 'b'))), Succeeds());
  ASSERT_THAT(writer->Finish(), Succeeds());
}

TEST(IndexCache, GivesBackWhatWasStored) {
  TempDir dir;
  WriteCache(dir / "new" / "cache");
  const auto cache = IndexCache::Open(dir / "new" / "cache");
  ASSERT_NE(cache, nullptr);
  EXPECT_EQ(cache->file_count(), 2u);
  const std::optional<StoredIndex> a = cache->Find("/logs/a/tfevents");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->status, Stored(10, "", "").status);
  EXPECT_EQ(a->read_bytes, 13u);
  EXPECT_EQ(a->sample_crc, 14u);
  EXPECT_EQ(AsText(a->encoded.structure), "index of a");
  ASSERT_TRUE(a->encoded.source->Fetch(a->encoded.columns));
  EXPECT_EQ(AsText(a->encoded.columns), "points");
  const EncodedView b = cache->Find("/logs/b/tfevents")->encoded;
  ASSERT_TRUE(b.source->Fetch(b.columns));
  EXPECT_EQ(AsText(b.structure), "b");
  EXPECT_EQ(AsText(b.columns), std::string(1000, 'b'));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.columns.data()) % 64, 0u);
  EXPECT_FALSE(cache->Find("/logs/c/tfevents"));
}

TEST(IndexCache, LivesOnWhenItsFileIsReplacedOrRemoved) {
  TempDir dir;
  WriteCache(dir / "cache");
  std::optional<StoredIndex> stored = IndexCache::Open(dir / "cache")->Find("/logs/a/tfevents");
  WriteCache(dir / "cache");
  std::filesystem::remove(dir / "cache");
  EXPECT_EQ(AsText(stored->encoded.structure), "index of a");
}

TEST(IndexCache, AnythingWrongMeansThatThereIsNone) {
  TempDir dir;
  EXPECT_EQ(IndexCache::Open(dir / "missing"), nullptr);
  EXPECT_EQ(IndexCache::Open(dir.path()), nullptr);
  WriteBytes(dir / "empty", "");
  EXPECT_EQ(IndexCache::Open(dir / "empty"), nullptr);
  WriteCache(dir / "cache");
  const std::string bytes = *ReadFile(dir / "cache");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(IndexCache::Parse(AsBytes(bytes).first(size), nullptr), nullptr) << size;
  }
}

TEST(IndexCache, DamageInItsDirectoryIsFound) {
  TempDir dir;
  WriteCache(dir / "cache");
  const std::string bytes = *ReadFile(dir / "cache");
  const std::size_t indexes_end = 64 + 1024 + 16 + 8;  // The indexes check themselves.
  for (std::size_t i = indexes_end; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      EXPECT_EQ(IndexCache::Parse(AsBytes(damaged), nullptr), nullptr) << i;
    }
  }
}

TEST(IndexCache, AnUnfinishedOneLeavesNothingBehind) {
  TempDir dir;
  WriteCache(dir / "cache");
  {
    Result<IndexCacheWriter> writer = IndexCacheWriter::Create(dir / "cache");
    ASSERT_THAT(writer->Add("/logs/z/tfevents", Stored(1, "z", "")), Succeeds());
  }
  EXPECT_TRUE(IndexCache::Open(dir / "cache")->Find("/logs/a/tfevents"));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path())) {
    files += entry.is_regular_file();
  }
  EXPECT_EQ(files, 1u);
}

TEST(CachePath, DependsOnTheDirectoriesAndNotOnTheirOrder) {
  const Logdir a{"", "/a"}, b{"name", "/b"}, also_a{"", "/x/../a"};
  EXPECT_EQ(CachePath("/c", {a, b}), CachePath("/c", {b, a}));
  EXPECT_EQ(CachePath("/c", {a}), CachePath("/c", {also_a}));
  EXPECT_NE(CachePath("/c", {a}), CachePath("/c", {b}));
  EXPECT_EQ(CachePath("/c", {a}).parent_path(), "/c");
}

}  // namespace
}  // namespace cboard::reader
