// The log reader with a cache of indexes: the same as without, at less cost.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>

#include "cboard/base/file.h"
#include "reader/live/index_cache.h"
#include "reader/testing/live_test_support.h"

namespace cboard::reader {
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

  fs::path CacheFile() const { return CachePath(cache_.path(), {{"", dir_.path()}}); }

  // The result of a reader without a cache.
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

TEST_F(CachedReader, AFileThatWasEditedInPlaceIsReadAnew) {
  Open();
  const std::string one = ScalarRecords("x", 500, 501), other = ScalarRecords("x", 501, 502);
  ASSERT_EQ(one.size(), other.size());
  std::string bytes = *ReadFile(dir_ / "a" / "tfevents");
  const std::size_t at = bytes.find(one);
  struct stat before;
  ASSERT_EQ(::stat((dir_ / "a" / "tfevents").c_str(), &before), 0);
  for (const bool keeps_time : {false, true}) {
    {
      std::fstream file(dir_ / "a" / "tfevents", std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(at));
      file << (keeps_time ? one : other);
    }
    // As rsync --times, cp --preserve and tar do.
    const std::array<timespec, 2> times = {before.st_atim, before.st_mtim};
    if (keeps_time) {
      ASSERT_EQ(::utimensat(AT_FDCWD, (dir_ / "a" / "tfevents").c_str(), times.data(), 0), 0);
    }
    EXPECT_EQ(Dump(*Open()->snapshot()), Truth()) << keeps_time;
  }
}

TEST_F(CachedReader, AFileThatIsCompletedBetweenTwoStartsIsReadAnew) {
  const std::string records = ScalarRecords("x", 0, 1000);
  const std::size_t half = records.size() / 2;
  WriteBytes(dir_ / "a" / "tfevents", std::string(half, '\0') + records.substr(half));
  Open();
  {
    std::fstream file(dir_ / "a" / "tfevents", std::ios::in | std::ios::out | std::ios::binary);
    file << records.substr(0, half);
    file.seekp(0, std::ios::end);
    file << ScalarRecords("x", 1000, 1010);
  }
  const auto reader = Open();
  EXPECT_EQ(StepsOf(*reader->snapshot(), "a", "x").size(), 1010u);
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

TEST_F(CachedReader, DamagedPointsAreNeverServed) {
  Open();
  std::string bytes = *ReadFile(CacheFile());
  const std::string truth = Truth();
  // Values of the column: floats 500, 501.
  const float values[] = {500, 501};
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(values), 8));
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  for (const bool follow : {true, false}) {
    ASSERT_TRUE(WriteFileAtomically(CacheFile(), bytes));
    ASSERT_EQ(::chmod(CacheFile().c_str(), 0600), 0);
    const auto reader = Open(follow);
    EXPECT_EQ(reader->statistics().cached_files, 3u);
    EXPECT_EQ(Dump(*reader->snapshot()), truth);
  }
  EXPECT_NE(*ReadFile(CacheFile()), bytes);  // It has been written again.
  EXPECT_EQ(Dump(*Open()->snapshot()), truth);
}

TEST_F(CachedReader, ACacheThatIsCutOrOverwrittenUnderAReaderChangesNothing) {
  Open();
  const std::string truth = Truth();
  for (const bool is_cut : {true, false}) {
    std::unique_ptr<LogReader> reader = Open(/*follow=*/true);
    EXPECT_EQ(reader->statistics().cached_files, 3u);
    if (is_cut) {
      fs::resize_file(CacheFile(), 100);
    } else {
      std::fstream(CacheFile(), std::ios::in | std::ios::out) << std::string(20'000, 'x');
    }
    EXPECT_EQ(Dump(*reader->snapshot()), truth) << is_cut;
    Append(dir_ / "a" / "tfevents", ScalarRecords("z", 0, 1));
    ASSERT_TRUE(testing::Becomes(
        *reader, [](const Snapshot& snapshot) { return snapshot.FindTag("a", "z") != nullptr; }));
    EXPECT_EQ(Dump(*reader->snapshot()), Truth()) << is_cut;
    reader.reset();
    WriteBytes(dir_ / "a" / "tfevents", ScalarRecords("x", 0, 1000) + ScalarRecords("y", 5, 9));
    fs::remove(CacheFile());
    Open();
  }
}

TEST_F(CachedReader, PointsThatNeitherCacheNorFileHasAreNotMadeUp) {
  Open();
  const auto reader = Open(/*follow=*/true);
  const auto snapshot = reader->snapshot();
  fs::resize_file(CacheFile(), 100);
  fs::remove_all(dir_ / "a");
  const std::vector<ScalarPoint> points = snapshot->FindTag("a", "x")->scalars.ToPoints();
  ASSERT_EQ(points.size(), 1000u);
  for (const ScalarPoint& point : points) {
    // The reader may have read them before both were gone.
    const bool is_as_logged = point.value == static_cast<double>(point.step);
    ASSERT_TRUE(std::isnan(point.value) || is_as_logged) << point.step << ": " << point.value;
  }
}

TEST_F(CachedReader, NobodyElseCanReadTheCache) {
  ASSERT_EQ(::chmod(cache_.path().c_str(), 0755), 0);
  Open();
  const auto mode_of = [](const fs::path& path) {
    return fs::status(path).permissions() & fs::perms::mask;
  };
  EXPECT_EQ(mode_of(cache_.path()), fs::perms::owner_all);
  EXPECT_EQ(mode_of(CacheFile()), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(CachedReader, ADirectoryThatOthersCanWriteToIsNotUsedAndThatIsSaid) {
  Open();
  fs::permissions(cache_.path(), fs::perms::others_all, fs::perm_options::add);
  const auto reader = Open();
  EXPECT_EQ(reader->statistics().cached_files, 0u);
  EXPECT_EQ(Dump(*reader->snapshot()), Truth());
  ASSERT_EQ(reader->snapshot()->notices.size(), 1u);
  EXPECT_THAT(reader->snapshot()->notices[0].message,
              ::testing::HasSubstr("other users can write to directory"));
}

TEST_F(CachedReader, ACacheThatOthersCouldHaveWrittenIsNotUsed) {
  Open();
  fs::permissions(CacheFile(), fs::perms::group_write, fs::perm_options::add);
  const auto reader = Open();
  EXPECT_EQ(reader->statistics().cached_files, 0u);
  EXPECT_EQ(Dump(*reader->snapshot()), Truth());
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
}  // namespace cboard::reader
