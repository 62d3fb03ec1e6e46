#include "cboard/compression/benchmark_import.h"

#include <gmock/gmock.h>

#include <set>

#include "compression/testing/read_back.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::compression {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::Find;
using ::cboard::testing::Logged;
using ::cboard::testing::ReadBack;
using ::cboard::testing::RunsAndTags;
using ::cboard::testing::Succeeds;
using ::cboard::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const std::filesystem::path kData = CBOARD_DATA_DIRECTORY;

constexpr const char* kAlexnet = R"({"alexnet": {
    "fp32": {"accuracy": 0.9945, "f1_score": 0.9945, "latency_mean_ms": 261.02,
             "model_size_mb": 217.61, "memory_usage_mb": 9.46, "energy_consumption_mw": 375.78},
    "int8": {"accuracy": 0.9945, "f1_score": 0.9945, "latency_mean_ms": 217.14,
             "model_size_mb": 9.42, "memory_usage_mb": 5.46, "energy_consumption_mw": 300.0},
    "model_info": {"library": "torchvision", "category": "cnn", "input_shape": [3, 224, 224]},
    "benchmark_time_seconds": 854.32}})";

std::filesystem::path Written(const TempDir& dir, std::string_view text,
                              const char* name = "results.json") {
  EXPECT_THAT(WriteFileAtomically(dir / name, text), Succeeds());
  return dir / name;
}

// Returns the content of `directory`, relative to it, including directories.
std::set<std::string> Listing(const std::filesystem::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

std::size_t CountScalars(const std::vector<Logged>& all) {
  return static_cast<std::size_t>(
      std::ranges::count(all, proto::ValueKind::kSimpleValue, &Logged::kind));
}

TEST(ImportBenchmark, WritesOneRunPerModelAndItsRowBesideThem) {
  const TempDir dir;
  const auto report =
      ImportBenchmark(Written(dir, kAlexnet), {.directory = dir / "base", .step = 5});
  ASSERT_THAT(report, Succeeds());
  EXPECT_EQ(report->directory, dir / "base");
  EXPECT_EQ(report->hparams_directory, dir / "base_hparams");
  EXPECT_THAT(report->warnings, IsEmpty());
  ASSERT_EQ(report->models.size(), 1u);
  EXPECT_EQ(report->models[0].run, dir / "base" / "alexnet");
  EXPECT_THAT(Listing(dir / "base"), ElementsAre("alexnet"));

  const auto all = ReadBack(dir / "base" / "alexnet");
  EXPECT_EQ(all.size(), report->models[0].values);
  EXPECT_THAT(
      RunsAndTags(all),
      ElementsAre(
          "alexnet/metrics/accuracy/fp32", "alexnet/metrics/accuracy/int8",
          "alexnet/metrics/f1_score/fp32", "alexnet/metrics/f1_score/int8",
          "alexnet/performance/latency_ms/fp32", "alexnet/performance/latency_ms/int8",
          "alexnet/performance/model_size_mb/fp32", "alexnet/performance/model_size_mb/int8",
          "alexnet/performance/memory_usage_mb/fp32", "alexnet/performance/memory_usage_mb/int8",
          "alexnet/compression/size_ratio", "alexnet/compression/size_reduction_pct",
          "alexnet/compression/speedup", "alexnet/compression/memory_reduction_mb",
          "alexnet/compression/accuracy_drop", "alexnet/compression/accuracy_retention_pct",
          "alexnet/performance/energy_mw/fp32", "alexnet/performance/energy_mw/int8",
          "alexnet/compression/energy_reduction_mw", "alexnet/compression/energy_ratio",
          "alexnet/compression/aurora", "alexnet/compression/aurora_mean",
          "alexnet/compression/aurora/quality", "alexnet/compression/aurora/latency",
          "alexnet/compression/aurora/energy", "alexnet/compression/aurora/memory",
          "alexnet/compression/aurora/penalty", "alexnet/metadata/input_channels",
          "alexnet/metadata/input_height", "alexnet/metadata/input_width",
          "alexnet/metadata/benchmark_time_seconds", "alexnet/metadata/info/text_summary",
          "alexnet/accuracy/fp32 alexnet/accuracy", "alexnet/accuracy/int8 alexnet/accuracy",
          "alexnet/latency/fp32 alexnet/latency", "alexnet/latency/int8 alexnet/latency",
          "alexnet/model_size/fp32 alexnet/model_size",
          "alexnet/model_size/int8 alexnet/model_size"));
  for (const Logged& logged : all) EXPECT_EQ(logged.step, 5) << logged.tag;

  const auto rows = ReadBack(dir / "base_hparams");
  EXPECT_EQ(Find(rows, "hparam/accuracy_int8", "alexnet").value, 0.9945f);
  EXPECT_EQ(Find(rows, "hparam/memory_reduction_mb", "alexnet").value, 4);
}

TEST(ImportBenchmark, TakesThePublishedFiguresInWhole) {
  struct Expected {
    const char* file;
    std::size_t models, values, skipped, warnings;
  };
  // Number of values per model (flat + groups + ratios + aurora + metadata):
  //   inc_validated_models   6 + 2 + 4 + 5 + 1  (accuracy, throughput, derived latency of two)
  //   onnx_model_zoo_int8    4 + 4 + 4 + 0 + 3, and 20 published speed-ups
  //   torchvision_quantized  6 + 4 + 4 + 0 + 6
  const Expected expected[] = {
      {"inc_validated_models.json", 136, 136 * 18, 0, 0},
      {"onnx_model_zoo_int8.json", 36, 36 * 15 + 20, 0, 0},
      {"torchvision_quantized.json", 14, 14 * 20, 0, 0},
  };
  for (const Expected& expect : expected) {
    const TempDir dir;
    const auto report = ImportBenchmark(kData / expect.file, {.directory = dir / "base"});
    ASSERT_THAT(report, Succeeds());
    std::size_t values = 0;
    for (const ImportedModel& model : report->models) values += model.values;
    EXPECT_EQ(report->models.size(), expect.models) << expect.file;
    EXPECT_EQ(values, expect.values) << expect.file;
    EXPECT_EQ(report->skipped.size(), expect.skipped) << expect.file;
    EXPECT_THAT(report->warnings, IsEmpty()) << expect.file;
    EXPECT_EQ(Listing(dir / "base").size(), expect.models) << expect.file;
    const auto all = ReadBack(dir / "base");
    EXPECT_EQ(all.size(), values) << expect.file;
    EXPECT_EQ(CountScalars(all), values - expect.models) << expect.file;  // One text per model.
  }
}

TEST(ImportBenchmark, TakesTheTablesOfRowsInWhole) {
  const TempDir dir;
  const auto report =
      ImportBenchmark(kData / "inc_validated_extra.json", {.directory = dir / "base"});
  ASSERT_THAT(report, Succeeds());
  EXPECT_EQ(report->models.size(), 21u + 23u);
  EXPECT_THAT(report->skipped, IsEmpty());
  const auto all = ReadBack(dir / "base");
  // 21 language models have a text each; 21 FP32 rows have 7 metrics and a point in the accuracy
  // group; 43 other rows have one metric more and 2 ratios. 23 models have a text and 4 metrics.
  EXPECT_EQ(all.size(), 21u + 21u * 8u + 43u * 11u + 23u * 5u);
  const auto scalar = [&](std::string_view run, std::string_view tag) {
    return Find(all, tag, run).value;
  };
  EXPECT_EQ(scalar("facebook%2Fopt-6.7b", "facebook/opt-6.7b/metrics/hellaswag/fp32"), 0.5049f);
  EXPECT_EQ(
      scalar("facebook%2Fopt-6.7b", "facebook/opt-6.7b/metrics/accuracy/GPTQ_W4G32Asym"),
      scalar("facebook%2Fopt-6.7b", "facebook/opt-6.7b/metrics/average_accuracy/GPTQ_W4G32Asym"));
  EXPECT_EQ(
      scalar("ZFNet", "ZFNet/metrics/aws_c6a_2xlarge_amd_cpu/onnx_qdq_int8_accuracy_by_hardware"),
      0.4509f);
}

TEST(ImportBenchmark, SaysWhatItSkipsAndImportsTheRest) {
  const TempDir dir;
  const auto report = ImportBenchmark(
      Written(dir, R"({"half": {"fp32": {"loss": 1}}, "bad": {"fp32": {"latency_mean_ms": 1},
                       "int8": {"latency_mean_ms": 0}}})"),
      {.directory = dir / "base"});
  ASSERT_THAT(report, Succeeds());
  ASSERT_EQ(report->skipped.size(), 1u);
  EXPECT_EQ(report->skipped[0].what, "half");
  ASSERT_EQ(report->models.size(), 1u);
  EXPECT_EQ(report->models[0].omitted[0], (Omission{"speedup", "latency_mean_ms of 'int8' is 0"}));
}

TEST(ImportBenchmark, AddsToARunThatIsThereAndSaysSo) {
  const TempDir dir;
  const std::filesystem::path json = Written(dir, kAlexnet);
  ASSERT_THAT(ImportBenchmark(json, {.directory = dir / "base"}), Succeeds());
  const auto again = ImportBenchmark(json, {.directory = dir / "base"});
  ASSERT_THAT(again, Succeeds());
  ASSERT_EQ(again->warnings.size(), 1u);
  EXPECT_THAT(again->warnings[0], HasSubstr("alexnet' had event files before"));
  EXPECT_EQ(testing::EventFilesIn(dir / "base" / "alexnet").size(), 2u);
}

TEST(ImportBenchmark, WarnsOnceWhenAllRunsAreThere) {
  const TempDir dir;
  const std::string model = R"({"fp32": {"accuracy": 1}, "int8": {"accuracy": 1}})";
  const auto json =
      Written(dir, "{\"a\": " + model + ", \"b\": " + model + ", \"c\": " + model + "}");
  ASSERT_THAT(ImportBenchmark(json, {.directory = dir / "base"}), Succeeds());
  EXPECT_THAT(ImportBenchmark(json, {.directory = dir / "base"})->warnings,
              ElementsAre(HasSubstr("a' and 2 others had event files before")));
  const auto two = Written(dir, "{\"a\": " + model + ", \"b\": " + model + "}");
  EXPECT_THAT(ImportBenchmark(two, {.directory = dir / "base"})->warnings,
              ElementsAre(HasSubstr("a' and 1 other had event files before")));
}

TEST(ImportBenchmark, SaysWhichModelsAreMissingWhenItFails) {
  const TempDir dir;
  const std::string model = R"({"fp32": {"accuracy": 1}, "int8": {"accuracy": 1}})";
  std::string text = "{\"a\": " + model;
  for (const char* name : {"b", "c", "d", "e", "f", "g", "h"}) {
    text += ", \"" + std::string(name) + "\": " + model;
  }
  std::filesystem::create_directories(dir / "base");
  ASSERT_THAT(WriteFileAtomically(dir / "base" / "b", "in the way"), Succeeds());
  EXPECT_THAT(
      ImportBenchmark(Written(dir, text + "}"), {.directory = dir / "base"}),
      FailsSaying(ErrorCode::kNotFound,
                  "1 of 8 models are whole in '" + (dir / "base").string() +
                      "'; not written, or only in part: 'b', 'c', 'd', 'e', 'f' and 2 more"));
}

TEST(ImportBenchmark, StopsBetweenModelsWhenAskedTo) {
  const TempDir dir;
  const std::string model = R"({"fp32": {"accuracy": 1}, "int8": {"accuracy": 1}})";
  int asked = 0;
  EXPECT_THAT(
      ImportBenchmark(Written(dir, "{\"a\": " + model + ", \"b\": " + model + "}"),
                      {.directory = dir / "base", .stop_requested = [&] { return ++asked == 2; }}),
      FailsSaying(ErrorCode::kUnavailable, "1 of 2 models are whole in"));
  EXPECT_THAT(Listing(dir / "base"), ElementsAre("a"));
  EXPECT_THAT(Find(ReadBack(dir / "base"), "a/compression/accuracy_drop", "a").value, 0);
}

TEST(ImportBenchmark, MakesNoPlaceForRowsThatDoNotExist) {
  const TempDir dir;
  const auto report =
      ImportBenchmark(Written(dir, R"({"a": {"fp32": {"auc": 0.5}, "int8": {"auc": 0.5}}})"),
                      {.directory = dir / "base"});
  ASSERT_THAT(report, Succeeds());
  EXPECT_EQ(report->hparams_directory, "");
  EXPECT_THAT(Listing(dir.path()), ElementsAre("base", "results.json"));
}

TEST(ImportBenchmark, WritesNothingOutsideItsDirectory) {
  const TempDir dir;
  const std::string model = R"({"fp32": {"accuracy": 1}, "int8": {"accuracy": 1},
                                "../up": {"accuracy": 1}})";
  std::string text = "{";
  for (const std::string& name :
       {std::string("../../etc"), std::string("/abs/olute"), std::string(".."), std::string(""),
        std::string("a/b"), std::string(100'000, 'x'), std::string("\xff\xfe")}) {
    text += "\"" + name + "\": " + model + ",\n";
  }
  const auto report = ImportBenchmark(Written(dir, text + "\"last\": " + model + "}"),
                                      {.directory = dir / "logs" / "base"});
  ASSERT_THAT(report, Succeeds());
  EXPECT_EQ(report->models.size(), 8u);
  EXPECT_THAT(Listing(dir.path()), ElementsAre("logs", "results.json"));
  EXPECT_THAT(Listing(dir / "logs"), ElementsAre("base", "base_hparams"));
  EXPECT_EQ(Listing(dir / "logs" / "base").size(), 8u);
  EXPECT_THAT(Listing(dir / "logs" / "base"),
              ::testing::IsSupersetOf(
                  {"%2E.%2F..%2Fetc", "%2Fabs%2Folute", "%2E.", "%", "a%2Fb", "??", "last"}));
  EXPECT_THAT(report->warnings[1], HasSubstr("model '../../etc' is in the directory"));
}

TEST(ImportBenchmark, ReportsProgress) {
  const TempDir dir;
  const std::string model = R"({"fp32": {"accuracy": 1}, "int8": {"accuracy": 1}})";
  std::vector<std::pair<std::size_t, std::size_t>> seen;
  ASSERT_THAT(
      ImportBenchmark(Written(dir, "{\"a\": " + model + ", \"b\": " + model + "}"),
                      {.directory = dir / "base",
                       .progress = [&](std::size_t done,
                                       std::size_t total) { seen.emplace_back(done, total); }}),
      Succeeds());
  EXPECT_THAT(seen, ElementsAre(Pair(0, 2), Pair(1, 2), Pair(2, 2)));
}

TEST(ImportBenchmark, CanLeaveOutRowsAndGroups) {
  const TempDir dir;
  const auto report =
      ImportBenchmark(Written(dir, kAlexnet),
                      {.directory = dir / "base", .tags = TagScheme::kFlat, .hparams = false});
  ASSERT_THAT(report, Succeeds());
  EXPECT_FALSE(std::filesystem::exists(dir / "base_hparams"));
  EXPECT_EQ(report->models[0].values, 32u);
}

TEST(ImportBenchmark, ComparesWithTheBaselineItIsTold) {
  const TempDir dir;
  const auto json =
      Written(dir, R"({"m": {"fp32": {"model_size_mb": 8}, "fp16": {"model_size_mb": 4},
                                           "int8": {"model_size_mb": 2}}})");
  ASSERT_THAT(ImportBenchmark(json, {.directory = dir / "base", .baseline = "fp16"}), Succeeds());
  const auto all = ReadBack(dir / "base");
  EXPECT_EQ(Find(all, "m/compression/size_ratio/int8", "m").value, 2);
  EXPECT_EQ(Find(all, "m/compression/size_ratio/fp32", "m").value, 0.5f);
}

TEST(ImportBenchmark, WritesManyModelsInTheOrderOfTheFile) {
  const TempDir dir;
  std::string text = "{";
  for (int i = 0; i < 200; ++i) {
    text += "\"m" + std::to_string(i) + "\": {\"fp32\": {\"accuracy\": " + std::to_string(i) +
            "}, \"int8\": {\"accuracy\": 1}}" + (i < 199 ? "," : "}");
  }
  const auto report = ImportBenchmark(
      Written(dir, text), {.directory = dir / "base", .tags = TagScheme::kFlat, .hparams = false});
  ASSERT_THAT(report, Succeeds());
  ASSERT_EQ(report->models.size(), 200u);
  for (std::size_t i = 0; i < 200; ++i) {
    const std::string name = "m" + std::to_string(i);
    EXPECT_EQ(report->models[i].model, name);
    const auto points = testing::ScalarsIn(report->models[i].run);
    EXPECT_EQ(points.size(), i == 0 ? 3u : 4u);  // An accuracy of 0 has no retention.
    EXPECT_EQ(points.at(0).tag, name + "/metrics/accuracy/fp32");
    EXPECT_EQ(points.at(0).value, static_cast<float>(i));
  }
}

TEST(ImportBenchmark, PassesOnWhatIsWrongWithFileOrDisk) {
  const TempDir dir;
  EXPECT_THAT(ImportBenchmark(Written(dir, "{\"a\": }"), {.directory = dir / "base"}),
              FailsSaying(ErrorCode::kInvalidArgument, "results.json:1:7: expected a value"));
  EXPECT_FALSE(std::filesystem::exists(dir / "base"));
  EXPECT_FALSE(ImportBenchmark(Written(dir, kAlexnet), {.directory = dir / "results.json"}));
}

}  // namespace
}  // namespace cboard::compression
