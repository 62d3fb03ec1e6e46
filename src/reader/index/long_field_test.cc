// Images, sounds, tensors and histograms are indexed without a copy of their bytes.
#include "reader/index/long_field.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "reader/index/part_index.h"
#include "reader/testing/index_testing.h"
#include "reader/testing/random_log.h"
#include "testing/temp_dir.h"

namespace cboard::reader {
namespace {

using ::cboard::testing::EventRecord;
using ::cboard::testing::SummaryRecord;
using testing::ContentsOf;
using testing::MemoryFile;
using testing::RandomLog;
using testing::ReadWhole;

constexpr std::size_t kHeadBytes = 500;
const std::string kLong(20'000, 'z');

std::string ImageSummary(std::string_view bytes, const proto::SummaryMetadata& metadata = {}) {
  std::string summary;
  proto::AppendImageValue("image", {.height = 5, .width = 6, .encoded = bytes}, metadata, summary);
  return summary;
}

std::string TensorSummary(std::string_view tag, const proto::SummaryMetadata& metadata) {
  std::string summary;
  const std::vector<float> numbers(5000, 1.5f);
  const std::vector<std::int64_t> shape = {5000};
  proto::AppendTensorValue(tag, proto::EncodeFloatTensor(shape, numbers), metadata, summary);
  return summary;
}

// The bytes of a record of `summary` without its framing.
std::string Event(const std::string& summary) {
  const std::string record = SummaryRecord(summary, 7, 1.5);
  return record.substr(12, record.size() - 16);
}

std::optional<LongField> Find(const std::string& event) {
  return FindLongField(AsBytes(event).first(std::min(event.size(), kHeadBytes)), event.size());
}

TEST(LongField, IsTheMemberOfTheOnlyValue) {
  const std::string event = Event(ImageSummary(kLong, {.plugin_name = "images"}));
  const auto field = Find(event);
  ASSERT_TRUE(field.has_value());
  EXPECT_FALSE(field->is_tensor);
  EXPECT_LT(field->begin, kHeadBytes);
  EXPECT_EQ(event.substr(field->end - kLong.size(), kLong.size()), kLong);
  EXPECT_EQ(event.substr(field->end).find("images"), 6u);  // The metadata comes behind it.
  EXPECT_TRUE(Find(Event(TensorSummary("t", {})))->is_tensor);
}

TEST(LongField, IsNotFoundElsewhere) {
  EXPECT_EQ(Find(Event(ImageSummary("short"))), std::nullopt);
  EXPECT_EQ(Find(Event(ImageSummary(kLong) + ImageSummary(kLong))), std::nullopt);
  std::string scalar_first;
  proto::AppendScalarValue("loss", 1, {}, scalar_first);
  EXPECT_EQ(Find(Event(scalar_first + ImageSummary(kLong))), std::nullopt);
  EXPECT_EQ(Find(Event(ImageSummary("short", {.description = kLong}))), std::nullopt);
  const std::string graph = EventRecord(proto::EventKind::kGraphDef, kLong);
  EXPECT_EQ(Find(graph.substr(12, graph.size() - 16)), std::nullopt);
  EXPECT_EQ(Find(kLong), std::nullopt);
}

// Lengths that reach past what contains them, and keys that are cut, are left to the general way.
TEST(LongField, OfDamagedEventsIsInsideThem) {
  const std::string event = Event(ImageSummary(kLong));
  for (std::size_t at = 0; at < 60; ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = event;
      changed[at] = static_cast<char>(value);
      const auto field = Find(changed);
      if (!field) continue;
      EXPECT_LE(field->value_begin, field->begin);
      EXPECT_LT(field->begin, kHeadBytes);
      EXPECT_GT(field->end, kHeadBytes);
      EXPECT_LE(field->end, event.size());
    }
  }
  for (std::size_t size = 0; size < 60; ++size) {
    (void)FindLongField(AsBytes(event).first(size), event.size());
  }
}

// The reason why the field's bytes may be missing when the event is indexed.
TEST(LongField, IsNotLookedAtByTheIndex) {
  for (const std::string& summary :
       {ImageSummary(kLong, {.plugin_name = "images"}), TensorSummary("t", {}),
        TensorSummary("u", {.plugin_name = "text"})}) {
    const std::string event = Event(summary);
    const auto field = Find(event);
    ASSERT_TRUE(field.has_value());
    for (const char filler : {'\0', '\x7f', '\xff'}) {
      std::string with_gap = event;
      for (std::size_t at = kHeadBytes; at < field->end; ++at) with_gap[at] = filler;
      PartIndex index;
      EXPECT_FALSE(index.HoldsScalar(with_gap.substr(field->value_begin)));
      index.AddRecord(0, AsBytes(with_gap));
      EXPECT_EQ(index.damage_count, 0u);
      ASSERT_EQ(index.series.size(), 1u);
      EXPECT_EQ(index.series[0].size(), 1u);
    }
  }
}

TEST(LongField, TensorsOfScalarTagsAreLookedAt) {
  PartIndex index;
  const std::string scalar = Event(TensorSummary("t", {.plugin_name = "scalars"}));
  EXPECT_TRUE(index.HoldsScalar(scalar.substr(Find(scalar)->value_begin)));
}

// Long records of every kind between short ones.
std::string LogWithLongRecords(std::uint32_t seed) {
  RandomLog log(seed);
  std::string file = log.Version();
  for (int i = 0; i < 90; ++i) {
    const std::string bytes(log.Number(40'000), static_cast<char>('a' + log.Number(20)));
    switch (log.Number(6)) {
      case 0:
        file += SummaryRecord(TensorSummary("t" + std::to_string(log.Number(3)),
                                            {.plugin_name = log.Number(4) == 0 ? "scalars" : ""}),
                              i, i);
        break;
      case 1:
        file += SummaryRecord(ImageSummary(bytes) + ImageSummary("second"), i, i);
        break;
      case 2:
        file += EventRecord(proto::EventKind::kGraphDef, bytes);
        break;
      case 3:
        file += log.Record();
        break;
      default:
        file += SummaryRecord(ImageSummary(bytes, {.plugin_name = "images"}), i, i);
    }
  }
  return file;
}

constexpr auto kNothingMapped = ReadOptions{.may_map = false};

TEST(MappedRecords, GiveWhatCopyingGives) {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    std::string file = LogWithLongRecords(seed);
    ASSERT_GT(file.size(), 1'100'000u);
    if (seed % 2 == 1) {
      RandomLog random(seed);
      for (int i = 0; i < 3; ++i) file[random.Number(file.size())] ^= 0x10;
      file.resize(file.size() - random.Number(20'000));
    }
    ASSERT_EQ(ContentsOf(*ReadWhole(file)), ContentsOf(*ReadWhole(file, kNothingMapped)))
        << "seed " << seed;
  }
}

// Another program truncates and rewrites the file all the time.
TEST(MappedRecords, OfAChangingFileAreWholeOrNotThere) {
  const ::cboard::testing::TempDir directory;
  const std::filesystem::path path = directory.path() / "events";
  std::string content = RandomLog(1).Version();
  for (int i = 0; i < 200; ++i) content += SummaryRecord(ImageSummary(kLong), i, i);
  ASSERT_TRUE(WriteFileAtomically(path, content).has_value());
  std::atomic<bool> is_done = false;
  std::thread other([&] {
    while (!is_done) {
      std::filesystem::resize_file(path, 300'000);
      auto file = File::OpenForAppending(path);
      ASSERT_TRUE(file.has_value());
      ASSERT_TRUE(file->Write(AsBytes(content).subspan(300'000)).has_value());
    }
  });
  for (int round = 0; round < 30; ++round) {
    const Result<File> file = File::OpenForReading(path);
    FileIndex index(path.string());
    index.ContinueReading(*file, {});
    const std::shared_ptr<const FileView> view = index.View();
    for (const SeriesView& series : view->series) EXPECT_EQ(series.info->name, "image");
  }
  is_done = true;
  other.join();
}

}  // namespace
}  // namespace cboard::reader
