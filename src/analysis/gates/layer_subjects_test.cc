// Checks gates on layers from event files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/testing/log_builder.h"
#include "analysis/testing/sample_histogram.h"
#include "cboard/analysis/gates.h"
#include "cboard/analysis/snapshot_table.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Succeeds;

std::vector<std::string> Subjects(LogBuilder& log, std::string_view baseline = {}) {
  const auto snapshot = log.Read();
  std::vector<std::string> names;
  for (const LayerSubject& subject : LayerSubjectsOf(snapshot, TableOf(*snapshot), baseline)) {
    names.push_back(subject.name + " " + subject.variant + " by " + subject.baseline);
  }
  return names;
}

Result<ContractResult> CheckLog(LogBuilder& log, const std::string& contract) {
  const auto parsed = ParseContract(contract);
  EXPECT_THAT(parsed, Succeeds());
  const auto snapshot = log.Read();
  return CheckContract(*parsed, TableOf(*snapshot), snapshot);
}

TEST(LayerSubjects, AreVariantsOfWhichFiguresWereLogged) {
  LogBuilder log;
  log.Scalar("log", "net/layers/conv1/sqnr_db/int8", 30);
  log.Scalar("log", "net/layers/conv1/sqnr_db/int4", 12);
  log.Scalar("log", "other/layers/conv1/sqnr_db/int8", 9);
  EXPECT_THAT(Subjects(log), ElementsAre("net int4 by ", "net int8 by ", "other int8 by fp32"));
}

TEST(LayerSubjects, AreTrialsOfTuningBesideTheirBaseline) {
  LogBuilder log;
  for (const char* run : {"baseline_acc_0.776", "tune_1_acc_0.095", "tune_2_acc_0.770"}) {
    log.Histogram(run, "conv1/Output/fp32", Gaussian(1000, 1, 1));
  }
  EXPECT_THAT(Subjects(log),
              ElementsAre(HasSubstr("tune_1 by baseline"), HasSubstr("tune_2 by baseline")));
  EXPECT_THAT(Subjects(log, "tune_2"),
              ElementsAre(HasSubstr("baseline by tune_2"), HasSubstr("tune_1 by tune_2")));
}

TEST(LayerSubjects, OfTheSameModelAreToldApartByTheirRuns) {
  LogBuilder log;
  for (const char* run : {"monday", "tuesday"}) {
    log.Scalar(run, "net/layers/conv1/sqnr_db/int8", run == std::string("monday") ? 30 : 10);
    log.Histogram(run, "net/layers/conv1/weight/fp32", Gaussian(1000, 1, 1));
    log.Histogram(run, "net/layers/conv1/weight/int8", Gaussian(1000, 1, 1));
  }
  const auto result = CheckLog(log, "gates: [{layers: '*', metric: sqnr_db, min: 20}]");
  ASSERT_THAT(result, Succeeds());
  ASSERT_EQ(result->results.size(), 2u);
  EXPECT_EQ(result->results[0].model, "net (monday)");
  EXPECT_EQ(result->results[0].outcome, GateOutcome::kPass);
  EXPECT_EQ(result->results[1].model, "net (tuesday)");
  EXPECT_EQ(result->results[1].outcome, GateOutcome::kFail);
}

// Layers of two models have the same names, and only one model is damaged.
TEST(LayerSubjects, DoNotTakeLayersOfTheirNeighbours) {
  LogBuilder log;
  log.Scalar("log", "good/layers/conv1/sqnr_db/int8", 30);
  log.Scalar("log", "bad/layers/conv1/sqnr_db/int8", 3);
  log.Scalar("log", "bad/layers/conv2/sqnr_db/int8", 3);
  const auto result = CheckLog(log, R"(
gates:
  - {layers: "*", metric: sqnr_db, min: 20, tags: {model: good}}
  - {layers: "*", metric: sqnr_db, min: 20, tags: {model: bad}}
  - {layers: conv2, metric: sqnr_db, min: 1, tags: {model: good}})");
  ASSERT_THAT(result, Succeeds());
  ASSERT_EQ(result->results.size(), 3u);
  for (const GateResult& each : result->results) {
    const GateOutcome expected = each.gate == 0   ? GateOutcome::kPass
                                 : each.gate == 1 ? GateOutcome::kFail
                                                  : GateOutcome::kMissing;
    EXPECT_EQ(each.outcome, expected) << each.explanation;
  }
}

// A log as `import` and `compare --logdir` write it, in sibling directories.
TEST(LayerSubjects, AndBenchmarksOfTheSameModelAreOneForAContract) {
  LogBuilder log;
  for (const char* variant : {"fp32", "int8"}) {
    log.Scalar("benchmark", "net/metrics/accuracy/" + std::string(variant), 0.9);
    log.Scalar("benchmark", "net/metrics/f1_score/" + std::string(variant), 0.8);
    log.Scalar("compared", "net/performance/model_size_mb/" + std::string(variant), 8);
  }
  log.Scalar("compared", "net/layers/conv1/sqnr_db/int8", 30);
  const std::string contract = R"(
gates:
  - {metric: accuracy, min: 0.5}
  - {metric: model_size_mb, max: 9}
  - {layers: "*", metric: sqnr_db, min: 20})";
  const auto kept = CheckLog(log, contract);
  ASSERT_THAT(kept, Succeeds());
  EXPECT_EQ(kept->results.size(), 3u);
  EXPECT_TRUE(kept->passed());

  // Another benchmark with other values does not replace the missing accuracy.
  log.Scalar("benchmark2", "net/metrics/f1_score/fp32", 0.9);
  log.Scalar("benchmark2", "net/metrics/f1_score/int8", 0.9);
  const auto missed = CheckLog(log, contract);
  ASSERT_THAT(missed, Succeeds());
  EXPECT_EQ(missed->failures(), 1u);
  EXPECT_EQ(missed->results.size(), 4u);
}

TEST(LayerSubjects, AreMissedWhereOnlyMetricsWereLogged) {
  LogBuilder log;
  for (const char* model : {"net", "bare"}) {
    for (const char* variant : {"fp32", "int8"}) {
      log.Scalar("log", std::string(model) + "/metrics/accuracy/" + variant, 0.9);
    }
  }
  log.Scalar("log", "net/layers/conv1/sqnr_db/int8", 30);
  const auto result = CheckLog(log, R"(
gates:
  - {id: quality, metric: accuracy, min: 0.5}
  - {id: layers, layers: "*", metric: sqnr_db, min: 20})");
  ASSERT_THAT(result, Succeeds());
  std::vector<std::string> said;
  for (const GateResult& each : result->results) {
    said.push_back(each.model + " " + std::to_string(each.gate) + " " +
                   std::string(NameOf(each.outcome)));
  }
  EXPECT_THAT(said, ElementsAre("bare 0 pass", "bare 1 missing", "net 0 pass", "net 1 pass"));
  EXPECT_EQ(result->exit_code(), 1);
}

}  // namespace
}  // namespace cboard::analysis
