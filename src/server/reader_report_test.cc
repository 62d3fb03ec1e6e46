#include "server/reader_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cboard::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::shared_ptr<reader::Run> RunWith(double newest) {
  auto run = std::make_shared<reader::Run>();
  run->name = "train";
  run->newest_wall_time_seconds = newest;
  return run;
}

reader::Snapshot SnapshotWith(std::shared_ptr<const reader::Run> run, bool complete = true) {
  reader::Snapshot snapshot;
  snapshot.runs = {std::move(run)};
  snapshot.progress.complete = complete;
  return snapshot;
}

TEST(LagMeter, CountsEventsThatCameAfterLoading) {
  LagMeter lag;
  lag.Observe(SnapshotWith(RunWith(100), false), 5000);
  lag.Observe(SnapshotWith(RunWith(200), true), 5000);
  EXPECT_EQ(lag.last_seconds(), 0) << "what was there at the start";
  lag.Observe(SnapshotWith(RunWith(5001)), 5001.5);
  EXPECT_EQ(lag.last_seconds(), 0.5);
  lag.Observe(SnapshotWith(RunWith(5001)), 6000);
  EXPECT_EQ(lag.last_seconds(), 0.5) << "nothing newer";
  lag.Observe(SnapshotWith(RunWith(7000)), 6999);
  EXPECT_EQ(lag.last_seconds(), 0) << "a clock that is ahead";
  EXPECT_EQ(lag.newest_wall_time_seconds(), 7000);
}

TEST(ReaderMetrics, HaveTheReadersNumbers) {
  auto run = RunWith(17);
  run->damage_count = 3;
  run->files = {std::make_shared<reader::EventFile>(
      reader::EventFile{.path = "a",
                        .size_bytes = 500,
                        .damaged_bytes = 40,
                        .torn_bytes = 7,
                        .error = Error{ErrorCode::kPermissionDenied, "no"}})};
  std::string text;
  AppendReaderMetrics(text, SnapshotWith(run), {.bytes_read = 500, .events_read = 9}, {}, {});
  for (const char* const line :
       {"\ncboard_reader_files 1\n", "\ncboard_reader_file_bytes 500\n",
        "\ncboard_reader_bytes_read_total 500\n", "\ncboard_reader_events_read_total 9\n",
        "\ncboard_reader_damaged_bytes 40\n", "\ncboard_reader_damaged_places 3\n",
        "\ncboard_reader_torn_bytes 7\n", "\ncboard_reader_unreadable_files 1\n",
        "\ncboard_reader_loaded 1\n", "\n# TYPE cboard_reader_bytes_read_total counter\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(Trouble, IsNamedOnceForEachKind) {
  EXPECT_THAT(DescribeTrouble(SnapshotWith(RunWith(1))), IsEmpty());
  auto run = RunWith(1);
  const Error refused{ErrorCode::kPermissionDenied, "cannot open 'a': Permission denied"};
  run->files = {
      std::make_shared<reader::EventFile>(reader::EventFile{.path = "a", .error = refused}),
      std::make_shared<reader::EventFile>(reader::EventFile{.path = "b", .error = refused})};
  run->damage = {{.path = "c", .offset = 21, .bytes = 40, .reason = "its checksum is wrong"}};
  run->damage_count = 1;
  EXPECT_THAT(DescribeTrouble(SnapshotWith(run)),
              ElementsAre("cannot open 'a': Permission denied (and 1 more); what it holds is "
                          "missing until it can be read ('ls -l' shows who may)",
                          "'c' is damaged at offset 21: its checksum is wrong; 40 bytes skipped, "
                          "the rest is shown ('compression-board inspect' lists all)"));
}

}  // namespace
}  // namespace cboard::server
