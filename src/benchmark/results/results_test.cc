#include "cboard/benchmark/results.h"

#include <gmock/gmock.h>

#include <fstream>

#include "benchmark/results/indented_json.h"
#include "cboard/base/file.h"
#include "cboard/compression/benchmark_json.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::benchmark {
namespace {

using testing::FailsSaying;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Succeeds;

ModelBenchmark Example(std::string name = "resnet18") {
  ModelBenchmark model{.model = std::move(name), .baseline = "fp32"};
  VariantLatency fp32{.name = "fp32", .mean_ms = 2, .samples_ms = std::vector<double>(100, 2.0)};
  VariantLatency int8{.name = "int8", .mean_ms = 1, .samples_ms = std::vector<double>(100, 1.0)};
  int8.speedup = {2, 1.9, 2.1, 50};
  int8.verdict = Verdict::kFaster;
  model.variants.push_back({.name = "fp32", .sha256 = "ab", .size_bytes = 4'000'000});
  model.variants.push_back({.name = "int8", .size_bytes = 1'000'000});
  model.variants[0].latency = fp32;
  model.variants[0].scores = {{"accuracy", 0.9}, {"f1_score", 0.8}};
  model.variants[1].latency = int8;
  model.variants[1].scores = {{"accuracy", 0.85}, {"f1_score", 0.75}};
  model.variants[1].why_invalid = {"it was hot", "it was \"loud\""};
  model.fingerprint = "0123";
  model.is_complete = true;
  return model;
}

TEST(BenchmarkResults, AreTheJsonThatImportReads) {
  const ModelBenchmark model = Example();
  const auto parsed = compression::ParseBenchmarkJson(ToJson({&model, 1}), "results.json");
  ASSERT_THAT(parsed, Succeeds());
  EXPECT_TRUE(parsed->warnings.empty()) << parsed->warnings[0];
  ASSERT_EQ(parsed->models.size(), 1u);
  const compression::Variant* const int8 = parsed->models[0].Find("int8");
  ASSERT_NE(int8, nullptr);
  EXPECT_EQ(int8->metrics.at("accuracy"), 0.85);
  EXPECT_EQ(int8->metrics.at("latency_mean_ms"), 1);
  EXPECT_EQ(int8->metrics.at("latency_p90_ms"), 1);
  EXPECT_EQ(int8->metrics.at("model_size_mb"), 1);
  EXPECT_FALSE(int8->metrics.contains("latency_p99_ms"));  // 100 samples are too few.
  EXPECT_FALSE(int8->metrics.contains("energy_consumption_mw"));
  EXPECT_EQ(int8->latencies_ms.size(), 100u);
  EXPECT_EQ(compression::ToText(*compression::FindInfo(parsed->models[0].info, "int8.verdict")),
            "faster");
}

TEST(BenchmarkResults, OfOtherModelsStayInTheFile) {
  const testing::TempDir folder;
  const auto file = folder / "results/all.json";
  const ModelBenchmark first = Example("first"), second = Example("second");
  ASSERT_THAT(WriteResults(file, {&first, 1}), Succeeds());
  ASSERT_THAT(WriteResults(file, {&second, 1}), Succeeds());
  ASSERT_THAT(WriteResults(file, {&second, 1}), Succeeds());
  const auto parsed = compression::ReadBenchmarkJson(file);
  ASSERT_THAT(parsed, Succeeds());
  EXPECT_EQ(parsed->models.size(), 2u);
  EXPECT_EQ(ReadFingerprints(file).at("first"), "0123");
}

TEST(BenchmarkResults, DoNotReplaceAFileOfAnotherKind) {
  const testing::TempDir folder;
  std::ofstream(folder / "notes.txt") << "my notes";
  const ModelBenchmark model = Example();
  EXPECT_THAT(WriteResults(folder / "notes.txt", {&model, 1}),
              FailsSaying(ErrorCode::kInvalidArgument, "choose another file"));
  EXPECT_EQ(*ReadFile(folder / "notes.txt"), "my notes");
}

TEST(BenchmarkResults, OnlyCompleteBenchmarksHaveAFingerprint) {
  const testing::TempDir folder;
  ModelBenchmark model = Example();
  model.is_complete = false;
  ASSERT_THAT(WriteResults(folder / "r.json", {&model, 1}), Succeeds());
  EXPECT_TRUE(ReadFingerprints(folder / "r.json").empty());
  EXPECT_TRUE(ReadFingerprints(folder / "missing.json").empty());
}

TEST(BenchmarkResults, VariantsThatFailedAreNamedWithTheReason) {
  ModelBenchmark model = Example();
  model.variants[1] = {.name = "int8", .error = "it is damaged"};
  const std::string json = ToJson({&model, 1});
  EXPECT_THAT(json, HasSubstr("\"failed_variants\": \"int8: it is damaged\""));
  EXPECT_THAT(json, Not(HasSubstr("\"int8\": {")));
}

TEST(BenchmarkResults, AreLoggedAsARunPerModel) {
  const testing::TempDir folder;
  ASSERT_THAT(LogResults(Example(), folder / "log/results"), Succeeds());
  EXPECT_TRUE(std::filesystem::is_directory(folder / "log/results/resnet18"));
  EXPECT_TRUE(std::filesystem::is_directory(folder / "log/results_hparams/resnet18"));
  ModelBenchmark none = Example();
  for (VariantBenchmark& variant : none.variants) variant.error = "no";
  EXPECT_THAT(LogResults(none, folder / "log/none"),
              FailsSaying(ErrorCode::kFailedPrecondition, "no variant of model 'resnet18'"));
}

TEST(IndentedJson, HasALinePerMemberDownToADepth) {
  EXPECT_EQ(
      Indented(R"({"a":{"b":[1,2],"c":{"d":"x,{"}},"e":{}})", 2),
      "{\n  \"a\": {\n    \"b\": [1, 2],\n    \"c\": {\"d\": \"x,{\"}\n  },\n  \"e\": {}\n}\n");
}

}  // namespace
}  // namespace cboard::benchmark
