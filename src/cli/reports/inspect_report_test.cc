#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <limits>

#include "cboard/reader/log_reader.h"
#include "cli/reports/reports.h"
#include "reader/testing/event_builder.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::TempDir;
using testing::WriteBytes;

class InspectReport : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }

  // A run of two scalars and a graph, 119 bytes, followed by `tail`.
  reader::Snapshot Read(const std::string& tail = "") {
    WriteBytes(dir_ / "train" / "events.out.tfevents.1",
               testing::ScalarRecord("loss", 0.5f, 1, 1'600'000'000.5) +
                   testing::ScalarRecord("loss", 0.1f, 999, 1'700'000'000) +
                   testing::EventRecord(proto::EventKind::kGraphDef, "") + tail);
    const auto snapshot = reader::ReadLogdirs({.logdirs = {{"", dir_.path()}}});
    EXPECT_THAT(snapshot, testing::Succeeds());
    return **snapshot;
  }

  // A copy of the run, to be changed.
  static std::shared_ptr<cboard::reader::Run> CopyOf(const reader::Snapshot& snapshot) {
    return std::make_shared<cboard::reader::Run>(*snapshot.runs[0]);
  }

  TempDir dir_;
};

TEST_F(InspectReport, ShowsRunsAndTagsAsATable) {
  EXPECT_EQ(InspectText("logs", Read()),
            "'logs': 1 run, 3 events in 1 file, 112 B\n"
            "\n"
            "run 'train': 3 events in 1 file, 112 B, newest 2023-11-14 22:13:20\n"
            "  tag            kind    count  steps  last value  newest\n"
            "  __run_graph__  graph       1      0              1970-01-01 00:00:01\n"
            "  loss           scalar      2  1–999         0.1  2023-11-14 22:13:20\n");
}

TEST_F(InspectReport, NamesDamageWithItsPlace) {
  reader::Snapshot snapshot = Read("torn");
  const std::shared_ptr<cboard::reader::Run> run = CopyOf(snapshot);
  run->damage.push_back({run->files[0]->path, 2000, 48, "the checksum \x1b[31m is wrong"});
  run->damage_count = 3;
  snapshot.runs = {run};
  const std::string text = InspectText("logs", snapshot);
  EXPECT_THAT(text, HasSubstr("116 B, damaged in 3 places\n"));
  EXPECT_THAT(text, HasSubstr("damage: 'events.out.tfevents.1', 48 bytes at offset 2000: the "
                              "checksum \\x1b[31m is wrong\n"));
  EXPECT_THAT(text, HasSubstr("damage: and 2 more places\n"));
  EXPECT_THAT(text, HasSubstr("torn: 'events.out.tfevents.1' ends in 4 bytes of an unfinished"));
}

TEST_F(InspectReport, FiltersByRunAndTag) {
  const reader::Snapshot snapshot = Read();
  EXPECT_THAT(InspectText("logs", snapshot, {.run = "", .tag = "loss"}),
              Not(HasSubstr("__run_graph__")));
  EXPECT_EQ(InspectText("logs", snapshot, {.run = "eval", .tag = ""}),
            "'logs': 0 runs, 0 events in 0 files, 0 B\n");
}

TEST_F(InspectReport, AsJsonHasNullForWhatWasNotMeasured) {
  reader::Snapshot snapshot = Read();
  const std::shared_ptr<cboard::reader::Run> run = CopyOf(snapshot);
  run->newest_wall_time_seconds = -std::numeric_limits<double>::infinity();
  snapshot.runs = {run};
  EXPECT_EQ(
      InspectJson("logs", snapshot, {.run = "", .tag = "graph"}),
      R"({"logdir":"logs","runs":[{"name":"train","event_count":3,)"
      R"("newest_wall_time_seconds":null,"tags":[{"tag":"__run_graph__","kind":"graph",)"
      R"("plugin":"","count":1,"mismatched_count":0,"first_step":0,"last_step":0,"min_step":0,)"
      R"("max_step":0,"newest_wall_time_seconds":1,"last_value":null}],)"
      R"("files":[{"path":")" +
          (dir_ / "train" / "events.out.tfevents.1").string() +
          R"(","size_bytes":112,)"
          R"("record_count":3,"damaged_bytes":0,"torn_bytes":0,"error":null}],)"
          R"("damage_count":0,"damage":[]}],"missing":[],"unreadable":[]})"
          "\n");
}

TEST(LocalTime, RefusesTimesThatNoCalendarHolds) {
  EXPECT_EQ(LocalTime(std::numeric_limits<double>::quiet_NaN()), "-");
  EXPECT_EQ(LocalTime(1e300), "-");
  EXPECT_EQ(LocalTime(-std::numeric_limits<double>::infinity()), "-");
}

}  // namespace
}  // namespace cboard::cli
