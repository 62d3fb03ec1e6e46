// The log reader with a cache of indexes: the same as without, at less cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cboard/base/file.h"
#include "reader/live/index_cache.h"
#include "reader/live/live_test_support.h"

namespace cboard {
namespace {

using testing::Append;
using testing::LoadedReader;
using testing::ScalarRecords;
using testing::StepsOf;
using testing::TempDir;
using testing::WriteBytes;

namespace fs = std::filesystem;

class CachedReader : public ::testing::Test {
 protected:
  CachedReader() {
    for (const char* run : {"a", "b", "c"}) {
      WriteBytes(dir_ / run / "tfevents", ScalarRecords("x", 0, 1000) + ScalarRecords("y", 5, 9));
    }
  }

  std::unique_ptr<LogReader> Open(bool follow = false) {
    return LoadedReader({.logdirs = {{"", dir_.path()}},
                         .follow = follow,
                         .poll_interval = std::chrono::milliseconds(20),
                         .cache_directory = cache_.path()});
  }

  fs::path CacheFile() const { return reader::CachePath(cache_.path(), {{"", dir_.path()}}); }

  // What a reader without a cache sees.
  std::string Truth() const { return Dump(**ReadLogdirs({.logdirs = {{"", dir_.path()}}})); }

  static std::string Dump(const Snapshot& snapshot) {
    std::string text;
    for (const auto& run : snapshot.runs) {
      for (const Tag& tag : run->tags) {
        text += run->name + " " + tag.name() + ":";
        for (const ScalarPoint& point : tag.scalars.ToPoints()) {
          text += " " + std::to_string(point.step) + "=" + std::to_string(point.value) + "@" +
                  std::to_string(point.wall_time_seconds);
        }
        text += "\n";
      }
    }
    return text;
  }

  TempDir dir_, cache_;
};

TEST_F(CachedReader, TheSecondStartReadsNoEventFile) {
  EXPECT_EQ(Open()->statistics().cached_files, 0u);
  const auto reader = Open();
  EXPECT_EQ(reader->statistics().cached_files, 3u);
  EXPECT_EQ(reader->statistics().bytes_read, 0u);
  EXPECT_EQ(Dump(*reader->snapshot()), Truth());
}

TEST_F(CachedReader, ManyFilesOfOneRunComeFromTheCacheToo) {
  for (int i = 0; i < 40; ++i) {
    WriteBytes(dir_ / "many" / ("tfevents." + std::to_string(100 + i)),
               ScalarRecords(i % 2 == 0 ? "x" : "z", i, i + 3));
  }
  Open();
  const auto reader = Open();
  EXPECT_EQ(reader->statistics().cached_files, 43u);
  EXPECT_EQ(reader->statistics().bytes_read, 0u);
  EXPECT_EQ(Dump(*reader->snapshot()), Truth());
}

// Directories are watched only then.
TEST_F(CachedReader, WhatIsWrittenRightAfterASecondStartIsSeen) {
  Open();
  std::size_t steps = 1000;
  for (int i = 0; i < 30; ++i) {
    const std::string run = "new" + std::to_string(i);
    const auto reader = LoadedReader({.logdirs = {{"", dir_.path()}},
                                      .poll_interval = std::chrono::hours(1),
                                      .cache_directory = cache_.path()});
    Append(dir_ / "a" / "tfevents",
           ScalarRecords("x", std::int64_t(steps), std::int64_t(steps) + 1));
    ++steps;
    WriteBytes(dir_ / run / "tfevents", ScalarRecords("x", 0, 2));
    ASSERT_TRUE(testing::Becomes(*reader, [&](const Snapshot& snapshot) {
      return StepsOf(snapshot, "a", "x").size() == steps && StepsOf(snapshot, run, "x").size() == 2;
    })) << i;
  }
}

TEST_F(CachedReader, AFileThatHasGrownIsReadOn) {
  Open();
  const std::string more = ScalarRecords("x", 1000, 1010);
  Append(dir_ / "b" / "tfevents", more);
  const auto reader = Open();
  EXPECT_EQ(reader->statistics().cached_files, 3u);
  EXPECT_EQ(reader->statistics().bytes_read, more.size());
  EXPECT_EQ(Dump(*reader->snapshot()), Truth());
}

TEST_F(CachedReader, AFileThatIsAnotherIsReadAnew) {
  Open();
  WriteBytes(dir_ / "a" / "tfevents", ScalarRecords("x", 7, 2000));  // The same inode, longer.
  WriteBytes(dir_ / "new", ScalarRecords("z", 0, 1000));
  fs::rename(dir_ / "new", dir_ / "b" / "tfevents");  // Another inode.
  fs::resize_file(dir_ / "c" / "tfevents", 1000);
  const auto reader = Open();
  EXPECT_EQ(reader->statistics().cached_files, 0u);
  EXPECT_EQ(Dump(*reader->snapshot()), Truth());
}

TEST_F(CachedReader, AFileThatOnlyLooksTheSameIsNotTakenForIt) {
  Open();
  // The same inode and size, another time of change.
  std::string bytes = *ReadFile(dir_ / "a" / "tfevents");
  const std::string other = ScalarRecords("x", 2000, 3000) + ScalarRecords("y", 5, 9);
  ASSERT_EQ(fs::exists(dir_ / "a" / "tfevents"), true);
  WriteBytes(dir_ / "a" / "tfevents", other);
  const auto reader = Open();
  EXPECT_EQ(Dump(*reader->snapshot()), Truth());
}

TEST_F(CachedReader, GrowthIsStoredWhenTheReaderEnds) {
  Open();
  {
    const auto reader = Open(/*follow=*/true);
    Append(dir_ / "a" / "tfevents", ScalarRecords("x", 1000, 3000));
    ASSERT_TRUE(testing::Becomes(*reader, [](const Snapshot& snapshot) {
      return StepsOf(snapshot, "a", "x").size() == 3000;
    }));
  }
  const auto reader = Open();
  EXPECT_EQ(reader->statistics().bytes_read, 0u);
  EXPECT_EQ(StepsOf(*reader->snapshot(), "a", "x").size(), 3000u);
}

TEST_F(CachedReader, DamageAnywhereInTheCacheChangesNothing) {
  Open();
  const std::string bytes = *ReadFile(CacheFile());
  const std::string truth = Truth();
  const std::size_t stride = bytes.size() / 300 + 1;
  for (std::size_t i = 0; i < bytes.size(); i += stride) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    ASSERT_TRUE(WriteFileAtomically(CacheFile(), damaged));
    ASSERT_EQ(Dump(*Open()->snapshot()), truth) << "byte " << i << " of " << bytes.size();
  }
}

TEST_F(CachedReader, ATruncatedCacheChangesNothing) {
  Open();
  const std::string bytes = *ReadFile(CacheFile());
  const std::string truth = Truth();
  const std::size_t stride = bytes.size() / 50 + 1;
  for (std::size_t size = 0; size < bytes.size(); size += stride) {
    ASSERT_TRUE(WriteFileAtomically(CacheFile(), bytes.substr(0, size)));
    ASSERT_EQ(Dump(*Open()->snapshot()), truth) << size << " of " << bytes.size();
  }
}

TEST_F(CachedReader, AForeignFileIsReplaced) {
  WriteBytes(CacheFile(), "something else");
  Open();
  EXPECT_EQ(Open()->statistics().cached_files, 3u);
}

TEST_F(CachedReader, DamagedPointsAreReadAnewWhileFollowing) {
  Open();
  std::string bytes = *ReadFile(CacheFile());
  const std::string truth = Truth();
  // Values of the column: floats 500, 501.
  const float values[] = {500, 501};
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(values), 8));
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  ASSERT_TRUE(WriteFileAtomically(CacheFile(), bytes));
  const auto reader = Open(/*follow=*/true);
  EXPECT_TRUE(
      testing::Becomes(*reader, [&](const Snapshot& snapshot) { return Dump(snapshot) == truth; }));
}

TEST_F(CachedReader, WithoutAPlaceForTheCacheEverythingElseWorks) {
  WriteBytes(cache_ / "file", "");
  const auto reader = LoadedReader({.logdirs = {{"", dir_.path()}},
                                    .follow = false,
                                    .cache_directory = cache_ / "file" / "below"});
  EXPECT_EQ(Dump(*reader->snapshot()), Truth());
}

TEST_F(CachedReader, TheSameDirectoryUnderAnotherSpellingFindsItsCache) {
  Open();
  const auto reader = LoadedReader({.logdirs = {{"name", dir_ / "a" / ".." / ""}},
                                    .follow = false,
                                    .cache_directory = cache_.path()});
  EXPECT_EQ(reader->statistics().cached_files, 3u);
}

}  // namespace
}  // namespace cboard
