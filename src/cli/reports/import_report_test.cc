#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/reports/reports.h"

namespace cboard::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

compression::ModelComparison Comparison(const std::string& model) {
  compression::ModelComparison comparison;
  comparison.model = model;
  comparison.variants = {
      {"fp32", {{"accuracy", 0.75}, {"model_size_mb", 40}}, {}},
      {"int8", {{"accuracy", 0.5}, {"model_size_mb", 10}}, {}},
      {"w4a8", {{"accuracy", 0.25}, {"model_size_mb", 5}}, {}},
  };
  return comparison;
}

TEST(ImportText, HasARowPerVariantAndOnlyColumnsWithFigures) {
  compression::BenchmarkFile file;
  file.models = {Comparison("resnet")};
  compression::ImportReport report;
  report.directory = "logs";
  report.models = {{"resnet", "logs/resnet", 12, {}}};
  EXPECT_EQ(ImportText("a.json", file, report, false),
            "'a.json': 1 model, 12 values in 'logs'\n"
            "  model   variant  metrics  size ratio  accuracy drop\n"
            "  resnet  int8           2       4.00x         0.2500\n"
            "  resnet  w4a8           2       8.00x         0.5000\n");
}

TEST(ImportText, NamesWhatWasSkippedAndWhy) {
  compression::ImportReport report;
  report.skipped = {{"a\nb", "it has only one variant"}};
  report.warnings = {"NaN was read as missing"};
  EXPECT_EQ(ImportText("a.json", {}, report, false),
            "'a.json': nothing was imported\n"
            "  skipped 'a\\x0ab': it has only one variant\n"
            "  note: NaN was read as missing\n");
}

TEST(ImportText, CutsLongListsUnlessVerbose) {
  compression::BenchmarkFile file;
  compression::ImportReport report;
  for (std::size_t i = 0; i < kMaxImportRows; ++i) {
    const std::string name = "model" + std::to_string(i);
    file.models.push_back(Comparison(name));
    report.models.push_back({name, "logs", 1, {{"aurora", "no latency"}}});
    report.warnings.push_back("warning " + std::to_string(i));
  }
  const std::string brief = ImportText("a.json", file, report, false);
  EXPECT_THAT(brief, HasSubstr("… and 40 more; --verbose lists them all\n"));
  EXPECT_THAT(brief, HasSubstr("… and 35 more; --verbose lists them all\n"));
  EXPECT_THAT(brief, Not(HasSubstr("no latency")));
  const std::string whole = ImportText("a.json", file, report, true);
  EXPECT_THAT(whole, Not(HasSubstr("more;")));
  EXPECT_THAT(whole, HasSubstr("left out 'model39' aurora: no latency\n"));
}

TEST(ImportText, SaysWhyAFigureGaveNoRatioAndOnlyCountsWhatIsMissing) {
  compression::BenchmarkFile file;
  file.models = {Comparison("m")};
  compression::ImportReport report;
  report.models = {{"m",
                    "logs/m",
                    1,
                    {{"speedup", "latency_mean_ms of 'int8' is 0"},
                     {"loss", "loss of 'int8' is missing"},
                     {"aurora", "'int8': no AURORA score"}}}};
  EXPECT_THAT(
      ImportText("a.json", file, report, false),
      HasSubstr("  left out 'm' speedup: latency_mean_ms of 'int8' is 0\n"
                "  left out because metrics are missing: 2 ratios, scores and metrics; --verbose "
                "lists them\n"));
  report.models[0].omitted.pop_back();
  EXPECT_THAT(
      ImportText("a.json", file, report, false),
      HasSubstr(
          "left out because metrics are missing: 1 ratio, score or metric; --verbose names it"));
}

}  // namespace
}  // namespace cboard::cli
