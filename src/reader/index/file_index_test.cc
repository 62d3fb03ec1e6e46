#include "reader/index/file_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <thread>

#include "cboard/proto/tensor.h"
#include "reader/testing/event_builder.h"
#include "reader/testing/index_testing.h"

namespace cboard::reader {
namespace {

using ::cboard::testing::EventRecord;
using ::cboard::testing::ScalarRecord;
using ::cboard::testing::SummaryRecord;
using proto::EventKind;
using proto::SummaryMetadata;
using testing::ContentsOf;
using testing::FileContents;
using testing::MemoryFile;
using testing::ReadWhole;
using namespace std::string_literals;       // NOLINT: for ""s with zero bytes.
using namespace std::string_view_literals;  // NOLINT

std::string Version(std::string_view version = proto::kFileVersion) {
  return EventRecord(EventKind::kFileVersion, version);
}

std::string TensorRecord(std::string_view tag, std::string_view tensor, std::int64_t step,
                         const SummaryMetadata& metadata) {
  std::string summary;
  proto::AppendTensorValue(tag, tensor, metadata, summary);
  return SummaryRecord(summary, step);
}

const SeriesView& SeriesOf(const FileView& view, std::string_view name) {
  for (const SeriesView& series : view.series) {
    if (series.info->name == name) return series;
  }
  ADD_FAILURE() << "no tag " << name;
  static const SeriesView kNone{.info = std::make_shared<TagInfo>()};
  return kNone;
}

std::vector<double> ValuesOf(const SeriesView& series) {
  std::vector<double> values;
  for (const ScalarColumnView& column : series.scalars) {
    for (std::size_t i = 0; i < column.size(); ++i) values.push_back(column.at(i).value);
  }
  return values;
}

TEST(FileIndex, ReadsTheGoldenFile) {
  const std::string version =
      "\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22"
      "\x09\0\0\0\0\0\0\xf0\x3f\x1a\x0d"
      "brain.Event:2"
      "\x86\xbf\x57\x7a"s;
  const std::string scalar =
      "\x17\0\0\0\0\0\0\0\xe7\xce\xf8\x1e"
      "\x09\0\0\0\0\0\0\xf0\x3f\x10\x05\x2a\x0a\x0a\x08\x0a\x01"
      "a\x15\0\0\xc0\x3f"
      "\x95\x1d\x70\xd2"s;
  const auto view = ReadWhole(version + scalar);
  ASSERT_EQ(view->series.size(), 1u);
  EXPECT_EQ(view->series[0].info->name, "a");
  EXPECT_EQ(view->series[0].info->kind, TagKind::kScalar);
  ASSERT_EQ(view->series[0].scalars.size(), 1u);
  EXPECT_EQ(view->series[0].scalars[0].at(0), (ScalarPoint{5, 1.0, 1.5}));
  EXPECT_EQ(view->event_count, 2u);
  EXPECT_EQ(view->read_bytes, version.size() + scalar.size());
  EXPECT_EQ(view->first_wall_time_seconds, 1.0);
}

TEST(FileIndex, AnEmptyFileHoldsNothing) {
  const auto view = ReadWhole("");
  EXPECT_TRUE(view->series.empty());
  EXPECT_EQ(view->event_count, 0u);
  EXPECT_FALSE(view->file.error.has_value());
}

TEST(FileIndex, TheFirstMetadataOfATagHolds) {
  std::string summary;
  proto::AppendScalarValue("a", 1,
                           {.plugin_name = "p",
                            .plugin_content = "c\0d"sv,
                            .display_name = "first",
                            .description = "text"},
                           summary);
  std::string later;
  proto::AppendScalarValue("a", 2, {.plugin_name = "q", .display_name = "second"}, later);
  const auto view = ReadWhole(Version() + SummaryRecord(summary, 1) + SummaryRecord(later, 2));
  ASSERT_EQ(view->series.size(), 1u);
  EXPECT_EQ(*view->series[0].info, (TagInfo{"a", TagKind::kScalar, "p", "c\0d"s, "first", "text"}));
  EXPECT_EQ(ValuesOf(view->series[0]), (std::vector<double>{1, 2}));
}

TEST(FileIndex, ScalarsMayBeTensorsOfAnyNumbers) {
  const SummaryMetadata scalars{.plugin_name = "scalars"};
  const double exact = 0.1;
  const float single = 0.1f;
  const std::int64_t large = (std::int64_t{1} << 53) - 1;
  const auto view = ReadWhole(
      Version() + TensorRecord("t", proto::EncodeDoubleTensor({}, {&exact, 1}), 1, scalars) +
      TensorRecord("t", proto::EncodeFloatTensor({}, {&single, 1}), 2, scalars) +
      TensorRecord("t", proto::EncodeInt64Tensor({}, {&large, 1}), 3, scalars) +
      TensorRecord("t", proto::EncodeRawTensor(proto::DataType::kHalf, {}, "\x00\x3c"s), 4, {}));
  EXPECT_EQ(ValuesOf(SeriesOf(*view, "t")),
            (std::vector<double>{0.1, double{0.1f}, static_cast<double>(large), 1.0}));
  EXPECT_EQ(view->damage_count, 0u);
}

TEST(FileIndex, ADataClassMakesAScalarOfAnyPluginsTensor) {
  const float value = 4;
  const auto view = ReadWhole(
      Version() + TensorRecord("t", proto::EncodeFloatTensor({}, {&value, 1}), 1,
                               {.plugin_name = "mine", .data_class = proto::DataClass::kScalar}));
  EXPECT_EQ(ValuesOf(SeriesOf(*view, "t")), std::vector<double>{4});
  EXPECT_EQ(SeriesOf(*view, "t").info->data_class, proto::DataClass::kScalar);
}

TEST(FileIndex, AScalarThatIsNoNumberIsReportedAndTheValuesBesideItAreUsed) {
  const std::string_view text = "no number";
  std::string summary;
  proto::AppendTensorValue("bad", proto::EncodeStringTensor({}, {&text, 1}),
                           {.plugin_name = "scalars"}, summary);
  proto::AppendScalarValue("good", 1, {}, summary);
  const auto view = ReadWhole(Version() + SummaryRecord(summary, 1));
  ASSERT_EQ(view->damage.size(), 1u);
  EXPECT_EQ(view->damage[0].offset, Version().size());
  EXPECT_THAT(view->damage[0].reason, ::testing::HasSubstr("tag 'bad'"));
  EXPECT_EQ(ValuesOf(SeriesOf(*view, "good")), std::vector<double>{1});
  EXPECT_EQ(view->series.size(), 1u);
}

TEST(FileIndex, ValuesOfAnotherKindAreCountedNotKept) {
  std::string histogram;
  proto::AppendHistogramValue("a", {}, {}, histogram);
  const auto view = ReadWhole(Version() + ScalarRecord("a", 1, 1) + SummaryRecord(histogram, 2) +
                              ScalarRecord("a", 3, 3));
  ASSERT_EQ(view->series.size(), 1u);
  EXPECT_EQ(ValuesOf(view->series[0]), (std::vector<double>{1, 3}));
  EXPECT_EQ(view->series[0].mismatched_count, 1u);
  EXPECT_EQ(view->series[0].last_step, 3);
}

TEST(FileIndex, BlobsPointToTheValueInTheRecord) {
  std::string summary;
  proto::AppendScalarValue("s", 1, {}, summary);
  proto::AppendImageValue("i", {.height = 1, .width = 2, .colorspace = 3, .encoded = "PNG"}, {},
                          summary);
  const std::string file = Version() + SummaryRecord(summary, 7, 2.5);
  const auto view = ReadWhole(file);
  const SeriesView& image = SeriesOf(*view, "i");
  EXPECT_EQ(image.info->kind, TagKind::kImage);
  ASSERT_EQ(image.blobs.size(), 1u);
  const BlobEntry entry = image.blobs[0].at(0);
  EXPECT_EQ(entry.step, 7);
  EXPECT_EQ(entry.wall_time_seconds, 2.5);
  EXPECT_EQ(entry.record_offset, Version().size());
  EXPECT_EQ(entry.record_offset + entry.record_bytes + record::kRecordOverheadBytes, file.size());
  const std::string value = file.substr(
      entry.record_offset + record::kRecordHeaderBytes + entry.value_offset, entry.value_bytes);
  std::string as_summary = "\x0a"s + static_cast<char>(value.size()) + value;
  int count = 0;
  ASSERT_TRUE(proto::ForEachValue(as_summary, [&](const proto::SummaryValue& read) {
                ++count;
                EXPECT_EQ(read.tag, "i");
                EXPECT_EQ(read.kind, proto::ValueKind::kImage);
              }).has_value());
  EXPECT_EQ(count, 1);
}

TEST(FileIndex, GraphsAndRunMetadataAreBlobsOfTheirOwn) {
  const std::string metadata =
      proto::EncodeTaggedRunMetadata({.tag = "step1", .run_metadata = "RUN"});
  const std::string file = Version() + EventRecord(EventKind::kGraphDef, "GRAPH") +
                           EventRecord(EventKind::kMetaGraphDef, "META") +
                           EventRecord(EventKind::kTaggedRunMetadata, metadata);
  const auto view = ReadWhole(file);
  const auto bytes_of = [&](std::string_view tag) {
    const BlobEntry entry = SeriesOf(*view, tag).blobs[0].at(0);
    return file.substr(entry.record_offset + record::kRecordHeaderBytes + entry.value_offset,
                       entry.value_bytes);
  };
  EXPECT_EQ(bytes_of(kRunGraphTag), "GRAPH");
  EXPECT_EQ(bytes_of(kMetaGraphTag), "META");
  EXPECT_EQ(bytes_of("step1"), "RUN");
  EXPECT_EQ(SeriesOf(*view, "step1").info->kind, TagKind::kRunMetadata);
}

TEST(FileIndex, ATagThatNamesAScalarAndRunMetadataBelongsToTheFirst) {
  const std::string metadata =
      EventRecord(EventKind::kTaggedRunMetadata,
                  proto::EncodeTaggedRunMetadata({.tag = "x", .run_metadata = "R"}));
  const auto scalar_first = ReadWhole(Version() + ScalarRecord("x", 1, 1) + metadata);
  ASSERT_EQ(scalar_first->series.size(), 1u);
  EXPECT_EQ(scalar_first->series[0].info->kind, TagKind::kScalar);
  EXPECT_EQ(scalar_first->series[0].mismatched_count, 1u);
  const auto scalar_last = ReadWhole(Version() + metadata + ScalarRecord("x", 1, 1));
  ASSERT_EQ(scalar_last->series.size(), 1u);
  EXPECT_EQ(scalar_last->series[0].info->kind, TagKind::kRunMetadata);
  EXPECT_EQ(scalar_last->series[0].mismatched_count, 1u);
}

TEST(FileIndex, TagsAreValidUtf8AndTheSameTagInEitherSpelling) {
  // The encoder would repair the tag, so it is broken behind its back.
  std::string summary;
  proto::AppendScalarValue("a?b", 1, {}, summary);
  summary.replace(summary.find('?'), 1, "\xff");
  std::string valid;
  proto::AppendScalarValue(
      "a\uFFFD"
      "b",
      2, {}, valid);
  const auto view = ReadWhole(Version() + SummaryRecord(summary, 1) + SummaryRecord(valid, 2) +
                              SummaryRecord(summary, 3));
  ASSERT_EQ(view->series.size(), 1u);
  EXPECT_EQ(view->series[0].info->name,
            "a\uFFFD"
            "b");
  EXPECT_EQ(ValuesOf(view->series[0]), (std::vector<double>{1, 2, 1}));
}

TEST(FileIndex, WallTimesThatAreNoNumbersAreKeptButAreNotTheNewest) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto view =
      ReadWhole(Version() + ScalarRecord("a", 1, 1, 5) + ScalarRecord("a", 1, 2, nan) +
                ScalarRecord("a", 1, 3, infinity) + ScalarRecord("a", 1, 4, -infinity));
  ASSERT_EQ(view->series[0].scalars[0].size(), 4u);
  EXPECT_TRUE(std::isnan(view->series[0].scalars[0].at(1).wall_time_seconds));
  EXPECT_EQ(view->series[0].scalars[0].at(2).wall_time_seconds, infinity);
  EXPECT_EQ(view->newest_wall_time_seconds, 5);
  EXPECT_EQ(view->first_wall_time_seconds, 1);
}

TEST(FileIndex, ASessionStartRemembersThePointsBeforeIt) {
  const std::string start = EventRecord(
      EventKind::kSessionLog, proto::EncodeSessionLog({.status = proto::SessionStatus::kStart}));
  const auto view = ReadWhole(Version() + ScalarRecord("a", 1, 1) + ScalarRecord("a", 1, 2) +
                              start + ScalarRecord("b", 1, 1) + start);
  ASSERT_EQ(view->restarts.size(), 2u);
  EXPECT_TRUE(view->restarts[0].is_session_start);
  EXPECT_EQ(view->restarts[0].counts, (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(view->restarts[1].counts, (std::vector<std::uint64_t>{2, 1}));
}

TEST(FileIndex, InOldFilesAStepThatGoesBackIsARestartOfItsTag) {
  const std::string events = ScalarRecord("a", 1, 1) + ScalarRecord("b", 1, 5) +
                             ScalarRecord("b", 2, 3) + ScalarRecord("a", 2, 3);
  const auto old = ReadWhole(Version("brain.Event:1") + events);
  ASSERT_EQ(old->restarts.size(), 1u);  // "a" had nothing to be made void.
  EXPECT_EQ(old->restarts[0].step, 3);
  EXPECT_FALSE(old->restarts[0].is_session_start);
  EXPECT_EQ(old->series[old->restarts[0].series].info->name, "b");
  EXPECT_EQ(old->restarts[0].counts.at(old->restarts[0].series), 1u);
  EXPECT_TRUE(ReadWhole(Version() + events)->restarts.empty());
}

TEST(FileIndex, StepsAreSummedUp) {
  const auto view = ReadWhole(Version() + ScalarRecord("a", 1, 5) + ScalarRecord("a", 1, -3) +
                              ScalarRecord("a", 1, 9) + ScalarRecord("b", 1, 1) +
                              ScalarRecord("b", 1, 1) + ScalarRecord("a", 1, 7));
  const SeriesView& a = SeriesOf(*view, "a");
  EXPECT_EQ(std::tuple(a.first_step, a.last_step, a.min_step, a.max_step), std::tuple(5, 7, -3, 9));
  EXPECT_FALSE(a.steps_ascend);
  EXPECT_TRUE(SeriesOf(*view, "b").steps_ascend);
}

TEST(FileIndex, ReadsOnlyWhatIsNew) {
  MemoryFile memory(Version() + ScalarRecord("a", 1, 1));
  const File file = memory.Open();
  FileIndex index("events");
  index.ContinueReading(file, {});
  const auto before = index.View();
  const std::string more = ScalarRecord("a", 2, 2);
  memory.Append(more);
  std::atomic<std::uint64_t> bytes = 0, events = 0;
  index.ContinueReading(file, {.bytes_read = &bytes, .events_read = &events});
  EXPECT_EQ(bytes, more.size());
  EXPECT_EQ(events, 1u);
  EXPECT_EQ(ValuesOf(before->series[0]), std::vector<double>{1});
  EXPECT_EQ(ValuesOf(index.View()->series[0]), (std::vector<double>{1, 2}));
}

TEST(FileIndex, RunsThatSayTheSameShareIt) {
  const std::string file = Version() + ScalarRecord("shared", 1, 1);
  const auto one = ReadWhole(file), two = ReadWhole(file);
  EXPECT_EQ(one->series[0].info, two->series[0].info);
}

TEST(FileIndex, ARecordLargerThanTheWindowIsRead) {
  const std::string pixels(3'000'000, 'x');
  std::string summary;
  proto::AppendImageValue("i", {.encoded = pixels}, {.description = "at the end"}, summary);
  const auto view = ReadWhole(Version() + SummaryRecord(summary, 1) + ScalarRecord("a", 1, 1) +
                              SummaryRecord(summary, 2));
  EXPECT_EQ(SeriesOf(*view, "i").blobs[0].size(), 2u);
  EXPECT_EQ(SeriesOf(*view, "i").info->description, "at the end");
  EXPECT_EQ(ValuesOf(SeriesOf(*view, "a")), std::vector<double>{1});
}

TEST(FileIndex, ADirectoryIsAnErrorInTheView) {
  FileIndex index("events");
  const auto directory = File::OpenForReading("/");
  if (!directory) GTEST_SKIP() << "directories cannot be opened here";
  index.ContinueReading(*directory, {});
  EXPECT_TRUE(index.View()->file.error.has_value());
}

// Links may lead to files of the system that never end (/proc/kmsg); all of them say that they are
// empty. This one does end.
TEST(FileIndex, DoesNotReadFilesThatSayTheyAreEmpty) {
  const Result<File> file = File::OpenForReading("/proc/self/maps");
  ASSERT_TRUE(file.has_value());
  FileIndex index("maps");
  index.ContinueReading(*file, {});
  EXPECT_EQ(index.View()->read_bytes, 0u);
  EXPECT_EQ(index.View()->damage_count, 0u);
}

// Returns the contents of `bytes`, read in a thread that has read no file before.
FileContents ContentsInNewThread(std::string_view bytes) {
  FileContents contents;
  std::thread([&] { contents = ContentsOf(*ReadWhole(bytes)); }).join();
  return contents;
}

TEST(FileIndex, EarlierFilesWithTheSameTagsChangeNothing) {
  const SummaryMetadata metadata{.plugin_name = "scalars", .display_name = "The loss"};
  const float two = 2;
  const std::string tensor = proto::EncodeFloatTensor({}, {&two, 1});
  const auto points = [](std::string_view tag, std::int64_t begin) {
    std::string records;
    for (std::int64_t step = begin; step < begin + 30; ++step) {
      records += ScalarRecord(tag, static_cast<float>(step), step);
    }
    return records;
  };
  std::string histogram;
  proto::AppendTensorValue("loss", tensor, {.plugin_name = "histograms"}, histogram);
  const std::vector<std::string> files = {
      Version() + points("loss", 0) + points("accuracy", 0),
      Version() + points("accuracy", 0) + points("loss", 0),        // Another order of tags.
      Version() + SummaryRecord(histogram, 0) + points("loss", 1),  // Another kind.
      Version() + TensorRecord("loss", tensor, 0, metadata) + TensorRecord("loss", tensor, 1, {}) +
          TensorRecord("loss", tensor, 2, {}) + points("loss", 3),          // Metadata comes first.
      Version() + TensorRecord("loss", tensor, 0, {}) + points("loss", 1),  // It is missing.
      Version() + TensorRecord("loss", tensor, 0, {.plugin_name = "scalars"}) + points("loss", 1),
      Version() + points("new", 5) + points("loss", 0),
      points("loss", 0),  // A file without a version.
  };
  std::vector<FileContents> expected;
  for (const std::string& file : files) expected.push_back(ContentsInNewThread(file));
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    const std::size_t which = random() % files.size();
    ASSERT_EQ(ContentsOf(*ReadWhole(files[which])), expected[which]) << "file " << which;
  }
}

}  // namespace
}  // namespace cboard::reader
