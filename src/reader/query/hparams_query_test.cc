#include "cboard/reader/hparams_query.h"

#include <gmock/gmock.h>

#include <limits>

#include "testing/matchers.h"

namespace cboard::reader {
namespace {

using ::cboard::testing::FailsSaying;
using proto::HParamsStatus;
using proto::HParamValue;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Three trials: two seeds of one, and one that failed.
HParamsSource Trials() {
  HParamsSource source;
  const auto start = [](double lr, const char* optimizer, std::string_view group) {
    return proto::EncodeHParamsSessionStart({{"lr", lr}, {"opt", std::string(optimizer)}}, group);
  };
  const std::string success = proto::EncodeHParamsSessionEnd(HParamsStatus::kSuccess);
  source.runs = {
      {"a1", {}, start(0.1, "adam", "a"), success},
      {"a2", {}, start(0.1, "adam", "a"), success},
      {"b", {}, start(0.5, "sgd", ""), proto::EncodeHParamsSessionEnd(HParamsStatus::kFailure)}};
  source.scalar_runs = {"a1", "a1/eval", "a2", "a2/eval", "other"};
  source.scalar_tags = [](std::string_view) { return std::vector<std::string>{"loss"}; };
  source.last_point = [](std::string_view run, std::string_view tag) -> std::optional<ScalarPoint> {
    if (tag != "loss" || run.starts_with("b")) return std::nullopt;
    return ScalarPoint{run.starts_with("a1") ? 10 : 13, 100, run.starts_with("a1") ? 1.0 : 4.0};
  };
  return source;
}

std::vector<std::string> NamesOf(const SessionGroupPage& page) {
  std::vector<std::string> names;
  for (const SessionGroup& group : page.groups) names.push_back(group.name);
  return names;
}

TEST(HParamsTable, InfersColumnsFromSessionsAndTheScalarsBelowThem) {
  const HParamsColumns columns = HParamsTable(Trials()).Columns({});
  ASSERT_EQ(columns.hparams.size(), 2u);
  EXPECT_EQ(columns.hparams[0].info.name, "lr");
  EXPECT_EQ(columns.hparams[0].info.type, proto::HParamType::kFloat64);
  EXPECT_EQ(columns.hparams[0].info.domain_interval, std::pair(0.1, 0.5));
  EXPECT_TRUE(columns.hparams[0].differs);
  EXPECT_THAT(columns.hparams[1].info.domain_discrete,
              ElementsAre(HParamValue("adam"), HParamValue("sgd")));
  ASSERT_EQ(columns.experiment.metrics.size(), 2u) << "loss here and in eval; not that of 'other'";
  EXPECT_EQ(columns.experiment.metrics[1].group, "eval");
}

TEST(HParamsTable, PutsSessionsOfOneGroupIntoOneRow) {
  const auto page = HParamsTable(Trials()).SessionGroups({.slice_size = 10});
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_THAT(NamesOf(*page), ElementsAre("a", "b"));
  EXPECT_EQ(page->groups[0].sessions.size(), 2u);
  ASSERT_EQ(page->groups[0].metrics.size(), 2u);
  EXPECT_EQ(page->groups[0].metrics[0].value, 2.5);
  EXPECT_EQ(page->groups[0].metrics[0].training_step, 11) << "rounded down";
  EXPECT_THAT(page->groups[1].metrics, IsEmpty());
  EXPECT_EQ(page->groups[1].sessions[0].status, HParamsStatus::kFailure);
}

TEST(HParamsTable, TakesTheMetricsOfOneSessionWhenAskedTo) {
  SessionGroupsQuery query = {
      .aggregation = Aggregation::kMax, .aggregation_metric = {"", "loss"}, .slice_size = 1};
  EXPECT_EQ(HParamsTable(Trials()).SessionGroups(query)->groups[0].metrics[0].value, 4);
  query.aggregation = Aggregation::kMin;
  EXPECT_EQ(HParamsTable(Trials()).SessionGroups(query)->groups[0].metrics[0].value, 1);
}

TEST(HParamsTable, FiltersSortsAndSlices) {
  const HParamsTable table(Trials());
  EXPECT_THAT(NamesOf(*table.SessionGroups(
                  {.allowed_statuses = {HParamsStatus::kFailure}, .slice_size = 9})),
              ElementsAre("b"));
  SessionGroupsQuery query = {
      .columns = {{.column = std::string("lr"), .order = SortOrder::kDescending}}, .slice_size = 1};
  EXPECT_THAT(NamesOf(*table.SessionGroups(query)), ElementsAre("b"));
  EXPECT_EQ(table.SessionGroups(query)->total_size, 2u);
  query.start_index = 5;
  EXPECT_THAT(NamesOf(*table.SessionGroups(query)), IsEmpty());
  query = {.columns = {{.column = MetricName{"", "loss"}, .exclude_missing_values = true}},
           .slice_size = 9};
  EXPECT_THAT(NamesOf(*table.SessionGroups(query)), ElementsAre("a"));
  query.columns = {{.column = std::string("opt"), .filter = RegexFilter{"^s"}}};
  EXPECT_THAT(NamesOf(*table.SessionGroups(query)), ElementsAre("b"));
  query.columns = {{.column = std::string("opt"), .include_in_result = false},
                   {.column = std::string("lr")}};
  EXPECT_THAT(table.SessionGroups(query)->groups[0].hparams,
              ElementsAre(Pair("lr", HParamValue(0.1))));
}

TEST(HParamsTable, SaysWhichColumnAFilterDoesNotFit) {
  const HParamsTable table(Trials());
  SessionGroupsQuery query = {
      .columns = {{.column = std::string("lr"), .filter = RegexFilter{"1"}}}};
  EXPECT_THAT(table.SessionGroups(query), FailsSaying(ErrorCode::kInvalidArgument, "column 'lr'"));
  query.columns = {{.column = std::string("opt"), .filter = IntervalFilter{0, 1}}};
  EXPECT_THAT(table.SessionGroups(query), FailsSaying(ErrorCode::kInvalidArgument, "column 'opt'"));
  query.columns = {{.column = std::string("opt"), .filter = RegexFilter{"("}}};
  EXPECT_THAT(table.SessionGroups(query),
              FailsSaying(ErrorCode::kInvalidArgument, "not a valid regular expression"));
}

TEST(HParamsTable, TakesTheFirstExperimentOrAllOfThem) {
  HParamsSource source = Trials();
  source.runs[0].experiment = proto::EncodeHParamsExperiment(
      {.hparams = {{.name = "lr"}}, .metrics = {{.group = "", .tag = "loss"}}});
  source.runs[2].experiment =
      proto::EncodeHParamsExperiment({.hparams = {{.name = "opt"}, {.name = "lr"}}});
  const HParamsTable table(std::move(source));
  EXPECT_EQ(table.Columns({}).hparams.size(), 1u);
  EXPECT_EQ(table.Columns({.merge_experiments = true}).hparams.size(), 2u);
  EXPECT_THAT(table.Columns({.include_metrics = false}).experiment.metrics, IsEmpty());
}

TEST(HParamsTable, AddsWhatSessionsHaveThatNoExperimentDescribes) {
  HParamsSource source = Trials();
  source.runs.push_back(
      {"imported", {}, proto::EncodeHParamsSessionStart({{"model_name", std::string("net")}}), {}});
  source.runs[0].experiment = proto::EncodeHParamsExperiment(
      {.hparams = {{.name = "lr"}, {.name = "opt"}}, .metrics = {{.group = "", .tag = "loss"}}});
  source.scalar_runs.push_back("imported");
  source.scalar_tags = [](std::string_view run) {
    return std::vector<std::string>{run == "imported" ? "hparam/speedup" : "loss", "lr_now"};
  };
  const HParamsColumns columns = HParamsTable(source).Columns({.merge_experiments = true});
  std::vector<std::string> names;
  for (const HParamColumn& column : columns.hparams) names.push_back(column.info.name);
  EXPECT_THAT(names, ElementsAre("lr", "model_name", "opt"));
  names.clear();
  for (const proto::MetricInfo& metric : columns.experiment.metrics) names.push_back(metric.tag);
  EXPECT_THAT(names, ElementsAre("loss", "hparam/speedup", "lr_now"));
  EXPECT_EQ(HParamsTable(source).Columns({}).hparams.size(), 2u) << "as TensorBoard has it";
}

TEST(HParamsTable, LeavesOutWhatIsDamagedOrCannotBeShown) {
  HParamsSource source = Trials();
  source.runs[0].session_start = "\x1a\x7f";
  source.runs[1].session_start = proto::EncodeHParamsSessionEnd(HParamsStatus::kSuccess);
  source.runs[2].session_start = proto::EncodeHParamsSessionStart(
      {{"nan", std::numeric_limits<double>::quiet_NaN()}, {"ok", true}});
  const HParamsTable table(std::move(source));
  ASSERT_EQ(table.errors().size(), 2u);
  EXPECT_THAT(table.errors()[0].message, ::testing::HasSubstr("run 'a1'"));
  const auto page = table.SessionGroups({.slice_size = 9});
  ASSERT_EQ(page->groups.size(), 1u);
  EXPECT_THAT(page->groups[0].hparams, ElementsAre(Pair("ok", HParamValue(true))));
}

TEST(HParamsTable, FindsTheRunOfAMetric) {
  EXPECT_THAT(HParamsTable::RunAndTagOf("s", {"", "t"}), Pair("s", "t"));
  EXPECT_THAT(HParamsTable::RunAndTagOf("s", {"eval/", "t"}), Pair("s/eval", "t"));
  EXPECT_THAT(HParamsTable::RunAndTagOf(".", {"", "t"}), Pair(".", "t"));
}

}  // namespace
}  // namespace cboard::reader
