#include "cboard/compression/stage_logger.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "cboard/base/clock.h"
#include "compression/testing/read_back.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::compression {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::FailsWith;
using ::cboard::testing::Find;
using ::cboard::testing::Logged;
using ::cboard::testing::ReadBack;
using ::cboard::testing::RunsAndTags;
using ::cboard::testing::Succeeds;
using ::cboard::testing::TempDir;
using ::testing::Contains;
using ::testing::IsSupersetOf;

class FixedClock final : public Clock {
 public:
  double NowSeconds() const override { return 1794795677; }
};

const StageGraph kGraph = {
    .name = "Net",
    .nodes = {{.name = "x", .op = "Input"}, {.name = "conv1", .op = "Conv2d", .inputs = {{"x"}}}}};

std::unique_ptr<StageLogger> OpenIn(const TempDir& directory) {
  auto logger = StageLogger::OpenIn(directory.path(), {.model = "net"});
  EXPECT_THAT(logger, Succeeds());
  return *std::move(logger);
}

std::vector<Logged> CloseAndRead(StageLogger& logger) {
  EXPECT_THAT(logger.Close(), Succeeds());
  return ReadBack(logger.directory());
}

std::set<std::string> KindsOf(const std::filesystem::path& run) {
  std::set<std::string> kinds;
  for (const auto& file : testing::EventFilesIn(run)) {
    for (const std::string& bytes : testing::EventBytes(file)) {
      const auto event = proto::ParseEvent(bytes);
      if (event && event->kind == proto::EventKind::kGraphDef) kinds.insert("graph");
      if (event && event->kind == proto::EventKind::kTaggedRunMetadata) kinds.insert("resources");
    }
  }
  return kinds;
}

TEST(SetLogFolder, NamesTheDirectoryByDateAndTime) {
  const TempDir directory;
  const FixedClock clock;
  const auto first = SetLogFolder(directory.path(), &clock);
  ASSERT_THAT(first, Succeeds());
  EXPECT_TRUE(std::filesystem::is_directory(*first));
  EXPECT_THAT(first->filename().string(), ::testing::MatchesRegex("logs_[0-9]{8}_[0-9]{6}"));
  EXPECT_EQ(first->filename().string().substr(9, 4), "2026");
  EXPECT_EQ(LogFolder(), *first);
  const auto second = SetLogFolder(directory.path(), &clock);
  ASSERT_THAT(second, Succeeds());
  EXPECT_EQ(second->filename(), first->filename().string() + "_2");
  const auto logger = StageLogger::Open();
  ASSERT_THAT(logger, Succeeds());
  EXPECT_EQ((*logger)->directory(), *second / "tensorboard_logs");
  EXPECT_THAT(SetLogFolder({}), Succeeds());
  EXPECT_FALSE(LogFolder());
  EXPECT_THAT(StageLogger::Open(),
              FailsSaying(ErrorCode::kFailedPrecondition, "call SetLogFolder"));
}

TEST(SetLogFolder, SaysWhyAFolderCannotBeMade) {
  const TempDir directory;
  ASSERT_THAT(WriteFileAtomically(directory / "file", "x"), Succeeds());
  EXPECT_FALSE(SetLogFolder(directory / "file"));
  EXPECT_FALSE(LogFolder());
  EXPECT_FALSE(StageLogger::OpenIn(directory / "file"));
}

TEST(StageLogger, GivesEveryStageARunWithGraphAndResources) {
  const TempDir directory;
  const auto logger = OpenIn(directory);
  for (const char* stage : {"initial_graph", "thresholds_selection", "after_quantization"}) {
    EXPECT_THAT(logger->LogGraph(stage, kGraph), Succeeds());
  }
  EXPECT_THAT(logger->Close(), Succeeds());
  for (const char* stage : {"initial_graph", "thresholds_selection", "after_quantization"}) {
    EXPECT_EQ(KindsOf(directory / "tensorboard_logs" / stage),
              (std::set<std::string>{"graph", "resources"}))
        << stage;
  }
}

TEST(StageLogger, LogsChannelsAsSteps) {
  const TempDir directory;
  const auto logger = OpenIn(directory);
  OutputStatistics statistics;
  ASSERT_THAT(statistics.Add(TensorView(std::vector<float>{-1, 2, 5, NAN, NAN, NAN}, {1, 3, 2})),
              Succeeds());
  EXPECT_THAT(logger->LogStatistics("thresholds_selection", "relu1", statistics), Succeeds());
  const auto logged = CloseAndRead(*logger);
  EXPECT_THAT(RunsAndTags(logged), IsSupersetOf({"thresholds_selection relu1"}));
  std::vector<std::tuple<std::string, std::int64_t, float>> points;
  for (const Logged& value : logged) {
    if (value.tag == "relu1" && value.kind == proto::ValueKind::kSimpleValue) {
      points.emplace_back(value.run, value.step, value.value);
    }
  }
  using Point = std::tuple<std::string, std::int64_t, float>;
  EXPECT_THAT(points,
              ::testing::ElementsAre(Point("thresholds_selection/max_per_channel", 0, 2),
                                     Point("thresholds_selection/max_per_channel", 1, 5),
                                     Point("thresholds_selection/mean_per_channel", 0, 0.5f),
                                     Point("thresholds_selection/mean_per_channel", 1, 5),
                                     Point("thresholds_selection/min_per_channel", 0, -1),
                                     Point("thresholds_selection/min_per_channel", 1, 5)));
  EXPECT_EQ(Find(logged, "relu1/non_finite_count", "thresholds_selection").value, 3);
}

TEST(StageLogger, LogsSimilarityAsPicturesAndAsNumbers) {
  const TempDir directory;
  const auto logger = OpenIn(directory);
  const std::vector<float> a = {1, 0}, b = {1, 1};
  ModelSimilarity similarity;
  for (std::size_t i = 0; i < kSimilaritySamples + 1; ++i) {
    ASSERT_THAT(similarity.AddSample({{"conv1", a, a}, {"fc", a, b}}), Succeeds());
  }
  EXPECT_THAT(logger->LogSimilarity(similarity), Succeeds());
  const auto logged = CloseAndRead(*logger);
  std::size_t pictures = 0;
  for (const Logged& value : logged) {
    if (value.kind != proto::ValueKind::kImage) continue;
    EXPECT_EQ(value.RunAndTag(), "figures similarity_distance_sample_" + std::to_string(pictures));
    ++pictures;
  }
  EXPECT_EQ(pictures, kSimilaritySamples);
  const auto fc = Find(logged, "similarity/points/fc", "figures");
  EXPECT_EQ(fc.step, 1);
  EXPECT_FLOAT_EQ(fc.value, std::sqrt(0.5f));
  EXPECT_FLOAT_EQ(
      Find(logged, "net/layers/fc/cosine/after_quantization", "after_quantization").value,
      std::sqrt(0.5f));
  EXPECT_FLOAT_EQ(
      Find(logged, "net/layers/fc/accumulated_sqnr_db/after_quantization", "after_quantization")
          .value,
      0);
  EXPECT_THAT(RunsAndTags(logged), Contains("figures similarity/sample_20"));
}

TEST(StageLogger, LogsWhatTheQuantizersAloneDid) {
  const TempDir directory;
  const auto logger = OpenIn(directory);
  // Channel 0 is exact, all of channel 1 is lost.
  const std::vector<float> before = {10, 10, 0.1f, 0.1f}, after = {10, 10, 0, 0};
  ModelSimilarity local;
  ASSERT_THAT(
      local.AddSample({{"conv1", TensorView(before, {1, 2, 2}), TensorView(after, {1, 2, 2})}}),
      Succeeds());
  EXPECT_THAT(logger->LogLocalErrors(local), Succeeds());
  const auto logged = CloseAndRead(*logger);
  const std::string run = "after_quantization";
  EXPECT_FLOAT_EQ(Find(logged, "net/layers/conv1/worst_channel_sqnr_db/" + run, run).value, 0);
  EXPECT_FLOAT_EQ(Find(logged, "net/layers/conv1/worst_channel/" + run, run).value, 1);
  EXPECT_NEAR(Find(logged, "net/layers/conv1/sqnr_db/" + run, run).value, 40, 0.01);
}

TEST(StageLogger, LogsBitWidthsThatAreKnown) {
  const TempDir directory;
  const auto logger = OpenIn(directory);
  EXPECT_THAT(
      logger->LogBitWidths(std::vector<LayerBits>{{.layer = "x", .op = "Input", .activation = 8},
                                                  {.layer = "fc", .op = "Linear", .weights = 4}}),
      Succeeds());
  const auto logged = CloseAndRead(*logger);
  EXPECT_THAT(RunsAndTags(logged), ::testing::UnorderedElementsAre(
                                       "figures Weights final bit-width config",
                                       "figures Activation final bit-width config",
                                       "figures bits/weights/fc", "figures bits/activations/x"));
  EXPECT_EQ(Find(logged, "bits/weights/fc", "figures").step, 1);
}

TEST(StageLogger, RefusesStagesThatNoPageWouldFind) {
  const TempDir directory;
  const auto logger = OpenIn(directory);
  EXPECT_THAT(
      logger->LogGraph("my_stage", kGraph),
      FailsSaying(ErrorCode::kInvalidArgument,
                  "'my_stage' is not the name of a quantization stage; choose one of initial_graph, "));
  EXPECT_THAT(logger->LogGraph("../outside", kGraph), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(logger->LogSimilarity(ModelSimilarity()),
              FailsSaying(ErrorCode::kInvalidArgument, "no sample"));
  EXPECT_TRUE(std::filesystem::is_empty(logger->directory()));
}

}  // namespace
}  // namespace cboard::compression
