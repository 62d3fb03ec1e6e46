#include "cboard/writer/summary_writer.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <set>

#include "testing/child_process.h"
#include "testing/event_files.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::writer {
namespace {

using ::testing::ElementsAre;
using testing::EventBytes;
using testing::EventFilesIn;
using testing::FailsSaying;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::HoldsInChild;
using testing::ScalarsIn;
using testing::Succeeds;
using testing::TempDir;

class FixedClock final : public Clock {
 public:
  explicit FixedClock(double seconds) : seconds_(seconds) {}
  double NowSeconds() const override { return seconds_; }

 private:
  double seconds_;
};

// The values of all summaries in `directory` itself, as views into `storage`.
struct Values {
  std::vector<std::string> storage;
  std::vector<proto::SummaryValue> values;
};

Values ValuesIn(const std::filesystem::path& directory) {
  Values found;
  for (const auto& file : EventFilesIn(directory)) {
    for (std::string& bytes : EventBytes(file)) found.storage.push_back(std::move(bytes));
  }
  for (const std::string& bytes : found.storage) {
    const auto event = proto::ParseEvent(bytes);
    if (!event || event->kind != proto::EventKind::kSummary) continue;
    EXPECT_THAT(proto::ForEachValue(
                    event->payload,
                    [&](const proto::SummaryValue& value) { found.values.push_back(value); }),
                Succeeds());
  }
  return found;
}

TEST(SummaryWriter, UsesTheStepAndTimeItIsGiven) {
  TempDir dir;
  const FixedClock clock(123.5);
  SummaryWriter writer(dir.path(), {.clock = &clock});
  ASSERT_THAT(writer.AddScalar("a", 1), Succeeds());
  ASSERT_THAT(writer.AddScalar("a", 2, 7), Succeeds());
  ASSERT_THAT(writer.AddScalar("a", 3, At(8, 99.0)), Succeeds());
  ASSERT_THAT(writer.Flush(), Succeeds());
  const auto points = ScalarsIn(dir.path());
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].step, 0);
  EXPECT_EQ(points[0].wall_time_seconds, 123.5);
  EXPECT_EQ(points[1].step, 7);
  EXPECT_EQ(points[2].step, 8);
  EXPECT_EQ(points[2].wall_time_seconds, 99.0);
}

TEST(SummaryWriter, KeepsNanAndInfinity) {
  TempDir dir;
  SummaryWriter writer(dir.path());
  ASSERT_THAT(writer.AddScalar("a", std::numeric_limits<double>::quiet_NaN()), Succeeds());
  ASSERT_THAT(writer.AddScalar("a", -std::numeric_limits<double>::infinity()), Succeeds());
  ASSERT_THAT(writer.Flush(), Succeeds());
  const auto points = ScalarsIn(dir.path());
  EXPECT_TRUE(std::isnan(points.at(0).value));
  EXPECT_EQ(points.at(1).value, -std::numeric_limits<float>::infinity());
}

TEST(SummaryWriter, LabelsTravelAsMetadata) {
  TempDir dir;
  SummaryWriter writer(dir.path());
  ASSERT_THAT(writer.AddScalar("a", 1, 1,
                               {.display_name = "Accuracy",
                                .description = "top-1",
                                .plugin_name = "compression_board",
                                .plugin_content = "{}"}),
              Succeeds());
  ASSERT_THAT(writer.Flush(), Succeeds());
  const Values found = ValuesIn(dir.path());
  const auto metadata = proto::ParseSummaryMetadata(found.values.at(0).metadata);
  ASSERT_THAT(metadata, Succeeds());
  EXPECT_EQ(metadata->display_name, "Accuracy");
  EXPECT_EQ(metadata->description, "top-1");
  EXPECT_EQ(metadata->plugin_name, "compression_board");
  EXPECT_EQ(metadata->plugin_content, "{}");
}

TEST(SummaryWriter, PutsEachKeyOfAGroupIntoARunOfItsOwn) {
  TempDir dir;
  SummaryWriter writer(dir.path());
  ASSERT_THAT(writer.AddScalars("alexnet/accuracy", {{"fp32", 0.9}, {"int8", 0.8}}, 3), Succeeds());
  ASSERT_THAT(writer.Flush(), Succeeds());
  const auto fp32 = ScalarsIn(dir / "alexnet/accuracy/fp32");
  const auto int8 = ScalarsIn(dir / "alexnet/accuracy/int8");
  ASSERT_EQ(fp32.size(), 1u);
  ASSERT_EQ(int8.size(), 1u);
  EXPECT_EQ(fp32[0].tag, "alexnet/accuracy");
  EXPECT_EQ(int8[0].value, 0.8f);
  EXPECT_EQ(fp32[0].wall_time_seconds, int8[0].wall_time_seconds);
}

TEST(SummaryWriter, NoKeyLeavesTheDirectory) {
  TempDir dir;
  SummaryWriter writer(dir / "run");
  for (const std::string& key :
       std::vector<std::string>{"../x", "a/../../x", "..", "", std::string(300, 'k')}) {
    EXPECT_THAT(writer.AddScalars("m", {{"good", 1}, {key, 1}}),
                FailsWith(ErrorCode::kInvalidArgument))
        << key;
  }
  EXPECT_FALSE(std::filesystem::exists(dir / "run/m"));  // Not even the good key of such a call.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(SummaryWriter, ExportsGroupedScalarsOnce) {
  TempDir dir;
  SummaryWriter writer(dir / "run");
  ASSERT_THAT(writer.AddScalars("loss", {{"train", 0.5}}, At(2, 10.25)), Succeeds());
  ASSERT_THAT(writer.AddScalars("loss", {{"train", std::nan("")}}, At({}, 11.0)), Succeeds());
  ASSERT_THAT(writer.ExportScalarsToJson(dir / "all.json"), Succeeds());
  EXPECT_EQ(writer.GroupedScalarsJson(), "{}");
  EXPECT_EQ(ReadFile(dir / "all.json").value(),
            "{\"" + (dir / "run/loss/train").string() + "\":[[10.25,2,0.5],[11,null,NaN]]}");
  ASSERT_THAT(writer.ExportScalarsToJson(dir / "all.json"), Succeeds());
  EXPECT_EQ(ReadFile(dir / "all.json").value(), "{}");
}

TEST(SummaryWriter, NamesADirectoryWhenNoneIsGiven) {
  TempDir dir;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  {
    SummaryWriter writer({}, {.comment = "_mine"});
    EXPECT_EQ(writer.directory().parent_path(), "runs");
    EXPECT_THAT(writer.directory().string(), HasSubstr("_mine"));
    EXPECT_THAT(writer.status(), Succeeds());
  }
  std::filesystem::current_path(before);
}

TEST(SummaryWriter, ReportsAnUnwritableDirectoryFromEveryCall) {
  SummaryWriter writer("/proc/nowhere");
  EXPECT_THAT(writer.status(), FailsSaying(ErrorCode::kNotFound, "/proc/nowhere"));
  EXPECT_FALSE(writer.AddScalar("a", 1).has_value());
  EXPECT_FALSE(writer.AddText("a", "b").has_value());
  EXPECT_THAT(writer.Flush(), Succeeds());  // Nothing was accepted, so nothing is owed.
  EXPECT_THAT(writer.Close(), Succeeds());
}

TEST(SummaryWriter, OpensANewFileWhenUsedAfterClose) {
  TempDir dir;
  SummaryWriter writer(dir.path());
  ASSERT_THAT(writer.AddScalar("a", 1), Succeeds());
  ASSERT_THAT(writer.Close(), Succeeds());
  ASSERT_THAT(writer.AddScalar("a", 2), Succeeds());
  ASSERT_THAT(writer.Close(), Succeeds());
  EXPECT_EQ(EventFilesIn(dir.path()).size(), 2u);
  EXPECT_EQ(ScalarsIn(dir.path()).size(), 2u);
}

TEST(SummaryWriter, AnnouncesARestartOnceForEachRun) {
  TempDir dir;
  const auto restarts = [](const std::filesystem::path& directory) {
    int count = 0;
    for (const auto& file : EventFilesIn(directory)) {
      for (const std::string& bytes : EventBytes(file)) {
        const auto event = proto::ParseEvent(bytes);
        count += event && event->kind == proto::EventKind::kSessionLog && event->step == 5;
      }
    }
    return count;
  };
  SummaryWriter writer(dir.path(), {.purge_step = 5});
  // A second announcement would delete the data that this session logged between the two.
  for (int session = 0; session < 2; ++session) {
    ASSERT_THAT(writer.AddScalar("a", 1, 5 + session), Succeeds());
    ASSERT_THAT(writer.AddScalars("g", {{"k", 1}}, 5 + session), Succeeds());
    ASSERT_THAT(writer.Close(), Succeeds());
  }
  EXPECT_TRUE(HoldsInChild([&] { return writer.AddScalars("g", {{"k", 1}}, 7).has_value(); }));
  EXPECT_EQ(restarts(dir.path()), 1);
  EXPECT_EQ(restarts(dir / "g/k"), 1);
}

TEST(SummaryWriter, GivesEveryEventToTheSinkAndMakesNoFile) {
  TempDir dir;
  std::vector<std::pair<std::string, proto::EventKind>> seen;
  WriterOptions options{.purge_step = 2};
  options.event_sink = [&](const std::filesystem::path& run, std::string_view bytes) {
    const auto event = proto::ParseEvent(bytes);
    seen.emplace_back(run.lexically_relative(dir.path()).string(), event->kind);
    return Result<void>();
  };
  SummaryWriter writer(dir / "run", options);
  ASSERT_THAT(writer.AddScalar("a", 1), Succeeds());
  ASSERT_THAT(writer.AddScalars("g", {{"k", 1}}), Succeeds());
  ASSERT_THAT(writer.AddHParams({{"lr", 0.1}}, {}, "trial"), Succeeds());
  ASSERT_THAT(writer.Flush(), Succeeds());
  ASSERT_THAT(writer.Close(), Succeeds());
  using K = proto::EventKind;
  const std::pair<std::string, K> trial("run/trial", K::kSummary);
  EXPECT_THAT(seen,
              ElementsAre(std::pair("run", K::kFileVersion), std::pair("run", K::kSessionLog),
                          std::pair("run", K::kSummary), std::pair("run/g/k", K::kFileVersion),
                          std::pair("run/g/k", K::kSessionLog), std::pair("run/g/k", K::kSummary),
                          std::pair("run/trial", K::kFileVersion),
                          std::pair("run/trial", K::kSessionLog), trial, trial, trial));
  EXPECT_FALSE(std::filesystem::exists(dir / "run"));
}

TEST(SummaryWriter, ReturnsTheErrorOfTheSink) {
  WriterOptions options;
  options.event_sink = [](const auto&, auto) {
    return Result<void>(Fail(ErrorCode::kUnavailable, "bucket is gone"));
  };
  SummaryWriter writer("run", options);
  EXPECT_THAT(writer.AddScalar("a", 1), FailsSaying(ErrorCode::kUnavailable, "bucket is gone"));
}

TEST(SummaryWriter, ClosedFilesTakeLittleMemory) {
  TempDir dir;
  SummaryWriter writer(dir.path());
  const auto cycle = [&] {
    for (int i = 0; i < 20'000; ++i) ASSERT_THAT(writer.AddScalar("a", i, i), Succeeds());
    ASSERT_THAT(writer.Close(), Succeeds());
  };
  for (int i = 0; i < 3; ++i) cycle();
  const std::size_t before = ::mallinfo2().uordblks;
  for (int i = 0; i < 20; ++i) cycle();
  EXPECT_LT(::mallinfo2().uordblks, before + 20 * 16'000);  // A chunk alone is 256 KiB.
}

TEST(SummaryWriter, ThousandWritersLeakNoDescriptor) {
  TempDir dir;
  const auto open_descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = open_descriptors();
  for (int i = 0; i < 1000; ++i) {
    SummaryWriter writer(dir.path());
    ASSERT_THAT(writer.AddScalar("a", i), Succeeds());
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(ScalarsIn(dir.path()).size(), 1000u);
}

TEST(SummaryWriter, AForkedChildWritesToItsParentsFiles) {
  TempDir dir;
  SummaryWriter writer(dir.path());
  ASSERT_THAT(writer.AddScalar("parent", 1), Succeeds());
  ASSERT_THAT(writer.AddScalars("g", {{"k", 1}}), Succeeds());
  EXPECT_TRUE(HoldsInChild([&] {
    return writer.AddScalar("child", 2) && writer.AddScalars("g", {{"k", 2}});  // No Close().
  }));
  ASSERT_THAT(writer.Close(), Succeeds());
  std::multiset<std::string> tags;
  for (const auto& point : ScalarsIn(dir.path())) tags.insert(point.tag);
  EXPECT_THAT(tags, ElementsAre("child", "parent"));
  EXPECT_EQ(ScalarsIn(dir / "g/k").size(), 2u);
  EXPECT_EQ(EventFilesIn(dir.path()).size(), 1u);
  EXPECT_EQ(EventFilesIn(dir / "g/k").size(), 1u);
}

TEST(SummaryWriter, AForkedChildLosesNothingOfASubRunThatItOpens) {
  TempDir dir;
  SummaryWriter writer(dir.path());
  EXPECT_TRUE(HoldsInChild([&] {
    return writer.AddScalars("g", {{"k", 1}}) && HoldsInChild([&] {
             return writer.AddScalars("g", {{"k", 2}}).has_value();
           });
  }));
  EXPECT_EQ(ScalarsIn(dir / "g/k").size(), 2u);
  EXPECT_EQ(EventFilesIn(dir / "g/k").size(), 1u);
}

TEST(SummaryWriter, AForkedChildOpensANewFileForOneThatIsClosedOrDeleted) {
  TempDir dir;
  SummaryWriter writer(dir / "run");
  ASSERT_THAT(writer.Flush(), Succeeds());
  EXPECT_TRUE(HoldsInChild([&] {
    std::filesystem::remove_all(dir / "run");
    return writer.AddScalar("deleted", 1) && writer.Close() && writer.AddScalar("closed", 1);
  }));
  EXPECT_EQ(ScalarsIn(dir / "run").size(), 2u);
  EXPECT_EQ(EventFilesIn(dir / "run").size(), 2u);
}

TEST(SummaryWriter, ParentAndChildrenThatLogAtTheSameTimeDamageNoRecord) {
  TempDir dir;
  constexpr int kChildren = 4;
  constexpr int kPoints = 20'000;
  SummaryWriter writer(dir.path());
  std::vector<pid_t> children;
  for (int child = 0; child < kChildren; ++child) {
    children.push_back(::fork());
    if (children.back() == 0) {
      bool all = true;
      for (int i = 0; i < kPoints; ++i) all = writer.AddScalar("child", i, i) && all;
      ::_exit(all ? 0 : 1);
    }
  }
  for (int i = 0; i < kPoints; ++i) ASSERT_THAT(writer.AddScalar("parent", i, i), Succeeds());
  ASSERT_THAT(writer.Flush(), Succeeds());
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(ScalarsIn(dir.path()).size(), std::size_t{kChildren + 1} * kPoints);
  EXPECT_EQ(EventFilesIn(dir.path()).size(), 1u);
}

TEST(SummaryWriter, WritesEveryKindWithItsOwnPayload) {
  TempDir dir;
  SummaryWriter writer(dir.path());
  const std::vector<float> numbers = {0, 0.25f, 0.5f, 1};
  ASSERT_THAT(writer.AddHistogram("h", numbers, 1), Succeeds());
  ASSERT_THAT(writer.AddHistogramRaw("hr", {.min = 0,
                                            .max = 1,
                                            .num = 2,
                                            .sum = 1,
                                            .sum_squares = 1,
                                            .bucket_limits = {0, 1},
                                            .bucket_counts = {1, 1}}),
              Succeeds());
  ASSERT_THAT(writer.AddImage("i", TensorView(numbers, {2, 2}), 1, "HW"), Succeeds());
  ASSERT_THAT(writer.AddImages("is", TensorView(numbers, {4, 1, 1, 1}), 1), Succeeds());
  const std::vector<float> boxes = {0, 0, 1, 1};
  ASSERT_THAT(
      writer.AddImageWithBoxes("b", TensorView(numbers, {1, 2, 2}), TensorView(boxes, {1, 4}), 1),
      Succeeds());
  const std::string rgba(2 * 2 * 4, '\x7f');
  ASSERT_THAT(
      writer.AddFigure("f", {.pixels = AsBytes(rgba), .height = 2, .width = 2, .channels = 4}),
      Succeeds());
  ASSERT_THAT(writer.AddVideo("v", TensorView(numbers, {1, 4, 1, 1, 1}), 1), Succeeds());
  ASSERT_THAT(writer.AddAudio("s", numbers, 1), Succeeds());
  ASSERT_THAT(writer.AddText("t", "**bold**", 1), Succeeds());
  ASSERT_THAT(writer.AddPrCurve("p", TensorView(numbers, {4}), TensorView(numbers, {4}), 1),
              Succeeds());
  ASSERT_THAT(writer.AddMesh("m", TensorView(std::vector<float>(12), {1, 4, 3})), Succeeds());
  ASSERT_THAT(writer.AddCustomScalarsMultilineChart({"a", "b"}), Succeeds());
  ASSERT_THAT(writer.AddCustomScalarsMarginChart({"a", "b", "c"}), Succeeds());
  ASSERT_THAT(writer.AddGraph(""), Succeeds());
  ASSERT_THAT(writer.AddRunMetadata("profile", ""), Succeeds());
  ASSERT_THAT(writer.AddHParams({{"lr", 0.1}, {"bits", 8.0}}, {{"acc", 0.9}}, "trial"), Succeeds());
  ASSERT_THAT(writer.AddEmbedding(TensorView(numbers, {2, 2}), {.metadata = {{"a"}, {"b"}}}, 7),
              Succeeds());
  ASSERT_THAT(writer.Flush(), Succeeds());

  const Values found = ValuesIn(dir.path());
  std::vector<std::pair<std::string, proto::ValueKind>> kinds;
  for (const auto& value : found.values) kinds.emplace_back(value.tag, value.kind);
  using K = proto::ValueKind;
  EXPECT_THAT(
      kinds,
      ElementsAre(std::pair("h", K::kHistogram), std::pair("hr", K::kHistogram),
                  std::pair("i", K::kImage), std::pair("is", K::kImage), std::pair("b", K::kImage),
                  std::pair("f", K::kImage), std::pair("v", K::kImage), std::pair("s", K::kAudio),
                  std::pair("t/text_summary", K::kTensor), std::pair("p", K::kTensor),
                  std::pair("m_1", K::kTensor), std::pair("custom_scalars__config__", K::kTensor),
                  std::pair("custom_scalars__config__", K::kTensor)));
  EXPECT_EQ(ValuesIn(dir / "trial").values.size(), 4u);
  EXPECT_TRUE(std::filesystem::exists(dir / "00007/default/tensors.tsv"));
  EXPECT_TRUE(std::filesystem::exists(dir / "00007/default/metadata.tsv"));
  EXPECT_TRUE(std::filesystem::exists(dir / "projector_config.pbtxt"));
}

TEST(SummaryWriter, EveryKindRefusesATagThatIsTooLong) {
  TempDir dir;
  SummaryWriter writer(dir.path());
  const std::string tag(100'000, 't');
  const std::vector<float> numbers = {0, 0.25f, 0.5f, 1};
  const TensorView square(numbers, {1, 2, 2});
  const std::string rgb(2 * 2 * 3, '\x7f');
  const auto too_long = FailsSaying(ErrorCode::kInvalidArgument, "shorten it to at most 65,536");
  EXPECT_THAT(writer.AddScalar(tag, 1), too_long);
  EXPECT_THAT(writer.AddScalar(tag, 1, 1, {.display_name = "x"}), too_long);
  EXPECT_THAT(writer.AddHistogram(tag, numbers), too_long);
  EXPECT_THAT(writer.AddImage(tag, square), too_long);
  EXPECT_THAT(writer.AddFigure(tag, {.pixels = AsBytes(rgb), .height = 2, .width = 2}), too_long);
  EXPECT_THAT(writer.AddEncodedImage(tag, {.file = "png"}), too_long);
  EXPECT_THAT(writer.AddVideo(tag, TensorView(numbers, {1, 4, 1, 1, 1})), too_long);
  EXPECT_THAT(writer.AddAudio(tag, numbers), too_long);
  EXPECT_THAT(writer.AddText(tag, "x"), too_long);
  EXPECT_THAT(writer.AddMesh(tag, TensorView(std::vector<float>(12), {1, 4, 3})), too_long);
  ASSERT_THAT(writer.Flush(), Succeeds());
  EXPECT_TRUE(ValuesIn(dir.path()).values.empty());
}

TEST(SummaryWriter, MistakesNameTheCallAndLeaveTheRunAsItWas) {
  TempDir dir;
  SummaryWriter writer(dir.path());
  const std::vector<float> empty;
  EXPECT_THAT(writer.AddHistogram("h", empty),
              FailsSaying(ErrorCode::kInvalidArgument, "histogram 'h'"));
  EXPECT_THAT(writer.AddImage("i", TensorView(empty, {3, 0, 4})),
              FailsSaying(ErrorCode::kInvalidArgument, "image 'i'"));
  EXPECT_THAT(writer.AddImage("i", TensorView(std::vector<float>(12), {3, 2, 2}), 1, "CHX"),
              FailsSaying(ErrorCode::kInvalidArgument, "CHX"));
  EXPECT_THAT(writer.AddFigure("f", {.pixels = {}, .height = 2, .width = 2}),
              FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(writer.AddCustomScalarsMarginChart({"one"}), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(writer.AddHParams({}, {}, "../outside"), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(writer.AddOnnxGraph(dir / "missing.onnx"),
              FailsSaying(ErrorCode::kNotFound, "missing.onnx"));
  EXPECT_THAT(writer.AddMesh("m", TensorView(empty, {0})).error().message,
              ::testing::Not(HasSubstr("mesh 'm': mesh 'm'")));
  EXPECT_THAT(writer.AddEmbedding(TensorView(empty, {0})).error().message,
              ::testing::StartsWith("embedding 'default': the matrix"));
  EXPECT_THAT(writer.AddHistogramRaw("r", {.bucket_limits = {1}}).error().message,
              ::testing::StartsWith("histogram 'r': there are"));
  ASSERT_THAT(writer.Flush(), Succeeds());
  EXPECT_TRUE(ValuesIn(dir.path()).values.empty());
}

}  // namespace
}  // namespace cboard::writer
