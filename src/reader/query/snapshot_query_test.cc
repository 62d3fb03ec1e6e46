// The queries on what the reader makes of real event files.
#include <gmock/gmock.h>

#include <map>

#include "cboard/proto/graph.h"
#include "cboard/proto/plugins.h"
#include "cboard/reader/graph_query.h"
#include "cboard/reader/histogram_query.h"
#include "cboard/reader/hparams_query.h"
#include "cboard/reader/log_reader.h"
#include "cboard/reader/media_query.h"
#include "cboard/reader/plugin_query.h"
#include "cboard/reader/read_blob.h"
#include "cboard/reader/run_query.h"
#include "cboard/reader/scalar_query.h"
#include "reader/testing/event_builder.h"
#include "reader/testing/value_builder.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::reader {
namespace {

using ::cboard::testing::EventRecord;
using ::cboard::testing::FailsSaying;
using ::cboard::testing::FailsWith;
using ::cboard::testing::OnlyValue;
using ::cboard::testing::ScalarRecord;
using ::cboard::testing::SummaryRecord;
using ::cboard::testing::TempDir;
using ::cboard::testing::WriteBytes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SnapshotQueries : public ::testing::Test {
 protected:
  void Log(std::string_view run, std::string_view records) {
    std::string& log = logs_[std::string(run)];
    log += records;
    WriteBytes(FileOf(run), log);
  }

  void LogTensor(std::string_view run, std::string_view tag, std::string_view plugin,
                 std::string_view tensor, std::int64_t step, std::string_view content = {}) {
    std::string summary;
    proto::AppendTensorValue(tag, tensor, {.plugin_name = plugin, .plugin_content = content},
                             summary);
    Log(run, SummaryRecord(summary, step));
  }

  void LogText(std::string_view run, std::string_view tag, std::string_view plugin,
               std::string_view text, std::int64_t step) {
    LogTensor(run, tag, plugin, proto::EncodeStringTensor({}, std::vector{text}), step);
  }

  void LogHParams(std::string_view run, std::string_view tag, std::string_view content) {
    std::string summary;
    proto::AppendMetadataValue(tag, {.plugin_name = "hparams", .plugin_content = content}, summary);
    Log(run, SummaryRecord(summary, 0));
  }

  std::shared_ptr<const Snapshot> Read() {
    auto snapshot = ReadLogdirs({.logdirs = {{.name = {}, .path = dir_.path()}}, .follow = false});
    EXPECT_TRUE(snapshot.has_value());
    return *snapshot;
  }

  std::filesystem::path FileOf(std::string_view run) const {
    return dir_ / std::string(run) / "events.out.tfevents.1.host";
  }

 private:
  TempDir dir_;
  std::map<std::string, std::string> logs_;
};

TEST_F(SnapshotQueries, SampleCurvesAndGroupThem) {
  std::string records;
  for (int i = 0; i < 9000; ++i) {
    records += ScalarRecord("loss", i == 4321 ? 50.0f : 1.0f, i, 100 + i);
  }
  Log("a", records);
  Log("b", ScalarRecord("loss", 3, 0, 7) + ScalarRecord("loss", 5, 8999, 9));
  const auto snapshot = Read();
  const Tag* a = snapshot->FindTag("a", "loss");
  const Tag* b = snapshot->FindTag("b", "loss");
  ASSERT_TRUE(a != nullptr && b != nullptr);
  const std::vector<const Tag*> tags = {a, b};
  const auto sampled = SampleSeries(tags, {.axis = ScalarAxis::kRelative, .max_points = 100});
  ASSERT_TRUE(sampled[0] && sampled[1]);
  EXPECT_LE(sampled[0]->xs.size(), 100u);
  EXPECT_THAT(sampled[0]->steps, ::testing::Contains(4321));
  EXPECT_EQ(sampled[0]->xs.back(), 8999);
  EXPECT_THAT(sampled[1]->xs, ElementsAre(0, 2));
  const std::vector<Curve> curves = {*ReadCurve(a->scalars, ScalarAxis::kStep, {4321, 4321}),
                                     *ReadCurve(b->scalars, ScalarAxis::kStep)};
  const auto group = GroupCurves(curves);
  EXPECT_THAT(group->xs, ElementsAre(0, 4321, 8999));
  EXPECT_THAT(group->members, ElementsAre(1, 2, 1));
  EXPECT_EQ(group->max[1], 50);
}

TEST_F(SnapshotQueries, ReadBlobsAsTheyLieInTheFile) {
  std::string summary;
  proto::AppendTensorValue("t", proto::EncodeInt64Tensor({{2}}, {{1, 2}}), {}, summary);
  Log("r", ScalarRecord("x", 1, 0) + SummaryRecord(summary, 5) + SummaryRecord(summary, 6));
  const auto snapshot = Read();
  const cboard::reader::Run& run = *snapshot->FindRun("r");
  const Tag& tag = *run.Find("t");
  ASSERT_EQ(tag.size(), 2u);
  const auto blobs = ReadBlobs(run, {tag.blobs.at(1), tag.blobs.at(0)});
  ASSERT_TRUE(blobs) << blobs.error().message;
  EXPECT_EQ((*blobs)[0].entry.step, 6);
  EXPECT_EQ((*blobs)[1].entry.step, 5);
  EXPECT_EQ((*blobs)[0].bytes, OnlyValue(summary));
  EXPECT_THAT(ReadTensor(run, tag, 1)->value.numbers, ElementsAre(1, 2));
  EXPECT_THAT(ReadTensor(run, tag, 2),
              FailsSaying(ErrorCode::kInvalidArgument, "index 2 does not exist"));

  BlobEntry wrong = tag.blobs.at(0);
  wrong.file = 7;
  EXPECT_THAT(ReadBlob(run, wrong), FailsWith(ErrorCode::kInvalidArgument));
  wrong = tag.blobs.at(0);
  wrong.value_offset = wrong.record_bytes;
  EXPECT_THAT(ReadBlob(run, wrong), FailsWith(ErrorCode::kInvalidArgument));
}

TEST_F(SnapshotQueries, NoticeThatAFileHasChangedUnderTheIndex) {
  LogText("r", "t", "text", "hello", 1);
  const auto snapshot = Read();
  const cboard::reader::Run& run = *snapshot->FindRun("r");
  const BlobEntry entry = run.Find("t")->blobs.at(0);
  ASSERT_TRUE(ReadBlob(run, entry).has_value());

  const auto whole = *ReadFile(FileOf("r"));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    WriteBytes(FileOf("r"), damaged);
    ASSERT_THAT(ReadBlob(run, entry), FailsSaying(ErrorCode::kDataLoss, "was changed"))
        << "byte " << i;
  }
  WriteBytes(FileOf("r"), std::string_view(whole).substr(0, whole.size() - 1));
  EXPECT_THAT(ReadBlob(run, entry), FailsSaying(ErrorCode::kDataLoss, "the file ends at"));
  std::filesystem::remove(FileOf("r"));
  EXPECT_THAT(ReadBlob(run, entry), FailsWith(ErrorCode::kNotFound));
}

TEST_F(SnapshotQueries, ReadHistogramsImagesAndTexts) {
  std::string summary;
  const std::vector<double> limits = {0, 1, 2}, counts = {0, 3, 4};
  proto::AppendHistogramValue("h", {0.5, 2, 7, 1, 1, limits, counts}, {}, summary);
  for (int step = 0; step < 5; ++step) Log("r", SummaryRecord(summary, step));
  summary.clear();
  proto::AppendImageValue("i", {.height = 1, .width = 2, .colorspace = 3, .encoded = "GIF89a"}, {},
                          summary);
  Log("r", SummaryRecord(summary, 3));
  LogText("r", "t", "text", "first", 1);
  LogText("r", "t", "text", "second", 2);

  const auto snapshot = Read();
  const cboard::reader::Run& run = *snapshot->FindRun("r");
  const Tag& histograms = *run.Find("h");
  const auto steps = ReadHistograms(run, histograms, SelectSteps(histograms.size(), 3));
  ASSERT_TRUE(steps) << steps.error().message;
  ASSERT_EQ(steps->size(), 3u);
  EXPECT_EQ((*steps)[1].step, 2);
  EXPECT_THAT((*steps)[1].histogram.bins,
              ElementsAre(HistogramBin{0.5, 1, 3}, HistogramBin{1, 2, 4}));
  const auto image = ReadImage(run, *run.Find("i"), 0);
  EXPECT_EQ(image->value.samples[0].bytes, "GIF89a");
  EXPECT_EQ(image->step, 3);
  const auto texts = ReadTexts(run, *run.Find("t"), {1, 0});
  ASSERT_EQ(texts->size(), 2u);
  EXPECT_THAT((*texts)[0].value.texts, ElementsAre("second"));
  EXPECT_THAT((*texts)[1].value.texts, ElementsAre("first"));
  EXPECT_THAT(
      ReadImage(run, *run.Find("t"), 0),
      FailsSaying(ErrorCode::kDataLoss, "run 'r', tag 't', step 1: the logged tensor of an image"));
}

TEST_F(SnapshotQueries, ReadWhatPluginsStore) {
  const std::vector<std::int64_t> shape = {1, 1, 3};
  const auto mesh = [&](std::string_view tag, proto::MeshContent content, std::int64_t step) {
    LogTensor(
        "r", tag, "mesh", proto::EncodeFloatTensor(shape, {{1, 2, 3}}), step,
        proto::EncodeMeshPluginData(
            {.name = "bunny", .content_type = content, .json_config = "null", .shape = shape}));
  };
  mesh("bunny_1", proto::MeshContent::kVertex, 1);
  mesh("bunny_1", proto::MeshContent::kVertex, 2);
  mesh("bunny_3", proto::MeshContent::kColor, 1);
  const std::vector<float> rows(12, 1);
  LogTensor("r", "pr", "pr_curves", proto::EncodeFloatTensor({{6, 2}}, rows), 4);
  const std::vector<proto::LayoutCategory> layout = {
      {.title = "a", .charts = {{.title = "c", .multiline_tags = {"loss"}}}}};
  LogText("r", kCustomScalarsTag, "custom_scalars", proto::EncodeLayout(layout), 0);
  LogText("s", kCustomScalarsTag, "custom_scalars", "\x12", 0);

  const auto snapshot = Read();
  const cboard::reader::Run& run = *snapshot->FindRun("r");
  const std::vector<Mesh> meshes = ListMeshes(run);
  ASSERT_EQ(meshes.size(), 1u);
  EXPECT_EQ(meshes[0].name, "bunny");
  EXPECT_EQ(meshes[0].samples(), 1);
  const auto mesh_steps = ListMeshSteps(meshes[0]);
  ASSERT_EQ(mesh_steps.size(), 3u);
  EXPECT_EQ(mesh_steps[2].step, 2);
  EXPECT_EQ(mesh_steps[0].components, 14u) << "not stored: all of them";
  EXPECT_EQ(*ReadMeshData(run, meshes[0], proto::MeshContent::kColor, 1, 0), "\1\2\3");
  EXPECT_THAT(ReadMeshData(run, meshes[0], proto::MeshContent::kFace, 1, 0),
              FailsWith(ErrorCode::kNotFound));
  const std::vector<std::size_t> first = {0};
  EXPECT_EQ(ReadPrCurves(run, *run.Find("pr"), first)->at(0).step, 4);
  std::vector<Error> errors;
  EXPECT_EQ(ReadLayouts(*snapshot, errors), layout);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_THAT(errors[0].message, ::testing::HasSubstr("run 's'"));
}

TEST_F(SnapshotQueries, ReadGraphsOfRuns) {
  proto::GraphBuilder graph;
  graph.AddNode({.name = "a/b", .op = "Op", .inputs = {}, .device = {}, .attributes = {}});
  Log("r", EventRecord(proto::EventKind::kGraphDef, graph.Encode()));
  const auto snapshot = Read();
  const cboard::reader::Run& run = *snapshot->FindRun("r");
  const Tag* tag = run.Find(kRunGraphTag);
  ASSERT_NE(tag, nullptr);
  const auto blob = ReadBlob(run, tag->blobs.back());
  ASSERT_TRUE(blob) << blob.error().message;
  EXPECT_EQ(ParseGraph(blob->bytes)->nodes.at(0).name, "a/b");
}

TEST_F(SnapshotQueries, MakeATableOfHyperparameters) {
  for (const char* run : {"t1", "t2"}) {
    LogHParams(run, "_hparams_/session_start_info",
               proto::EncodeHParamsSessionStart({{"lr", run[1] == '1' ? 0.1 : 0.2}}));
    LogHParams(run, "_hparams_/session_end_info",
               proto::EncodeHParamsSessionEnd(proto::HParamsStatus::kSuccess));
    Log(run, ScalarRecord("acc", 0.5f, 1) + ScalarRecord("acc", run[1] == '1' ? 0.75f : 0.25f, 2));
  }
  const HParamsTable table = HParamsTable::Of(Read());
  EXPECT_THAT(table.errors(), IsEmpty());
  const auto page = table.SessionGroups(
      {.columns = {{.column = MetricName{"", "acc"}, .order = SortOrder::kAscending}},
       .slice_size = 10});
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->groups.size(), 2u);
  EXPECT_EQ(page->groups[0].name, "t2");
  EXPECT_EQ(page->groups[0].metrics[0].value, 0.25);
  EXPECT_EQ(page->groups[0].metrics[0].training_step, 2);
  EXPECT_EQ(page->groups[0].sessions[0].status, proto::HParamsStatus::kSuccess);
}

TEST_F(SnapshotQueries, ListRunsAndTags) {
  Log("late", ScalarRecord("loss", 1, 0, 50));
  Log("early", ScalarRecord("loss", 1, 0, 10) + ScalarRecord("accuracy", 1, 0, 11));
  LogText("late", "note", "text", "x", 0);
  const auto snapshot = Read();
  std::vector<std::string> names;
  for (const RunPointer& run : RunsByStartTime(*snapshot)) names.push_back(run->name);
  EXPECT_THAT(names, ElementsAre("late", "early")) << "the note in 'late' is from time 1";
  EXPECT_THAT(ActivePlugins(*snapshot), ElementsAre("scalars", "text"));
  const cboard::reader::Run& early = *snapshot->FindRun("early");
  const auto scalars = TagsOfKind(early, TagKind::kScalar);
  ASSERT_EQ(scalars.size(), 2u);
  EXPECT_EQ(scalars[0]->name(), "accuracy");
  EXPECT_EQ(TagsMatching(early, TagKind::kScalar, *TextPattern::Compile("l")).size(), 1u);
  EXPECT_EQ(PluginOf(*early.Find("loss")->info), "scalars");
}

}  // namespace
}  // namespace cboard::reader
