#include "cboard/profile/hardware_monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <thread>

#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/record/record_reader.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::profile {
namespace {

using testing::FailsWith;
using testing::Succeeds;
using testing::TempDir;

struct Point {
  std::int64_t step = 0;
  float value = 0;
};

// Returns the scalars of the event files in `directory`, and other tags without points.
std::map<std::string, std::vector<Point>> ReadPoints(const std::filesystem::path& directory) {
  std::map<std::string, std::vector<Point>> tags;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const Result<File> file = File::OpenForReading(entry.path());
    record::FileSource source(*file);
    record::RecordReader reader(source);
    while (const Result<record::Record> record = reader.Next()) {
      const Result<proto::Event> event = proto::ParseEvent(AsText(record->payload));
      if (event->kind != proto::EventKind::kSummary) continue;
      EXPECT_THAT(proto::ForEachValue(event->payload,
                                      [&](const proto::SummaryValue& value) {
                                        auto& points = tags[std::string(value.tag)];
                                        if (value.kind == proto::ValueKind::kSimpleValue) {
                                          points.push_back({event->step, value.simple_value});
                                        }
                                      }),
                  Succeeds());
    }
  }
  return tags;
}

void SleepSeconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

TEST(HardwareMonitor, LogsCurvesAndASummaryOfThisMachine) {
  TempDir dir;
  HardwareSummary summary;
  {
    SummaryWriter writer(dir.path());
    HardwareMonitor monitor(writer, {.interval_seconds = 0.02});
    ASSERT_THAT(monitor.Start(), Succeeds());
    SleepSeconds(0.3);
    summary = monitor.Stop();
  }
  const auto tags = ReadPoints(dir.path());
  const std::vector<Point>& memory = tags.at("hardware/memory/system_used_mb");
  EXPECT_GE(memory.size(), 2u);
  EXPECT_EQ(memory.size(), summary.sample_count);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    EXPECT_EQ(memory[i].step, static_cast<std::int64_t>(i));
    EXPECT_GT(memory[i].value, 0);
  }
  ASSERT_EQ(tags.count("hardware/cpu/percent"), 1u);
  EXPECT_GE(tags.at("hardware/cpu/percent").at(0).step, 1);
  EXPECT_EQ(tags.count("hardware/cpu/core_0_percent"), 1u);
  EXPECT_EQ(tags.count("hardware/summary/cpu/percent_p95"), 1u);
  EXPECT_EQ(tags.count("hardware/summary/cpu/core_0_percent_mean"), 0u);

  const MetricSummary* rss = summary.Find("memory/process_rss_mb");
  ASSERT_NE(rss, nullptr);
  EXPECT_GT(rss->mean, 0);
  EXPECT_FLOAT_EQ(static_cast<float>(rss->mean),
                  tags.at("hardware/summary/memory/process_rss_mb_mean").at(0).value);
  EXPECT_GE(summary.duration_seconds, 0.3);
  EXPECT_EQ(summary.Find("no/such_metric"), nullptr);
}

TEST(HardwareMonitor, LogsWhatTheGpuDoesAndItsName) {
  TempDir dir, nothing;
  {
    SummaryWriter writer(dir.path());
    HardwareMonitor monitor(writer, {.interval_seconds = 0.01,
                                     .tag_prefix = "hw",
                                     .proc_root = nothing.path(),
                                     .sys_root = nothing.path(),
                                     .nvml_library = FAKE_NVML});
    ASSERT_THAT(monitor.Start(), Succeeds());
    SleepSeconds(0.1);
    const HardwareSummary summary = monitor.Stop();
    const MetricSummary* power = summary.Find("gpu_0/power_w");
    ASSERT_NE(power, nullptr);
    EXPECT_EQ(power->mean, 250.5);
    ASSERT_TRUE(power->energy_j.has_value());
    EXPECT_GT(*power->energy_j, 0);
    EXPECT_LE(*power->energy_j, 250.5 * summary.duration_seconds);
  }
  const auto tags = ReadPoints(dir.path());
  EXPECT_EQ(tags.at("hw/gpu_0/power_w").at(0).value, 250.5f);
  EXPECT_EQ(tags.count("hw/devices/text_summary"), 1u);
  EXPECT_EQ(tags.count("hw/summary/gpu_0/power_energy_j"), 1u);
  EXPECT_EQ(tags.count("hw/memory/system_used_mb"), 0u);
}

TEST(HardwareMonitor, StopsAtOnceHoweverLongTheInterval) {
  TempDir dir;
  SummaryWriter writer(dir.path());
  HardwareMonitor monitor(writer, {.interval_seconds = 3600});
  ASSERT_THAT(monitor.Start(), Succeeds());
  EXPECT_GE(monitor.Stop().sample_count, 1u);
}

TEST(HardwareMonitor, StartsOnceStopsTwiceAndStartsAgain) {
  TempDir dir;
  SummaryWriter writer(dir.path());
  HardwareMonitor monitor(writer, {.interval_seconds = 0.01});
  EXPECT_EQ(monitor.Stop().sample_count, 0u);
  ASSERT_THAT(monitor.Start(), Succeeds());
  EXPECT_THAT(monitor.Start(), FailsWith(ErrorCode::kFailedPrecondition));
  const std::size_t first = monitor.Stop().sample_count;
  EXPECT_EQ(monitor.Stop().sample_count, first);
  ASSERT_THAT(monitor.Start(), Succeeds());
  EXPECT_GT(monitor.Stop().sample_count, first);
}

TEST(HardwareMonitor, GoesOnWhenNothingCanBeWritten) {
  TempDir dir;
  SummaryWriter writer("/proc/no/such/place");
  HardwareMonitor monitor(writer, {.interval_seconds = 0.01});
  ASSERT_THAT(monitor.Start(), Succeeds());
  SleepSeconds(0.05);
  EXPECT_GE(monitor.Stop().sample_count, 1u);
}

}  // namespace
}  // namespace cboard::profile
