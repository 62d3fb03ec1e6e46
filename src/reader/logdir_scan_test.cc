#include "cboard/reader/logdir_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cboard/proto/tensor.h"
#include "reader/event_builder.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard {
namespace {

using testing::EventRecord;
using ::testing::HasSubstr;
using testing::ScalarRecord;
using testing::SummaryRecord;
using testing::TempDir;
using testing::WriteBytes;

RunScan ScanBytes(const std::string& bytes, const ScanOptions& options = {}) {
  TempDir dir;
  WriteBytes(dir / "events.out.tfevents.1", bytes);
  Result<LogdirScan> scan = ScanLogdir(dir.path(), options);
  EXPECT_TRUE(scan.has_value());
  EXPECT_EQ(scan->runs.size(), 1u);
  return scan->runs.front();
}

proto::SummaryMetadata ForPlugin(std::string_view name) {
  proto::SummaryMetadata metadata;
  metadata.plugin_name = name;
  return metadata;
}

std::string TensorRecord(std::string_view tag, std::string_view tensor, std::string_view plugin) {
  std::string summary;
  proto::AppendTensorValue(tag, tensor, ForPlugin(plugin), summary);
  return SummaryRecord(summary, 3);
}

TEST(ScanLogdir, CollectsScalarsAcrossTheFilesOfARun) {
  TempDir dir;
  WriteBytes(dir / "train" / "tfevents.1",
             EventRecord(proto::EventKind::kFileVersion, proto::kFileVersion) +
                 ScalarRecord("loss", 4, 10, 100.5) + ScalarRecord("loss", 2, 20, 101.5));
  WriteBytes(dir / "train" / "tfevents.2", ScalarRecord("loss", 3, 15, 102.5));
  const LogdirScan scan = ScanLogdir(dir.path(), {.keep_points = true}).value();
  const RunScan& run = scan.runs.at(0);
  EXPECT_EQ(run.name, "train");
  EXPECT_EQ(run.event_count, 4u);
  EXPECT_EQ(run.newest_wall_time_seconds, 102.5);
  const TagScan& loss = run.tags.at("loss");
  EXPECT_EQ(loss.kind, TagKind::kScalar);
  EXPECT_EQ(loss.count, 3u);
  EXPECT_EQ(loss.first_step, 10);
  EXPECT_EQ(loss.last_step, 15);
  EXPECT_EQ(loss.min_step, 10);
  EXPECT_EQ(loss.max_step, 20);
  EXPECT_EQ(loss.last_value, 3);
  ASSERT_EQ(loss.points.size(), 3u);
  EXPECT_EQ(loss.points[1].step, 20);
  EXPECT_EQ(loss.points[1].wall_time_seconds, 101.5);
  EXPECT_EQ(loss.points[1].value, 2);
}

TEST(ScanLogdir, KeepsNoPointsUnlessAsked) {
  EXPECT_TRUE(ScanBytes(ScalarRecord("loss", 1, 1)).tags.at("loss").points.empty());
}

TEST(ScanLogdir, TellsKindsByValueAndPlugin) {
  const std::string number = proto::EncodeFloatTensor({}, std::vector<float>{0.5f});
  const std::vector<std::string_view> words = {"hello"};
  const std::string text = proto::EncodeStringTensor(std::vector<std::int64_t>{1}, words);
  std::string values;
  proto::AppendHistogramValue("histogram", {}, {}, values);
  proto::AppendImageValue("image", {}, {}, values);
  proto::AppendAudioValue("audio", {}, {}, values);
  proto::AppendMetadataValue("_hparams_/experiment", ForPlugin("hparams"), values);
  const RunScan run = ScanBytes(
      SummaryRecord(values, 1) + TensorRecord("scalar", number, "scalars") +
      TensorRecord("text", text, "text") + TensorRecord("curve", number, "pr_curves") +
      TensorRecord("mesh_VERTEX", number, "mesh") +
      TensorRecord("custom_scalars__config__", text, "custom_scalars") +
      TensorRecord("other", number, "somebody's plugin") + TensorRecord("bare", number, "") +
      TensorRecord("keras", text, "graph_keras_model") +
      EventRecord(proto::EventKind::kGraphDef, "") +
      EventRecord(proto::EventKind::kTaggedRunMetadata,
                  proto::EncodeTaggedRunMetadata({.tag = "step1", .run_metadata = "x"})));
  const auto kind = [&](const char* tag) { return NameOf(run.tags.at(tag).kind); };
  EXPECT_EQ(kind("histogram"), "histogram");
  EXPECT_EQ(kind("image"), "image");
  EXPECT_EQ(kind("audio"), "audio");
  EXPECT_EQ(kind("_hparams_/experiment"), "hparams");
  EXPECT_EQ(kind("scalar"), "scalar");
  EXPECT_EQ(kind("text"), "text");
  EXPECT_EQ(kind("curve"), "pr_curve");
  EXPECT_EQ(kind("mesh_VERTEX"), "mesh");
  EXPECT_EQ(kind("custom_scalars__config__"), "custom_scalars");
  EXPECT_EQ(kind("other"), "tensor");
  EXPECT_EQ(kind("bare"), "tensor");
  EXPECT_EQ(kind("keras"), "graph");
  EXPECT_EQ(kind("__run_graph__"), "graph");
  EXPECT_EQ(kind("step1"), "run_metadata");
  EXPECT_EQ(run.tags.at("scalar").last_value, 0.5);
  EXPECT_EQ(run.damage_count, 0u);
}

TEST(ScanLogdir, TheFirstMetadataOfATagHoldsForTheRest) {
  const std::string number = proto::EncodeFloatTensor({}, std::vector<float>{0.5f});
  const RunScan run =
      ScanBytes(TensorRecord("loss", number, "scalars") + TensorRecord("loss", number, ""));
  EXPECT_EQ(run.tags.at("loss").kind, TagKind::kScalar);
  EXPECT_EQ(run.tags.at("loss").count, 2u);
}

TEST(ScanLogdir, ValuesOfAnotherKindAreCountedApart) {
  std::string histogram;
  proto::AppendHistogramValue("x", {}, {}, histogram);
  const RunScan run = ScanBytes(ScalarRecord("x", 1, 1) + SummaryRecord(histogram, 2));
  EXPECT_EQ(run.tags.at("x").kind, TagKind::kScalar);
  EXPECT_EQ(run.tags.at("x").count, 1u);
  EXPECT_EQ(run.tags.at("x").mismatched_count, 1u);
  EXPECT_EQ(run.tags.at("x").last_step, 1);
}

TEST(ScanLogdir, GoesOnBehindADamagedRecordAndSaysWhereItWas) {
  const std::string first = ScalarRecord("loss", 1, 1);
  std::string damaged = ScalarRecord("loss", 2, 2);
  damaged[20] = static_cast<char>(damaged[20] ^ 1);
  const RunScan run = ScanBytes(first + damaged + ScalarRecord("loss", 3, 3));
  EXPECT_EQ(run.tags.at("loss").count, 2u);
  EXPECT_EQ(run.tags.at("loss").last_value, 3);
  ASSERT_EQ(run.damage.size(), 1u);
  EXPECT_EQ(run.damage[0].offset, first.size());
  EXPECT_EQ(run.damage[0].bytes, damaged.size());
  EXPECT_THAT(run.damage[0].reason, HasSubstr("checksum"));
  EXPECT_EQ(run.files[0].damaged_bytes, damaged.size());
  EXPECT_EQ(run.files[0].torn_bytes, 0u);
}

TEST(ScanLogdir, ARecordThatIsNoEventIsDamageAndNotTheEnd) {
  std::string nonsense;
  AppendRecord(AsBytes("\xff\xff\xff nonsense"), nonsense);
  const RunScan run = ScanBytes(nonsense + ScalarRecord("loss", 3, 3));
  EXPECT_EQ(run.tags.at("loss").count, 1u);
  ASSERT_EQ(run.damage.size(), 1u);
  EXPECT_EQ(run.damage[0].offset, 0u);
  EXPECT_EQ(run.damage[0].bytes, nonsense.size());
  EXPECT_EQ(run.files[0].record_count, 2u);
}

TEST(ScanLogdir, AScalarWhoseTensorIsNoNumberIsDamageThatNamesTheTag) {
  const std::vector<std::string_view> words = {"hello"};
  const std::string text = proto::EncodeStringTensor(std::vector<std::int64_t>{1}, words);
  const RunScan run = ScanBytes(TensorRecord("loss", text, "scalars"));
  EXPECT_TRUE(run.tags.empty());
  ASSERT_EQ(run.damage.size(), 1u);
  EXPECT_THAT(run.damage[0].reason, HasSubstr("tag 'loss'"));
}

TEST(ScanLogdir, EveryTruncationIsATornTailOrTheEnd) {
  const std::string first = ScalarRecord("loss", 1, 1);
  const std::string whole = first + ScalarRecord("loss", 2, 2);
  for (std::size_t size = first.size(); size < whole.size(); ++size) {
    const RunScan run = ScanBytes(whole.substr(0, size));
    EXPECT_EQ(run.tags.at("loss").count, 1u) << size;
    EXPECT_EQ(run.files[0].torn_bytes, size - first.size()) << size;
    EXPECT_EQ(run.damage_count, 0u) << size;
  }
}

TEST(ScanLogdir, WallTimesThatAreNoTimeAreNotTheNewest) {
  const double infinity = std::numeric_limits<double>::infinity();
  const RunScan run = ScanBytes(ScalarRecord("x", 1, 1, 50) + ScalarRecord("x", 1, 2, infinity) +
                                ScalarRecord("x", 1, 3, std::nan("")));
  EXPECT_EQ(run.newest_wall_time_seconds, 50);
  EXPECT_EQ(run.tags.at("x").newest_wall_time_seconds, 50);
}

TEST(ScanLogdir, KeepsOnlyTheFirstReportsOfManyDamages) {
  std::string nonsense;
  for (int i = 0; i < 150; ++i) AppendRecord(AsBytes("\xff\xff\xff nonsense"), nonsense);
  const RunScan run = ScanBytes(nonsense);
  EXPECT_EQ(run.damage_count, 150u);
  EXPECT_EQ(run.damage.size(), kMaxReportedDamage);
}

TEST(ScanLogdir, TagsThatAreNotUtf8BecomeValid) {
  EXPECT_EQ(ScanBytes(ScalarRecord("a\xff", 1, 1)).tags.begin()->first, "a\uFFFD");
}

TEST(ScanLogdir, ReportsProgressThroughManySmallRuns) {
  TempDir dir;
  for (const char* run : {"a", "b", "c"}) WriteBytes(dir / run / "tfevents", "12345");
  std::vector<std::uint64_t> seen;
  ScanOptions options;
  options.on_progress = [&](std::uint64_t done_bytes, std::uint64_t total_bytes) {
    EXPECT_EQ(total_bytes, 15u);
    seen.push_back(done_bytes);
  };
  ASSERT_TRUE(ScanLogdir(dir.path(), options).has_value());
  EXPECT_THAT(seen, ::testing::ElementsAre(5, 10, 15));
}

}  // namespace
}  // namespace cboard
