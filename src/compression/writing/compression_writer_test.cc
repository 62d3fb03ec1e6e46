#include "cboard/compression/compression_writer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

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
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

// The metrics of the user guide.
const Metrics kFp32 = {
    {"accuracy", 0.9945}, {"latency_mean_ms", 261.02}, {"model_size_mb", 217.61}};
const Metrics kInt8 = {{"accuracy", 0.9945}, {"latency_mean_ms", 217.14}, {"model_size_mb", 9.42}};

CompressionOptions WithTags(TagScheme tags) { return {.tags = tags, .aurora = {}, .writer = {}}; }

TEST(CompressionWriter, LogsTheGuidesExampleUnderTheTagsOfBothSchemes) {
  const TempDir dir;
  CompressionWriter writer(dir.path());
  ASSERT_THAT(writer.LogCompressionComparison("alexnet", kFp32, kInt8), Succeeds());
  ASSERT_THAT(writer.LogCompressionRatios("alexnet", kFp32, kInt8), Succeeds());
  ASSERT_THAT(writer.Close(), Succeeds());
  EXPECT_THAT(
      RunsAndTags(ReadBack(dir.path())),
      ElementsAre(
          "alexnet/metrics/accuracy/fp32",           //
          "alexnet/metrics/accuracy/int8",           //
          "alexnet/performance/latency_ms/fp32",     //
          "alexnet/performance/latency_ms/int8",     //
          "alexnet/performance/model_size_mb/fp32",  //
          "alexnet/performance/model_size_mb/int8",  //
          "alexnet/compression/size_ratio",          //
          "alexnet/compression/size_reduction_pct",  //
          "alexnet/compression/speedup",             //
          "alexnet/compression/accuracy_drop",       //
          "alexnet/compression/accuracy_retention_pct", "alexnet/accuracy/fp32 alexnet/accuracy",
          "alexnet/accuracy/int8 alexnet/accuracy", "alexnet/latency/fp32 alexnet/latency",
          "alexnet/latency/int8 alexnet/latency", "alexnet/model_size/fp32 alexnet/model_size",
          "alexnet/model_size/int8 alexnet/model_size"));
}

TEST(CompressionWriter, LogsWhatWasMeasured) {
  const TempDir dir;
  CompressionWriter writer(dir.path());
  ASSERT_THAT(writer.LogModel(
                  {.model = "alexnet", .variants = {{"fp32", kFp32, {}}, {"int8", kInt8, {}}}}, 7),
              Succeeds());
  ASSERT_THAT(writer.Close(), Succeeds());
  const auto all = ReadBack(dir.path());
  EXPECT_EQ(Find(all, "alexnet/performance/latency_ms/int8").value, 217.14f);
  EXPECT_EQ(Find(all, "alexnet/latency", "alexnet/latency/int8").value, 217.14f);
  EXPECT_EQ(Find(all, "alexnet/compression/size_ratio").value, float(217.61 / 9.42));
  for (const Logged& logged : all) EXPECT_EQ(logged.step, 7) << logged.tag;
}

TEST(CompressionWriter, SaysInMetadataWhatEachValueIs) {
  const TempDir dir;
  CompressionWriter writer(dir.path());
  ASSERT_THAT(writer.LogCompressionComparison("alexnet", kFp32, kInt8), Succeeds());
  ASSERT_THAT(writer.LogCompressionRatios("alexnet", kFp32, kInt8), Succeeds());
  ASSERT_THAT(writer.Close(), Succeeds());
  const auto all = ReadBack(dir.path());
  const Logged latency = Find(all, "alexnet/performance/latency_ms/int8");
  EXPECT_EQ(latency.plugin_name, "compression_board");
  EXPECT_EQ(latency.plugin_content,
            R"({"v":1,"model":"alexnet","variant":"int8","metric":"latency_mean_ms",)"
            R"("unit":"ms","better":"lower"})");
  EXPECT_EQ(latency.display_name, "Latency (ms), int8");
  EXPECT_EQ(latency.description, "Latency (ms) of alexnet, variant int8. Lower is better.");
  EXPECT_EQ(Find(all, "alexnet/compression/size_ratio").plugin_content,
            R"({"v":1,"model":"alexnet","variant":"int8","baseline":"fp32","metric":"size_ratio",)"
            R"("unit":"x","better":"higher"})");
}

TEST(CompressionWriter, WritesOneSchemeWhenAsked) {
  Metrics fp32 = kFp32;
  fp32["f1_score"] = 0.5;
  const TempDir flat, groups;
  EXPECT_TRUE(CompressionWriter(flat.path(), WithTags(TagScheme::kFlat))
                  .LogCompressionComparison("m", fp32, fp32));
  EXPECT_EQ(ReadBack(flat.path()).size(), 8u);
  EXPECT_TRUE(CompressionWriter(groups.path(), WithTags(TagScheme::kGroups))
                  .LogCompressionComparison("m", fp32, fp32));
  // The guide has no group for f1_score, so it is logged as a flat tag.
  EXPECT_THAT(RunsAndTags(ReadBack(groups.path())),
              ElementsAre("m/metrics/f1_score/fp32", "m/metrics/f1_score/int8",
                          "m/accuracy/fp32 m/accuracy", "m/accuracy/int8 m/accuracy",
                          "m/latency/fp32 m/latency", "m/latency/int8 m/latency",
                          "m/model_size/fp32 m/model_size", "m/model_size/int8 m/model_size"));
}

TEST(CompressionWriter, LogsPowerWithItsRatios) {
  const TempDir dir;
  CompressionWriter writer(dir.path());
  const Metrics fp32 = {{"energy_consumption_mw", 400}};
  const Metrics int8 = {{"energy_consumption_mw", 100}};
  EXPECT_THAT(writer.LogCompressionComparison("m", fp32, int8)->tags, IsEmpty());
  EXPECT_THAT(writer.LogEnergyComparison("m", fp32, int8)->tags,
              ElementsAre("m/performance/energy_mw/fp32", "m/performance/energy_mw/int8",
                          "m/compression/energy_reduction_mw", "m/compression/energy_ratio"));
  EXPECT_THAT(writer.LogEnergyComparison("m", kFp32, kInt8)->tags, IsEmpty());
}

TEST(CompressionWriter, ComparesAnyVariantsWithAnyBaseline) {
  const TempDir dir;
  CompressionWriter writer(dir.path(), WithTags(TagScheme::kFlat));
  const ModelComparison comparison{.model = "m",
                                   .baseline = "fp16",
                                   .variants = {{"fp16", {{"model_size_mb", 8}}, {}},
                                                {"int8", {{"model_size_mb", 4}}, {}},
                                                {"w4a8", {{"model_size_mb", 2}}, {}}}};
  ASSERT_THAT(writer.LogCompressionRatios(comparison), Succeeds());
  ASSERT_THAT(writer.Close(), Succeeds());
  const auto all = ReadBack(dir.path());
  EXPECT_EQ(all.size(), 4u);
  // Plain tags are reserved for int8 against fp32, so that they have the same meaning in every log.
  EXPECT_EQ(Find(all, "m/compression/size_ratio/int8").value, 2);
  EXPECT_EQ(Find(all, "m/compression/size_ratio/w4a8").value, 4);
}

TEST(CompressionWriter, KeepsUnknownMetrics) {
  const TempDir dir;
  CompressionWriter writer(dir.path());
  EXPECT_THAT(
      writer.LogCompressionComparison("m", {{"bleu", 30}, {"a/b", 1}}, {{"bleu", 29}})->tags,
      ElementsAre("m/metrics/a%2Fb/fp32", "m/metrics/bleu/fp32", "m/metrics/bleu/int8"));
}

TEST(CompressionWriter, ReportsWhatItLeavesOut) {
  const TempDir dir;
  CompressionWriter writer(dir.path());
  const auto comparison = writer.LogCompressionComparison(
      "m", {{"loss", 1}, {"gpu_memory_usage_mb", 0}, {"a b", 1}, {"a_b", 1}},
      {{"gpu_memory_usage_mb", 0}, {"a b", 1}, {"a_b", 1}});
  ASSERT_THAT(comparison, Succeeds());
  EXPECT_THAT(comparison->omitted,
              ElementsAre(Omission{"loss", "loss of 'int8' is missing"},
                          Omission{"gpu_memory_usage_mb", "no variant used a GPU: it is 0 for all"},
                          Omission{"a_b", "it would share its tag with 'a b'"}));
  const auto ratios =
      writer.LogCompressionRatios("m", {{"accuracy", std::nan("")}}, {{"accuracy", 1}});
  ASSERT_THAT(ratios, Succeeds());
  EXPECT_THAT(ratios->tags, IsEmpty());
  EXPECT_EQ(ratios->omitted.size(), 2u);
}

TEST(CompressionWriter, RefusesComparisonsThatCannotBeToldApart) {
  const TempDir dir;
  CompressionWriter writer(dir.path());
  EXPECT_THAT(writer.LogCompressionRatios(ModelComparison{.model = "m"}),
              FailsSaying(ErrorCode::kInvalidArgument, "'m' has no variant 'fp32'"));
  EXPECT_THAT(writer.LogCompressionRatios(ModelComparison{
                  .model = "m", .variants = {{"fp32", {}, {}}, {"w 4", {}, {}}, {"w_4", {}, {}}}}),
              FailsSaying(ErrorCode::kInvalidArgument, "would get the same tag 'w_4'"));
}

TEST(CompressionWriter, LogsLatencyDistributions) {
  const TempDir dir;
  CompressionWriter writer(dir.path());
  const std::vector<double> fp32 = {1, 2, 3};
  const std::vector<double> int8 = {1, std::nan("")};
  const auto report = writer.LogLatencyDistribution("m", fp32, int8);
  ASSERT_THAT(report, Succeeds());
  EXPECT_THAT(report->tags,
              ElementsAre("m/latency_distribution/fp32", "m/latency_distribution/int8"));
  EXPECT_THAT(report->omitted,
              ElementsAre(Omission{"latency_distribution/int8", "samples that are not finite: 1"}));
  ASSERT_THAT(writer.Close(), Succeeds());
  EXPECT_EQ(Find(ReadBack(dir.path()), "m/latency_distribution/fp32").kind,
            proto::ValueKind::kHistogram);
}

TEST(CompressionWriter, OneSlowSampleDoesNotPressAllOthersIntoOneBin) {
  const TempDir dir;
  CompressionWriter writer(dir.path());
  std::vector<double> samples = {500};
  for (int i = 0; i < 400; ++i) samples.push_back(10 + 0.01 * i);
  ASSERT_THAT(writer.LogLatencyDistribution("m", samples, std::vector<double>{7, 7}), Succeeds());
  ASSERT_THAT(writer.Close(), Succeeds());
  const auto all = ReadBack(dir.path());
  const auto counts = [&](const std::string& tag) {
    return proto::ParseHistogram(Find(all, tag).payload)->bucket_counts;
  };
  const auto fp32 = counts("m/latency_distribution/fp32");
  EXPECT_GT(std::ranges::count_if(fp32, [](double count) { return count > 0; }), 150);
  EXPECT_EQ(std::accumulate(fp32.begin(), fp32.end(), 0.0), 401);
  const auto equal = counts("m/latency_distribution/int8");
  EXPECT_EQ(std::accumulate(equal.begin(), equal.end(), 0.0), 2);
}

TEST(CompressionWriter, LogsMetadataAsTextAndNumbers) {
  const TempDir dir;
  CompressionWriter writer(dir.path());
  const ModelInfo info = {{"category", "vision"},
                          {"params", 6624904.0},
                          {"input_shape", std::vector<double>{3, 224, 224}},
                          {"library", "torchvision"},
                          {"display_name", "AlexNet"}};
  EXPECT_THAT(writer.LogModelMetadata("alexnet", info)->tags,
              ElementsAre("alexnet/metadata/params", "alexnet/metadata/input_channels",
                          "alexnet/metadata/input_height", "alexnet/metadata/input_width",
                          "alexnet/metadata/info"));
  ASSERT_THAT(writer.Close(), Succeeds());
  EXPECT_EQ(Find(ReadBack(dir.path()), "alexnet/metadata/info/text_summary").text,
            "Model: alexnet\nLibrary: torchvision\nCategory: vision\nInput Shape: [3, 224, 224]\n"
            "Params: 6624904\nDisplay Name: AlexNet\n");
}

TEST(CompressionWriter, LogsAuroraWithItsFactorsAndItsTerms) {
  const TempDir dir;
  CompressionWriter writer(dir.path());
  const Metrics fp32 = {{"accuracy", 0.8}, {"latency_mean_ms", 4}, {"memory_usage_mb", 4}};
  const Metrics int8 = {{"accuracy", 0.8}, {"latency_mean_ms", 1}, {"memory_usage_mb", 4}};
  EXPECT_THAT(writer.LogAurora("m", fp32, int8)->tags,
              ElementsAre("m/compression/aurora", "m/compression/aurora_mean",
                          "m/compression/aurora/quality", "m/compression/aurora/latency",
                          "m/compression/aurora/memory", "m/compression/aurora/penalty"));
  ASSERT_THAT(writer.Close(), Succeeds());
  const auto all = ReadBack(dir.path());
  EXPECT_EQ(Find(all, "m/compression/aurora").plugin_content,
            R"({"v":1,"model":"m","variant":"int8","baseline":"fp32","metric":"aurora",)"
            R"("better":"higher","formula":"v1","weights":{"quality":0.4,"latency":0.15,)"
            R"("memory":0.1},"coverage":0.65,"penalty_factor":10,"penalty_threshold":0})");
  EXPECT_THAT(Find(all, "m/compression/aurora_mean").plugin_content,
              HasSubstr(R"("formula":"mean")"));
  float product = 1;
  for (const char* factor : {"quality", "latency", "memory", "penalty"}) {
    product *= Find(all, std::string("m/compression/aurora/") + factor).value;
  }
  EXPECT_NEAR(product, Find(all, "m/compression/aurora").value, 1e-6);
}

TEST(CompressionWriter, SaysWhyThereIsNoAurora) {
  const TempDir dir;
  CompressionWriter writer(dir.path());
  const auto report = writer.LogAurora("m", {{"accuracy", 1}}, {{"accuracy", 1}});
  ASSERT_THAT(report, Succeeds());
  EXPECT_THAT(report->tags, IsEmpty());
  ASSERT_EQ(report->omitted.size(), 1u);
  EXPECT_THAT(report->omitted[0].reason, HasSubstr("'int8': no AURORA score: the metrics"));
}

TEST(CompressionWriter, TellsAVariantCalledQualityFromTheFactor) {
  EXPECT_EQ(DefaultTag({CompressionTagKind::kRatio, "m", "aurora", "quality", "fp32"}),
            "m/compression/aurora/quality_variant");
}

TEST(CompressionWriter, WritesARowPerModelAndVariant) {
  const TempDir dir;
  CompressionWriter writer(dir.path());
  const ModelComparison comparison{
      .model = "m",
      .variants = {{"fp32", kFp32, {}}, {"int8", kInt8, {}}, {"int4", kInt8, {}}},
      .info = {{"library", "torchvision"}}};
  const CompressionConfig config{
      .weight_bits = 4, .scheme = "symmetric", .granularity = "per_channel", .pruning_ratio = 0.5};
  ASSERT_THAT(writer.LogCompressionHParams(comparison, "int8"), Succeeds());
  ASSERT_THAT(writer.LogCompressionHParams(comparison, "int4", config), Succeeds());
  EXPECT_THAT(writer.LogCompressionHParams(comparison, "w2"),
              FailsSaying(ErrorCode::kInvalidArgument, "lacks the variant 'w2'"));
  ASSERT_THAT(writer.Close(), Succeeds());
  const auto all = ReadBack(dir.path());
  EXPECT_THAT(
      RunsAndTags(all),
      ElementsAre("m _hparams_/session_start_info", "m _hparams_/session_end_info",
                  "m hparam/accuracy_fp32", "m hparam/accuracy_int8", "m hparam/accuracy_drop",
                  "m hparam/size_ratio", "m hparam/speedup", "m hparam/aurora", "m hparam/accuracy",
                  "m hparam/latency_ms", "m hparam/model_size_mb",
                  "m/int4 _hparams_/session_start_info", "m/int4 _hparams_/session_end_info",
                  "m/int4 hparam/accuracy_drop", "m/int4 hparam/size_ratio",
                  "m/int4 hparam/speedup", "m/int4 hparam/aurora", "m/int4 hparam/accuracy",
                  "m/int4 hparam/latency_ms", "m/int4 hparam/model_size_mb"));
  EXPECT_THAT(Find(all, "_hparams_/session_start_info", "m/int4").plugin_content,
              ::testing::AllOf(HasSubstr("weight_bits"), HasSubstr("per_channel"),
                               HasSubstr("pruning_ratio"), HasSubstr("torchvision")));
}

TEST(CompressionWriter, NamesAFactOnceWhenTwoWouldShareATag) {
  const TempDir dir;
  CompressionWriter writer(dir.path());
  const auto report =
      writer.LogModelMetadata("m", {{"input_shape", std::vector<double>{3, 224, 224}},
                                    {"input_channels", 3.0},
                                    {"a b", 1.0},
                                    {"a_b", 2.0}});
  ASSERT_THAT(report, Succeeds());
  EXPECT_THAT(report->omitted,
              ElementsAre(Omission{"metadata/a_b", "another fact has the same tag"}));
  ASSERT_THAT(writer.Close(), Succeeds());
  EXPECT_THAT(
      RunsAndTags(ReadBack(dir.path())),
      ElementsAre("m/metadata/input_height", "m/metadata/input_width", "m/metadata/input_channels",
                  "m/metadata/a_b", "m/metadata/info/text_summary"));
}

class Redirected : public CompressionWriter {
 public:
  using CompressionWriter::CompressionWriter;

 protected:
  std::string TagFor(const TagParts& parts) const override {
    return "candidates/" + DefaultTag(parts);
  }
};

TEST(CompressionWriter, LetsUsersOrganiseTagsInAnotherWay) {
  const TempDir dir;
  Redirected writer(dir.path());
  EXPECT_THAT(
      writer.LogCompressionComparison("m", {{"accuracy", 1}}, {{"accuracy", 1}})->tags,
      ElementsAre("candidates/m/metrics/accuracy/fp32", "candidates/m/metrics/accuracy/int8",
                  "candidates/m/accuracy", "candidates/m/accuracy"));
}

TEST(CompressionWriter, NeverLeavesItsDirectory) {
  const TempDir dir;
  std::filesystem::create_directories(dir / "logs/run");
  CompressionWriter writer(dir / "logs/run");
  for (const std::string& name :
       {std::string("../../x"), std::string("/tmp/cboard_escape"), std::string(".."),
        std::string(""), std::string("a//b"), std::string("\xff"), std::string(100'000, 'x')}) {
    const ModelComparison comparison{.model = name,
                                     .variants = {{"fp32", kFp32, {}}, {name, kInt8, {1, 2}}},
                                     .info = {{name, 1.0}}};
    EXPECT_THAT(writer.LogModel(comparison), Succeeds()) << name.substr(0, 20);
    EXPECT_THAT(writer.LogCompressionHParams(comparison, name), Succeeds());
  }
  ASSERT_THAT(writer.Close(), Succeeds());
  std::size_t entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path())) {
    ++entries;
    EXPECT_EQ(entry.path().filename(), "logs");
  }
  for (const auto& entry : std::filesystem::directory_iterator(dir / "logs")) {
    ++entries;
    EXPECT_EQ(entry.path().filename(), "run");
  }
  EXPECT_EQ(entries, 2u);
  EXPECT_FALSE(std::filesystem::exists("/tmp/cboard_escape"));
}

TEST(CompressionWriter, ReportsADirectoryThatCannotBeWritten) {
  const TempDir dir;
  ASSERT_THAT(WriteFileAtomically(dir / "file", "x"), Succeeds());
  CompressionWriter writer(dir / "file");
  EXPECT_FALSE(writer.LogCompressionRatios("m", kFp32, kInt8).has_value());
}

}  // namespace
}  // namespace cboard::compression
