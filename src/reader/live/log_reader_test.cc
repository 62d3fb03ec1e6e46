// Loading: what is there at the start.
#include "cboard/reader/log_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "reader/testing/live_test_support.h"

namespace cboard::reader {
namespace {

using testing::Append;
using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LoadedReader;
using testing::RunNames;
using testing::ScalarRecord;
using testing::ScalarRecords;
using testing::StepsOf;
using testing::TempDir;
using testing::WriteBytes;

namespace fs = std::filesystem;

ReaderOptions Once(const fs::path& path) { return {.logdirs = {{"", path}}, .follow = false}; }

TEST(LogReader, ReadsAllRunsBelowALogDirectory) {
  TempDir dir;
  WriteBytes(dir / "tfevents", ScalarRecords("top", 0, 3));
  WriteBytes(dir / "a" / "b" / "tfevents.1", ScalarRecords("loss", 0, 100));
  WriteBytes(dir / "a" / "b" / "tfevents.2", ScalarRecords("loss", 100, 150));
  const auto reader = LoadedReader(Once(dir.path()));
  const auto snapshot = reader->snapshot();
  EXPECT_THAT(RunNames(*snapshot), ElementsAre(".", "a/b"));
  EXPECT_EQ(StepsOf(*snapshot, "a/b", "loss").size(), 150u);
  EXPECT_EQ(snapshot->FindTag("a/b", "loss")->scalars.back().value, 149);
  EXPECT_TRUE(snapshot->progress.complete);
  EXPECT_EQ(snapshot->progress.done_bytes, snapshot->progress.total_bytes);
  EXPECT_EQ(snapshot->progress.total_runs, 2u);
  EXPECT_EQ(snapshot->progress.done_runs, 2u);
  EXPECT_EQ(reader->statistics().events_read, 153u);
  EXPECT_EQ(reader->statistics().bytes_read, snapshot->progress.total_bytes);
  EXPECT_GT(reader->statistics().scalar_bytes, 0u);
}

TEST(LogReader, NamesTheRunsOfNamedLogDirectories) {
  TempDir a, b;
  WriteBytes(a / "tfevents", ScalarRecords("x", 0, 1));
  WriteBytes(b / "train" / "tfevents", ScalarRecords("x", 0, 1));
  const auto reader = LoadedReader(
      {.logdirs = {{"base", a.path()}, {"tune", b.path()}, {"", b.path()}}, .follow = false});
  EXPECT_THAT(RunNames(*reader->snapshot()), ElementsAre("base/.", "train", "tune/train"));
}

TEST(LogReader, RunsWhoseNamesWouldBeTheSameAreToldApart) {
  TempDir dir;
  WriteBytes(dir / "a\xff" / "tfevents", ScalarRecords("x", 0, 1));
  WriteBytes(dir / "a\xfe" / "tfevents", ScalarRecords("x", 0, 2));
  const auto reader = LoadedReader(Once(dir.path()));
  EXPECT_THAT(RunNames(*reader->snapshot()), ElementsAre("a\uFFFD", "a\uFFFD (2)"));
  EXPECT_EQ(StepsOf(*reader->snapshot(), "a\uFFFD (2)", "x").size(), 1u);
}

TEST(LogReader, WantsALogDirectory) {
  EXPECT_THAT(LogReader::Open({}), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(LogReader::Open({.logdirs = {{"name", ""}}}), FailsWith(ErrorCode::kInvalidArgument));
}

TEST(LogReader, AMissingLogDirectoryIsSaidNotToExist) {
  TempDir dir;
  const auto snapshot = ReadLogdirs(Once(dir / "missing"));
  ASSERT_THAT(snapshot, testing::Succeeds());
  ASSERT_EQ((*snapshot)->unreadable.size(), 1u);
  EXPECT_EQ((*snapshot)->unreadable[0].code, ErrorCode::kNotFound);
  EXPECT_THAT((*snapshot)->unreadable[0].message, HasSubstr("missing' does not exist; check"));
  EXPECT_THAT((*snapshot)->runs, IsEmpty());
}

TEST(LogReader, DamageIsReportedWithItsPlaceAndTheRestIsRead) {
  TempDir dir;
  std::string bytes = ScalarRecords("loss", 1, 11);
  const std::size_t record_bytes = bytes.size() / 10;
  bytes[5 * record_bytes + 20] = static_cast<char>(bytes[5 * record_bytes + 20] ^ 1);
  WriteBytes(dir / "run" / "tfevents", bytes + bytes.substr(0, 9));
  const auto snapshot = *ReadLogdirs(Once(dir.path()));
  const cboard::reader::Run* run = snapshot->FindRun("run");
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(StepsOf(*snapshot, "run", "loss").size(), 9u);
  ASSERT_EQ(run->damage.size(), 1u);
  EXPECT_EQ(run->damage[0].offset, 5 * record_bytes);
  EXPECT_EQ(run->damage[0].path, dir / "run" / "tfevents");
  EXPECT_EQ(run->files[0]->torn_bytes, 9u);
}

TEST(LogReader, AFileThatCannotBeReadIsReportedBesideTheOthers) {
  TempDir dir;
  WriteBytes(dir / "good" / "tfevents", ScalarRecords("loss", 0, 10));
  fs::create_directory(dir / "bad");
  const fs::path write_only = "/sys/bus/platform/drivers_probe";  // Not even root may read it.
  if (!fs::is_regular_file(write_only)) GTEST_SKIP() << "there is no sysfs";
  fs::create_symlink(write_only, dir / "bad" / "tfevents");
  const auto snapshot = *ReadLogdirs(Once(dir.path()));
  EXPECT_EQ(StepsOf(*snapshot, "good", "loss").size(), 10u);
  ASSERT_NE(snapshot->FindRun("bad"), nullptr);
  EXPECT_TRUE(snapshot->FindRun("bad")->files[0]->error);
}

TEST(LogReader, RefreshReadsWhatIsNewWithoutFollowing) {
  TempDir dir;
  WriteBytes(dir / "a" / "tfevents", ScalarRecords("x", 0, 1));
  const auto reader = LoadedReader(Once(dir.path()));
  const auto before = reader->snapshot();
  reader->Refresh();
  EXPECT_EQ(reader->snapshot()->FindRun("a"), before->FindRun("a")) << "nothing has changed";
  Append(dir / "a" / "tfevents", ScalarRecords("x", 1, 3));
  WriteBytes(dir / "b" / "tfevents", ScalarRecords("x", 0, 1));
  reader->Refresh();
  EXPECT_THAT(RunNames(*reader->snapshot()), ElementsAre("a", "b"));
  EXPECT_THAT(StepsOf(*reader->snapshot(), "a", "x"), ElementsAre(0, 1, 2));
  EXPECT_THAT(StepsOf(*before, "a", "x"), ElementsAre(0)) << "a snapshot never changes";
}

TEST(LogReader, ManySmallRunsLoadWithFewFileDescriptors) {
  TempDir dir;
  constexpr int kRuns = 3000;
  const std::string records = ScalarRecords("loss", 0, 3);
  for (int i = 0; i < kRuns; ++i) {
    WriteBytes(dir / ("run" + std::to_string(i)) / "tfevents", records);
  }
  std::vector<int> taken;  // All but a few descriptors of the process.
  while (taken.empty() || taken.back() < 200) taken.push_back(::dup(0));
  const auto reader = LoadedReader({.logdirs = {{"", dir.path()}}});
  EXPECT_EQ(reader->snapshot()->runs.size(), std::size_t{kRuns});
  const int next = ::dup(0);
  EXPECT_LT(next, taken.back() + 20) << "descriptors stay open";
  ::close(next);
  for (const int descriptor : taken) ::close(descriptor);
  for (const auto& run : reader->snapshot()->runs) {
    ASSERT_EQ(run->tags.size(), 1u);
    ASSERT_EQ(run->tags[0].scalars.size(), 3u);
  }
  EXPECT_EQ(reader->snapshot()->runs[0]->tags[0].info, reader->snapshot()->runs[1]->tags[0].info)
      << "runs share what they say about a tag";
}

TEST(LogReader, ShowsProgressFromTheCallingThread) {
  TempDir dir;
  WriteBytes(dir / "a" / "tfevents", ScalarRecords("x", 0, 1));
  std::vector<LoadProgress> seen;
  const auto caller = std::this_thread::get_id();
  ASSERT_THAT(ReadLogdirs(Once(dir.path()),
                          [&](const LoadProgress& progress) {
                            EXPECT_TRUE(std::this_thread::get_id() == caller);
                            seen.push_back(progress);
                          }),
              testing::Succeeds());
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(seen.back().complete);
}

TEST(DefaultCacheDirectory, FollowsTheXdgSpecification) {
  const char* old_cache = std::getenv("XDG_CACHE_HOME");
  const std::string kept = old_cache == nullptr ? "" : old_cache;
  ::setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(DefaultCacheDirectory(), "/x/compression-board");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_NE(DefaultCacheDirectory(), "relative/compression-board");
  if (old_cache == nullptr) {
    ::unsetenv("XDG_CACHE_HOME");
  } else {
    ::setenv("XDG_CACHE_HOME", kept.c_str(), 1);
  }
}

}  // namespace
}  // namespace cboard::reader
