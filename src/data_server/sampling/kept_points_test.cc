#include "data_server/sampling/kept_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reader/testing/live_test_support.h"

namespace cboard::data_server {
namespace {

using ::cboard::testing::Append;
using ::cboard::testing::LoadedReader;
using ::cboard::testing::ScalarRecord;
using ::cboard::testing::SummaryRecord;
using ::cboard::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t kAll = 1'000'000;

// A log with one run, and what is kept of it.
class KeptPoints : public ::testing::Test {
 protected:
  void Log(const std::string& records) { Append(logs_ / "events.out.tfevents.1", records); }
  void LogSteps(std::string_view tag, const std::vector<std::int64_t>& steps) {
    std::string records;
    for (const std::int64_t step : steps)
      records += ScalarRecord(tag, static_cast<float>(step), step);
    Log(records);
  }

  std::vector<std::size_t> Kept(std::string_view tag, std::size_t max_points = kAll,
                                std::string_view limits = "") {
    const auto reader = LoadedReader({.logdirs = {{.name = {}, .path = logs_.path()}},
                                      .follow = false,
                                      .purge_orphaned_data = false});
    const auto snapshot = reader->snapshot();
    PointSampler sampler(*SampleLimits::Parse(limits));
    const reader::Tag* const found = snapshot->FindTag(".", tag);
    if (found == nullptr) return {kAll};
    const auto indices = sampler.KeptIndices(*found, max_points);
    if (found->kind() == reader::TagKind::kScalar) {
      std::vector<reader::ScalarPoint> expected;
      for (const std::size_t index : indices) expected.push_back(found->scalars.at(index));
      EXPECT_EQ(ReadPoints(found->scalars, indices), expected);
    }
    return indices;
  }

  TempDir logs_;
};

TEST_F(KeptPoints, AreAllOfAShortSeries) {
  LogSteps("loss", {1, 2, 5, 9});
  EXPECT_THAT(Kept("loss"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Kept("loss", 1), ElementsAre(3));
  EXPECT_THAT(Kept("loss", 0), IsEmpty());
  EXPECT_THAT(Kept("loss", kAll, "scalars=0"), IsEmpty());
}

TEST_F(KeptPoints, OfALongSeriesAreThoseOfAReservoir) {
  std::vector<std::int64_t> even, uneven;
  for (std::int64_t i = 0; i < 3000; ++i) {
    even.push_back(10 * i);
    uneven.push_back(i * i);
  }
  LogSteps("even", even);
  LogSteps("uneven", uneven);
  Reservoir reservoir(1000);
  for (const std::int64_t step : even) reservoir.Offer(step);
  EXPECT_EQ(Kept("even"), reservoir.kept());
  EXPECT_EQ(Kept("uneven"), reservoir.kept());
  EXPECT_EQ(Kept("even", kAll, "scalars=all").size(), 3000u);
  EXPECT_EQ(Kept("even", 100, "scalars=all"), DownsampledIndices(3000, 100));
}

TEST_F(KeptPoints, WithoutThoseThatWereLoggedAgain) {
  LogSteps("restarted", {1, 2, 3, 4, 3, 4, 5});
  LogSteps("constant", {7, 7, 7});
  EXPECT_THAT(Kept("restarted"), ElementsAre(0, 1, 4, 5, 6));
  EXPECT_THAT(Kept("restarted", kAll, "scalars=all"), ElementsAre(0, 1, 4, 5, 6));
  EXPECT_THAT(Kept("restarted", 1), ElementsAre(6));
  EXPECT_THAT(Kept("constant"), ElementsAre(2));
}

TEST_F(KeptPoints, AreFoundAcrossFiles) {
  LogSteps("loss", {1, 2, 3});
  std::string again;
  for (const std::int64_t step : {3, 4}) again += ScalarRecord("loss", 0, step);
  Append(logs_ / "events.out.tfevents.2", again);
  EXPECT_THAT(Kept("loss"), ElementsAre(0, 1, 3, 4));
}

TEST_F(KeptPoints, OfBlobsAreTen) {
  for (std::int64_t step = 0; step < 30; ++step) {
    std::string summary;
    proto::AppendImageValue("image", {.height = 1, .width = 1, .encoded = "png"}, {}, summary);
    Log(SummaryRecord(summary, step));
  }
  Reservoir reservoir(10);
  for (std::int64_t step = 0; step < 30; ++step) reservoir.Offer(step);
  EXPECT_EQ(Kept("image"), reservoir.kept());
}

}  // namespace
}  // namespace cboard::data_server
