#include "cli/inspect_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <limits>

namespace cboard::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class InspectReport : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    RunScan run;
    run.name = "train";
    run.event_count = 1001;
    run.newest_wall_time_seconds = 1'700'000'000;
    run.files.push_back({.path = "/logs/train/events.out.tfevents.1", .size_bytes = 2048});
    TagScan loss;
    loss.kind = TagKind::kScalar;
    loss.count = 1000;
    loss.max_step = 999;
    loss.newest_wall_time_seconds = 1'700'000'000;
    loss.last_value = 0.1f;
    run.tags["loss"] = loss;
    TagScan graph;
    graph.kind = TagKind::kGraph;
    graph.count = 1;
    graph.newest_wall_time_seconds = 1'600'000'000.5;
    run.tags["__run_graph__"] = graph;
    scan_.runs.push_back(run);
  }

  LogdirScan scan_;
};

TEST_F(InspectReport, ShowsRunsAndTagsAsATable) {
  EXPECT_EQ(InspectText("logs", scan_),
            "'logs': 1 run, 1,001 events in 1 file, 2.0 KiB\n"
            "\n"
            "run 'train': 1,001 events in 1 file, 2.0 KiB, newest 2023-11-14 22:13:20\n"
            "  tag            kind    count  steps  last value  newest\n"
            "  __run_graph__  graph       1      0              2020-09-13 12:26:40\n"
            "  loss           scalar  1,000  0–999         0.1  2023-11-14 22:13:20\n");
}

TEST_F(InspectReport, NamesDamageWithItsPlace) {
  RunScan& run = scan_.runs[0];
  run.files[0].torn_bytes = 1;
  run.damage.push_back({run.files[0].path, 2000, 48, "the checksum \x1b[31m is wrong"});
  run.damage_count = 3;
  const std::string text = InspectText("logs", scan_);
  EXPECT_THAT(text, HasSubstr("2.0 KiB, damaged in 3 places\n"));
  EXPECT_THAT(text, HasSubstr("damage: 'events.out.tfevents.1', 48 bytes at offset 2000: the "
                              "checksum \\x1b[31m is wrong\n"));
  EXPECT_THAT(text, HasSubstr("damage: and 2 more places\n"));
  EXPECT_THAT(text, HasSubstr("torn: 'events.out.tfevents.1' ends in 1 byte of an unfinished"));
}

TEST_F(InspectReport, FiltersByRunAndTag) {
  EXPECT_THAT(InspectText("logs", scan_, {.run = "", .tag = "loss"}),
              Not(HasSubstr("__run_graph__")));
  EXPECT_EQ(InspectText("logs", scan_, {.run = "eval", .tag = ""}),
            "'logs': 0 runs, 0 events in 0 files, 0 B\n");
}

TEST_F(InspectReport, AsJsonHasNullForWhatWasNotMeasured) {
  scan_.runs[0].newest_wall_time_seconds = -std::numeric_limits<double>::infinity();
  scan_.runs[0].tags.erase("loss");
  EXPECT_EQ(
      InspectJson("logs", scan_),
      R"({"logdir":"logs","runs":[{"name":"train","event_count":1001,)"
      R"("newest_wall_time_seconds":null,"tags":[{"tag":"__run_graph__","kind":"graph",)"
      R"("plugin":"","count":1,"mismatched_count":0,"first_step":0,"last_step":0,"min_step":0,)"
      R"("max_step":0,"newest_wall_time_seconds":1600000000.5,"last_value":null}],)"
      R"("files":[{"path":"/logs/train/events.out.tfevents.1","size_bytes":2048,)"
      R"("record_count":0,"damaged_bytes":0,"torn_bytes":0,"error":null}],)"
      R"("damage_count":0,"damage":[]}],"unreadable":[]})"
      "\n");
}

TEST(LocalTime, RefusesTimesThatNoCalendarHolds) {
  EXPECT_EQ(LocalTime(std::numeric_limits<double>::quiet_NaN()), "-");
  EXPECT_EQ(LocalTime(1e300), "-");
  EXPECT_EQ(LocalTime(-std::numeric_limits<double>::infinity()), "-");
}

}  // namespace
}  // namespace cboard::cli
