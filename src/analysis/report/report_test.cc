#include "cboard/analysis/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report/html_writer.h"
#include "analysis/testing/log_builder.h"
#include "analysis/testing/sample_histogram.h"
#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

using ::testing::AllOf;
using testing::FailsSaying;
using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Succeeds;

std::shared_ptr<const reader::Snapshot> TwoModels() {
  LogBuilder log;
  for (const auto& [tag, value] : {std::pair("alexnet/metrics/accuracy/fp32", 0.9945),
                                   {"alexnet/metrics/accuracy/int8", 0.9945},
                                   {"alexnet/performance/model_size_mb/fp32", 217.61},
                                   {"alexnet/performance/model_size_mb/int8", 9.42},
                                   {"mobilenet/metrics/accuracy/fp32", 0.7404},
                                   {"mobilenet/metrics/accuracy/int8", 0.7300},
                                   {"mobilenet/performance/model_size_mb/fp32", 21.1},
                                   {"mobilenet/performance/model_size_mb/int8", 21.6}}) {
    log.Scalar("r", tag, value);
  }
  return log.Read();
}

std::string Written(const std::shared_ptr<const reader::Snapshot>& snapshot,
                    const ReportOptions& options = {}) {
  const Result<std::string> report = WriteReport(snapshot, options);
  EXPECT_THAT(report, Succeeds());
  return report.value_or("");
}

TEST(Report, StatesTheVerdictAndTheNumbersItRestsOn) {
  const std::string html = Written(TwoModels(), {.logdir = "runs", .made_at_seconds = 1763000000});
  EXPECT_THAT(html, HasSubstr("1 of 2 models fails by the policy “balanced”."));
  EXPECT_THAT(html, HasSubstr("1.04 pp"));
  EXPECT_THAT(html, HasSubstr("0.98×"));
  EXPECT_THAT(html, HasSubstr("23.1×"));
  EXPECT_THAT(html, HasSubstr("2025-11-13 02:13 UTC"));
  EXPECT_THAT(html, HasSubstr(" · runs · "));
}

TEST(Report, MarksDerivedMetricsAndDoesNotGateThem) {
  LogBuilder log;
  for (const auto& [variant, rate] : {std::pair("fp32", 10.0), std::pair("int8", 40.0)}) {
    const auto add = [&](std::string_view key, double value, bool derived) {
      const compression::MetricDescription metric = compression::DescribeMetric(key);
      const std::string tag =
          compression::DefaultTag({.kind = compression::CompressionTagKind::kMetric,
                                   .model = "net",
                                   .name = key,
                                   .variant = variant,
                                   .baseline = {}});
      EXPECT_THAT(log.Writer("r").AddScalar(tag, value, 0,
                                            compression::LabelsOf(metric, "net", variant, derived)),
                  Succeeds());
    };
    add("accuracy", 0.75, false);
    add("throughput", rate, false);
    add("latency_mean_ms", 14000 / rate, true);
  }
  const std::string html = Written(log.Read());
  EXPECT_THAT(html, HasSubstr("1400</span> → 350†"));
  EXPECT_THAT(html, HasSubstr("† was derived"));
  EXPECT_THAT(html, HasSubstr(">derived</span>"));  // The gate of latency.
  EXPECT_THAT(html, HasSubstr("1 measured, by throughput"));
  EXPECT_THAT(html, Not(HasSubstr("measured, by latency")));  // No model has a measured latency.
  EXPECT_THAT(html, HasSubstr("not fully checked"));          // The size is not known.
  EXPECT_THAT(html, HasSubstr("Accuracy against throughput"));
}

TEST(Report, CallsMetricsByTheirNames) {
  const std::string html = Written(TwoModels(), {.sections = {ReportSection::kGates}});
  EXPECT_THAT(html, HasSubstr(">Model size<br>ratio ≥ 3×<"));
  EXPECT_THAT(html, Not(HasSubstr("model_size_mb")));
}

TEST(Report, HasTheSameDecimalsInAllOfAColumn) {
  const std::string html = Written(TwoModels(), {.sections = {ReportSection::kModels}});
  for (const char* cell :
       {"217.61</span> → 9.42", "21.10</span> → 21.60", "74.04</span> → 73.00"}) {
    EXPECT_THAT(html, HasSubstr(cell));
  }
}

TEST(Report, PutsTheModelThatFailsFirst) {
  const std::string html = Written(TwoModels(), {.sections = {ReportSection::kGates}});
  EXPECT_LT(html.find("mobilenet"), html.find("alexnet"));
}

TEST(Report, IsOneFileThatAsksForNothingAndRunsNothing) {
  const std::string html = Written(TwoModels());
  for (const char* forbidden : {"<script", "src=", "href=", "url(", "http:", "https:", "@import"}) {
    EXPECT_THAT(html, Not(HasSubstr(forbidden)));
  }
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
}

TEST(Report, TextFromOutsideStaysText) {
  const std::string attack = "</title><img src=x onerror=alert(1)>\"'&";
  const std::string html = Written(TwoModels(), {.title = attack, .logdir = attack});
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, HasSubstr("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;"));
  EXPECT_EQ(HtmlWriter().Element("td", "<b>\xff").Take(), "<td>&lt;b&gt;\uFFFD</td>");
}

TEST(Report, HoldsTheSectionsAndModelsAskedFor) {
  const auto snapshot = TwoModels();
  const std::string gates = Written(snapshot, {.sections = {ReportSection::kGates}});
  EXPECT_THAT(gates, AllOf(HasSubstr("<h2>Gates</h2>"), Not(HasSubstr("<h2>Models</h2>"))));
  const std::string alexnet = Written(snapshot, {.models = {"alexnet"}});
  EXPECT_THAT(alexnet, AllOf(HasSubstr("alexnet"), Not(HasSubstr("mobilenet"))));
  for (const ReportSection section : AllSections()) {
    EXPECT_EQ(SectionNamed(NameOf(section)), section);
  }
  EXPECT_EQ(SectionNamed("weather"), std::nullopt);
}

TEST(Report, NamesTheWorstLayersWithTheirCause) {
  LogBuilder log;
  const std::vector<double> values = Gaussian(5'000, 1, 1);
  for (const std::string layer : {"conv1", "fc"}) {
    log.Histogram("r", "net/layers/" + layer + "/Output/fp32", values);
    log.Histogram("r", "net/layers/" + layer + "/Output/int8",
                  layer == "fc" ? Quantized(values, 0, 0.5) : Quantized(values));
    log.Scalar("r", "net/layers/" + layer + "/sqnr_db/int8", layer == "fc" ? 9.5 : 41);
  }
  log.Scalar("r", "net/metrics/accuracy/fp32", 0.7).Scalar("r", "net/metrics/accuracy/int8", 0.6);
  const std::string html = Written(log.Read());
  EXPECT_THAT(html, HasSubstr("Layers, worst first"));
  EXPECT_LT(html.find(">fc<"), html.find(">conv1<"));
  EXPECT_THAT(html, HasSubstr(">9.5<"));
}

TEST(Report, SaysWhatWasVerifiedOfTheLayers) {
  LogBuilder log;
  log.Scalar("r", "net/metrics/accuracy/fp32", 0.9).Scalar("r", "net/metrics/accuracy/int8", 0.6);
  log.Scalar("r", "net/layers/fc/sqnr_db/int8", 9.5);
  const auto snapshot = log.Read();
  EXPECT_THAT(Written(snapshot), AllOf(HasSubstr(">9.5<"), Not(HasSubstr("Restored alone"))));
  const std::string json = R"({"v":1,"samples":1,"verified_layers":["fc"],"verified":[)"
                           R"({"restored":"nothing","text":"as it is","sqnr_db":9},)"
                           R"({"restored":"parts","text":"'fc' weights in float","sqnr_db":21,)"
                           R"("parts":[{"layer":"fc","part":"weight"}]}]})";
  log.Json("r", "net/verified/runs/int8", json);
  const std::string html = Written(log.Read());
  EXPECT_THAT(html, HasSubstr("<th class=\"num\">Restored alone, dB</th>"));
  EXPECT_THAT(html, HasSubstr("This part in float brings the end from 9.0 to 21.0 dB: &#39;fc&#39; "
                              "weights.</p>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"num\">21.0</td><td class=\"num\">+12.0</td>"));
  EXPECT_THAT(html, HasSubstr("The end is the output of &#39;fc&#39;; measured on 1 sample."));
}

TEST(Report, TellsAWeightFromTheOutputOfItsLayerAndABoundFromWhatWasLogged) {
  LogBuilder log;
  log.Scalar("r", "net/metrics/accuracy/fp32", 0.9).Scalar("r", "net/metrics/accuracy/int8", 0.9);
  const std::vector<double> values = Gaussian(5'000, 1, 1);
  for (const std::string tensor : {"Output", "weight"}) {
    log.Histogram("r", "net/layers/fc/" + tensor + "/fp32", values);
    log.Histogram("r", "net/layers/fc/" + tensor + "/int8", Quantized(values));
  }
  const std::string html = Written(log.Read(), {.sections = {ReportSection::kLayers}});
  EXPECT_THAT(html, HasSubstr("<td class=\"name\">fc</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"name\">fc weight</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"num\">≤ "));
}

TEST(Report, DrawsAFrontOnlyWhereThereIsOne) {
  const ReportOptions options = {.sections = {ReportSection::kPareto}};
  EXPECT_THAT(Written(TwoModels(), options),
              AllOf(HasSubstr("<h2>Accuracy against model size</h2>"),
                    HasSubstr("; none beats alexnet."), Not(HasSubstr("class=\"front\""))));
  LogBuilder log;
  for (const auto& [tag, value] : {std::pair("large/metrics/accuracy/int8", 0.9),
                                   {"large/performance/model_size_mb/int8", 90.0},
                                   {"small/metrics/accuracy/int8", 0.7},
                                   {"small/performance/model_size_mb/int8", 9.0}}) {
    log.Scalar("r", tag, value);
  }
  EXPECT_THAT(Written(log.Read(), options),
              AllOf(HasSubstr("the line joins those that no other"), HasSubstr("class=\"front\"")));
}

TEST(Report, RanksModelsAmongThoseOfOneExperiment) {
  LogBuilder log;
  const auto add = [&](const std::string& run, const std::string& model, double accuracy,
                       double size) {
    log.Scalar(run, model + "/metrics/accuracy/int8", accuracy);
    log.Scalar(run, model + "/performance/model_size_mb/int8", size);
  };
  add("digits", "mlp", 0.99, 0.1);  // Would dominate all models if unmeasured values counted.
  add("zoo/large", "large", 0.9, 90);
  add("zoo/small", "small", 0.7, 9);
  const ReportOptions options = {.sections = {ReportSection::kPareto}};
  EXPECT_THAT(Written(log.Read(), options),
              AllOf(HasSubstr("3 of 3 models"), HasSubstr(">mlp</text>"),
                    HasSubstr(", the line joins those that no other beats; the front is of zoo "
                              "alone, since experiments may differ in data and machine.")));
  // The first one of equally large experiments is used, whichever model comes first.
  add("digits", "cnn", 0.98, 0.2);
  EXPECT_THAT(Written(log.Read(), options),
              HasSubstr("; none beats mlp; the front is of digits alone"));
}

TEST(Report, ListsWhatIsMissingByTheTagItWouldHave) {
  LogBuilder log;
  log.Scalar("r", "a/metrics/accuracy/fp32", 0.5).Scalar("r", "a/metrics/accuracy/int8", 0.5);
  log.Scalar("r", "a/performance/latency_ms/fp32", 3);
  log.Scalar("r", "b/metrics/accuracy/fp32", 0.5).Scalar("r", "b/metrics/accuracy/int8", 0.5);
  const std::string html = Written(log.Read());
  EXPECT_THAT(html, HasSubstr("<code>a/performance/latency_ms/int8</code>"));
  EXPECT_THAT(html, Not(HasSubstr("<code>b/"))) << "nobody measured the latency of b";
}

TEST(Report, TellsOfTuningWhateverPairItIsAbout) {
  LogBuilder log;
  log.Scalar("r", "a/metrics/accuracy/fp32", 0.5).Scalar("r", "a/metrics/accuracy/int8", 0.5);
  log.Scalar("eval/baseline_acc_0.776", "x", 1).Scalar("eval/tune_1_acc_0.095", "x", 1);
  const auto snapshot = log.Read();
  EXPECT_THAT(Written(snapshot, {.sections = {ReportSection::kTuning}}),
              AllOf(HasSubstr("<h2>Tuning</h2>"), HasSubstr("0.0950")));
  EXPECT_THAT(Written(snapshot, {.models = {"a"}}), Not(HasSubstr("<h2>Tuning</h2>")));
  // A report about one model compares that model's own variants.
  EXPECT_THAT(Written(snapshot, {.models = {"eval"}}),
              AllOf(HasSubstr("<h2>Tuning</h2>"), HasSubstr("● baseline")));
}

TEST(Report, OrdersLayersByTheFigureThatItShows) {
  LogBuilder log;
  log.Scalar("r", "m/metrics/accuracy/fp32", 0.5).Scalar("r", "m/metrics/accuracy/int8", 0.5);
  log.Scalar("r", "m/layers/conv1/sqnr_db/int8", 40);
  log.Scalar("r", "m/layers/conv1/worst_channel_sqnr_db/int8", 22);
  log.Scalar("r", "m/layers/fc1/sqnr_db/int8", 38);
  log.Scalar("r", "m/layers/fc1/worst_channel_sqnr_db/int8", 36);
  const std::string html = Written(log.Read(), {.sections = {ReportSection::kLayers}});
  // The worst channel of conv1 decides the level, and is shown.
  EXPECT_LT(html.find(">conv1<"), html.find(">fc1<"));
  EXPECT_THAT(html, HasSubstr("22.0 (worst channel)"));
}

TEST(Report, CallsALayerWithoutErrorExact) {
  LogBuilder log;
  log.Scalar("r", "m/metrics/accuracy/fp32", 0.5).Scalar("r", "m/metrics/accuracy/int8", 0.5);
  log.Scalar("r", "m/layers/relu/sqnr_db/int8", verdict::kLoggedExactDb);
  log.Scalar("r", "m/layers/relu/worst_channel_sqnr_db/int8", verdict::kLoggedExactDb);
  const auto contract = ParseContract("gates: [{layers: '*', metric: sqnr_db, min: 30}]");
  ASSERT_THAT(contract, Succeeds());
  const std::string html = Written(log.Read(), {.contract = *contract});
  EXPECT_THAT(html, HasSubstr("<td class=\"num\">exact</td><td class=\"num\">exact</td>"));
  EXPECT_THAT(html, HasSubstr("nearest: sqnr_db is exact"));
  EXPECT_THAT(html, AllOf(Not(HasSubstr(">200")), Not(HasSubstr("is 200"))));
}

TEST(Report, CallsALayerOfNothingButErrorLost) {
  LogBuilder log;
  log.Scalar("r", "m/metrics/accuracy/fp32", 0.5).Scalar("r", "m/metrics/accuracy/int8", 0.5);
  log.Scalar("r", "m/layers/conv1/sqnr_db/int8", -verdict::kLoggedExactDb);
  log.Scalar("r", "m/layers/conv1/worst_channel_sqnr_db/int8", -verdict::kLoggedExactDb);
  log.Scalar("r", "m/layers/conv2/sqnr_db/int8", 40);
  log.Scalar("r", "m/layers/conv2/worst_channel_sqnr_db/int8", -verdict::kLoggedExactDb);
  log.Scalar("r", "m/layers/conv3/accumulated_sqnr_db/int8", -verdict::kLoggedExactDb);
  const auto contract = ParseContract("gates: [{layers: conv1, metric: sqnr_db, min: 30}]");
  ASSERT_THAT(contract, Succeeds());
  const std::string html = Written(log.Read(), {.contract = *contract});
  EXPECT_THAT(html, HasSubstr("<td class=\"num\">lost</td><td class=\"num\">lost</td>"));
  EXPECT_THAT(html, HasSubstr("sqnr_db is lost, below the least, 30"));
  EXPECT_THAT(html, HasSubstr("the signal is lost; histograms do not show why"));
  EXPECT_THAT(html, HasSubstr("worst channel: the signal is lost"));
  EXPECT_THAT(html, HasSubstr("the signal is lost, with what the layers before it have done"));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("−200")), Not(HasSubstr("-200"))));
}

TEST(Report, SaysThatAPartHasNothing) {
  EXPECT_THAT(Written(TwoModels(), {.sections = {ReportSection::kTuning, ReportSection::kLayers}}),
              HasSubstr("Nothing was logged for layers, tuning."));
}

TEST(Report, ChecksAContractBesidesThePolicy) {
  const auto contract = ParseContract(
      R"({"gates":[{"id":"small","metric":{"name":"model_size_mb"},"absolute":{"max":10}}]})");
  ASSERT_THAT(contract, Succeeds());
  const std::string html = Written(TwoModels(), {.contract = *contract});
  EXPECT_THAT(html, HasSubstr("The contract is not kept."));
  EXPECT_THAT(html, HasSubstr("model_size_mb is 21.6, above the most, 10"));
}

TEST(Report, SaysWhyThereIsNone) {
  LogBuilder log;
  log.Scalar("train", "loss", 1);
  EXPECT_THAT(WriteReport(log.Read(), {}), FailsWith(ErrorCode::kNotFound));
  EXPECT_THAT(WriteReport(TwoModels(), {.models = {"vgg"}}),
              FailsSaying(ErrorCode::kNotFound, "unknown model 'vgg'"));
  EXPECT_THAT(WriteReport(TwoModels(), {.policy = "lax"}),
              FailsSaying(ErrorCode::kInvalidArgument, "unknown policy 'lax'"));
  EXPECT_THAT(WriteReport(TwoModels(), {.variant = "int9"}),
              FailsSaying(ErrorCode::kNotFound, "unknown variant 'int9'; the log has fp32, int8"));
  EXPECT_THAT(WriteReport(TwoModels(), {.baseline = "x"}),
              FailsSaying(ErrorCode::kNotFound, "unknown variant 'x'"));
}

}  // namespace
}  // namespace cboard::analysis
