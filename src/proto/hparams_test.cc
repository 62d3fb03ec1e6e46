#include <gtest/gtest.h>

#include "cboard/proto/plugins.h"
#include "proto/testing/golden_bytes.h"
#include "testing/matchers.h"

namespace cboard::proto {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::Golden;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::Succeeds;

HParamsExperiment LearningRateExperiment() {
  HParamsExperiment experiment;
  experiment.hparams.push_back({.name = "lr",
                                .display_name = {},
                                .description = {},
                                .type = HParamType::kFloat64,
                                .domain_discrete = {},
                                .domain_interval = {}});
  experiment.metrics.push_back(
      {.group = {}, .tag = "accuracy", .display_name = {}, .description = {}});
  return experiment;
}

TEST(HParams, ExperimentHasTensorboardXsBytes) {
  EXPECT_EQ(EncodeHParamsExperiment(LearningRateExperiment()),
            "\022\026\"\006\n\002lr \003*\014\n\n\022\010accuracy");
}

TEST(HParams, SessionStartHasTensorboardXsBytes) {
  EXPECT_EQ(EncodeHParamsSessionStart({{"lr", 0.1}}),
            "\032\021\n\017\n\002lr\022\t\021\232\231\231\231\231\231\271?");
  EXPECT_EQ(EncodeHParamsSessionStart({{"bool_var", true}}),
            "\032\020\n\016\n\010bool_var\022\002 \001");
}

TEST(HParams, SessionEndHasTensorboardXsBytes) {
  EXPECT_EQ(EncodeHParamsSessionEnd(HParamsStatus::kSuccess), "\"\002\010\001");
}

TEST(HParams, ValuesThatEqualDefaultsAreWritten) {
  EXPECT_EQ(EncodeHParamsSessionStart({{"a", false}, {"b", 0.0}, {"c", std::string()}}),
            Golden("1a 22 0a 07 0a 01 \"a\" 12 02 20 00 "
                   "0a 0e 0a 01 \"b\" 12 09 11 00 00 00 00 00 00 00 00 "
                   "0a 07 0a 01 \"c\" 12 02 1a 00"));
}

TEST(HParams, ExperimentRoundTrips) {
  HParamsExperiment experiment = LearningRateExperiment();
  experiment.name = "sweep";
  experiment.description = "of rates";
  experiment.user = "ada";
  experiment.time_created_seconds = 1.7e9;
  experiment.hparams.push_back({.name = "opt",
                                .display_name = "Optimizer",
                                .description = "which",
                                .type = HParamType::kString,
                                .domain_discrete = {std::string("sgd"), 1.5, false},
                                .domain_interval = {}});
  experiment.hparams.push_back({.name = "dropout",
                                .display_name = {},
                                .description = {},
                                .type = HParamType::kFloat64,
                                .domain_discrete = {},
                                .domain_interval = std::pair(0.0, 0.5)});
  experiment.metrics.push_back({.group = "val",
                                .tag = "loss",
                                .display_name = "Loss",
                                .description = "mean",
                                .dataset_type = DatasetType::kValidation});
  const auto parsed = ParseHParamsPluginData(EncodeHParamsExperiment(experiment));
  ASSERT_THAT(parsed, Succeeds());
  ASSERT_TRUE(std::holds_alternative<HParamsExperiment>(*parsed));
  EXPECT_EQ(std::get<HParamsExperiment>(*parsed), experiment);
}

TEST(HParams, SessionStartRoundTrips) {
  HParamsSessionStart start;
  start.hparams = {{"lr", 0.1}, {"bn", true}, {"opt", std::string("sgd")}};
  start.model_uri = "file:///m";
  start.monitor_url = "http://localhost";
  start.group_name = "g";
  start.start_time_seconds = 12.5;
  const auto parsed = ParseHParamsPluginData(EncodeHParamsSessionStart(start));
  ASSERT_THAT(parsed, Succeeds());
  ASSERT_TRUE(std::holds_alternative<HParamsSessionStart>(*parsed));
  EXPECT_EQ(std::get<HParamsSessionStart>(*parsed), start);
}

TEST(HParams, SessionEndRoundTrips) {
  const auto parsed =
      ParseHParamsPluginData(EncodeHParamsSessionEnd(HParamsStatus::kFailure, 99.5));
  ASSERT_THAT(parsed, Succeeds());
  ASSERT_TRUE(std::holds_alternative<HParamsSessionEnd>(*parsed));
  EXPECT_EQ(std::get<HParamsSessionEnd>(*parsed).status, HParamsStatus::kFailure);
  EXPECT_EQ(std::get<HParamsSessionEnd>(*parsed).end_time_seconds, 99.5);
}

TEST(HParams, EmptyContentIsNeither) {
  const auto parsed = ParseHParamsPluginData("");
  ASSERT_THAT(parsed, Succeeds());
  EXPECT_TRUE(std::holds_alternative<std::monostate>(*parsed));
}

TEST(HParams, LeavesOutNullAndKeepsTheLastOfEqualNames) {
  // "n" null; "x" 0 and then "x" true.
  const auto parsed = ParseHParamsPluginData(
      Golden("1a 1b 0a 07 0a 01 \"n\" 12 02 08 00 0a 07 0a 01 \"x\" 12 02 20 00 "
             "0a 07 0a 01 \"x\" 12 02 20 01"));
  ASSERT_THAT(parsed, Succeeds());
  EXPECT_THAT(std::get<HParamsSessionStart>(*parsed).hparams,
              ElementsAre(Pair("x", HParamValue(true))));
}

TEST(HParams, MalformedBytesAreDataLoss) {
  for (const char* bytes :
       {"12 05", "12 02 22 09", "12 04 22 02 2a 07", "12 06 22 04 2a 02 0a 05", "1a 02 0a 09",
        "1a 04 0a 02 12 03", "1a 05 0a 03 12 01 11", "22 01 11", "12 03 2a 01 0a"}) {
    EXPECT_THAT(ParseHParamsPluginData(Golden(bytes)), FailsWith(ErrorCode::kDataLoss)) << bytes;
  }
}

}  // namespace
}  // namespace cboard::proto
