// Whatever happens to a file, every record outside the damage is there, and the report names the
// place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "cboard/record/crc32c.h"
#include "reader/index/file_index.h"
#include "reader/testing/event_builder.h"
#include "reader/testing/index_testing.h"

namespace cboard::reader {
namespace {

using ::cboard::testing::EventRecord;
using ::cboard::testing::ScalarRecord;
using ::cboard::testing::SummaryRecord;
using testing::ContentsOf;
using testing::MemoryFile;
using testing::ReadWhole;

const std::string& VersionRecord() {
  static const std::string version = EventRecord(proto::EventKind::kFileVersion, "brain.Event:2");
  return version;
}

std::string HistogramRecord(std::string_view tag, std::int64_t step) {
  const std::vector<double> numbers = {1, 2, 3};
  std::string summary;
  proto::AppendHistogramValue(tag, {.bucket_limits = numbers, .bucket_counts = numbers}, {},
                              summary);
  return SummaryRecord(summary, step);
}

// A small file of several kinds of records.
std::vector<std::string> SmallFile() {
  std::vector<std::string> records = {VersionRecord()};
  for (std::int64_t step = 0; step < 4; ++step) {
    records.push_back(ScalarRecord("loss", static_cast<float>(step), step));
    records.push_back(ScalarRecord("accuracy", 0.5f, step));
    if (step % 2 == 0) records.push_back(HistogramRecord("weights", step));
  }
  return records;
}

std::string Join(const std::vector<std::string>& records) {
  std::string file;
  for (const std::string& record : records) file += record;
  return file;
}

// The series of a file without the record that begins at `offset`; blobs behind it are elsewhere.
auto SeriesWithout(const std::vector<std::string>& records, std::size_t skipped) {
  std::string file;
  for (std::size_t i = 0; i < records.size(); ++i) {
    // Room for the missing record, so that offsets stay: an event without contents.
    if (i != skipped) {
      file += records[i];
      continue;
    }
    // 16 bytes of frame and an unknown field as long as the record.
    const std::size_t left = records[i].size() - 16;
    std::string filler(1, '\x7a');
    filler += static_cast<char>(left - 2);
    filler.resize(left);
    record::AppendRecord(AsBytes(filler), file);
  }
  return ContentsOf(*ReadWhole(file)).series;
}

TEST(FileIndexDamage, EveryTruncationIsATornTailThatIsReadOnceItIsComplete) {
  const std::vector<std::string> records = SmallFile();
  const std::string file = Join(records);
  const auto whole = ContentsOf(*ReadWhole(file));
  for (std::size_t cut = 0; cut <= file.size(); ++cut) {
    MemoryFile memory(std::string_view(file).substr(0, cut));
    const File opened = memory.Open();
    FileIndex index("events");
    index.ContinueReading(opened, {});
    const auto view = index.View();
    std::size_t complete = 0, end = 0;
    while (complete < records.size() && end + records[complete].size() <= cut) {
      end += records[complete++].size();
    }
    ASSERT_EQ(view->file.record_count, complete) << cut;
    ASSERT_EQ(view->file.torn_bytes, cut - end) << cut;
    ASSERT_EQ(view->damage_count, 0u) << cut;
    memory.Append(std::string_view(file).substr(cut));
    index.ContinueReading(opened, {});
    ASSERT_EQ(ContentsOf(*index.View()), whole) << cut;
  }
}

TEST(FileIndexDamage, EveryBitFlipCostsOneRecordAndIsReportedThere) {
  const std::vector<std::string> records = SmallFile();
  const std::string file = Join(records);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto expected = SeriesWithout(records, i);
    for (std::size_t bit = 8 * begin; bit < 8 * (begin + records[i].size()); ++bit) {
      std::string damaged = file;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
      const auto view = ReadWhole(damaged);
      // A damaged last record is the end of the file, of which a part may still be coming.
      const bool is_last = i + 1 == records.size();
      ASSERT_EQ(ContentsOf(*view).series, expected) << "bit " << bit;
      ASSERT_EQ(view->damage.size(), 1u) << "bit " << bit;
      ASSERT_EQ(view->damage[0].offset, begin) << "bit " << bit;
      ASSERT_EQ(view->damage[0].bytes + (is_last ? view->file.torn_bytes : 0), records[i].size())
          << "bit " << bit;
      ASSERT_EQ(view->file.damaged_bytes, view->damage[0].bytes);
      ASSERT_THAT(view->damage[0].reason, ::testing::HasSubstr("offset " + std::to_string(begin)));
    }
    begin += records[i].size();
  }
}

TEST(FileIndexDamage, AZeroedBlockCostsTheRecordsItTouches) {
  std::vector<std::string> records = {VersionRecord()};
  for (std::int64_t step = 0; step < 3000; ++step) {
    records.push_back(ScalarRecord("loss", static_cast<float>(step), step));
  }
  const std::string file = Join(records);
  for (const std::size_t block_bytes : {64u, 512u, 4096u, 65536u}) {
    const std::size_t from = file.size() / 3;
    std::string damaged = file;
    for (std::size_t i = from; i < from + block_bytes; ++i) damaged[i] = 0;
    std::size_t touched = 0, offset = 0, first = 0;
    for (const std::string& record : records) {
      const std::string_view now = std::string_view(damaged).substr(offset, record.size());
      if (now != record && touched++ == 0) first = offset;
      offset += record.size();
    }
    const auto view = ReadWhole(damaged);
    EXPECT_EQ(view->file.record_count, records.size() - touched) << block_bytes;
    ASSERT_EQ(view->damage.size(), 1u);
    EXPECT_EQ(view->damage[0].offset, first);
  }
}

TEST(FileIndexDamage, OfTwoFilesInterleavedEveryWholeRecordIsFound) {
  std::vector<std::string> one = {VersionRecord()}, two = {VersionRecord()};
  for (std::int64_t step = 0; step < 500; ++step) {
    one.push_back(ScalarRecord("one", static_cast<float>(step), step));
    two.push_back(ScalarRecord("two/longer", static_cast<float>(step), step));
  }
  // Two processes write to one file, in blocks that cut records.
  const std::string a = Join(one), b = Join(two);
  constexpr std::size_t kBlock = 1000;
  std::string mixed;
  for (std::size_t at = 0; at < std::max(a.size(), b.size()); at += kBlock) {
    if (at < a.size()) mixed += a.substr(at, kBlock);
    if (at < b.size()) mixed += b.substr(at, kBlock);
  }
  std::size_t whole = 0;
  for (const auto* records : {&one, &two}) {
    for (const std::string& record : *records) whole += mixed.find(record) != std::string::npos;
  }
  ASSERT_LT(whole, one.size() + two.size());
  const auto view = ReadWhole(mixed);
  EXPECT_EQ(view->file.record_count, whole);
  EXPECT_GT(view->damage_count, 10u);
}

TEST(FileIndexDamage, WholeRecordsBehindACutOneAreShownAndTheCutOneIsReported) {
  std::string large;
  record::AppendRecord(AsBytes(std::string(600'000, 'x')), large);
  const std::string before = VersionRecord() + ScalarRecord("a", 0, 0);
  std::string after;
  for (std::int64_t step = 1; step < 3000; ++step) after += ScalarRecord("a", 1, step);
  const auto view = ReadWhole(before + large.substr(0, 100'000) + after);
  ASSERT_EQ(view->series.size(), 1u);
  EXPECT_EQ(view->series[0].scalars[0].size(), 3000u);
  ASSERT_EQ(view->damage.size(), 1u);
  EXPECT_EQ(view->damage[0].offset, before.size());
  EXPECT_EQ(view->damage[0].bytes, 100'000u);
  EXPECT_EQ(view->file.torn_bytes, 0u);
}

TEST(FileIndexDamage, ARecordThatIsNoEventIsReportedAndPassed) {
  std::string bad;
  record::AppendRecord(AsBytes("\x09 no event"), bad);
  const auto view = ReadWhole(VersionRecord() + bad + ScalarRecord("a", 1, 1));
  ASSERT_EQ(view->damage.size(), 1u);
  EXPECT_EQ(view->damage[0].offset, VersionRecord().size());
  EXPECT_EQ(view->damage[0].bytes, bad.size());
  EXPECT_EQ(view->file.record_count, 3u);
  EXPECT_EQ(view->event_count, 2u);
  EXPECT_EQ(view->series.size(), 1u);
}

TEST(FileIndexDamage, OnlyTheFirstPlacesAreNamedButAllAreCounted) {
  std::string file = VersionRecord();
  for (std::int64_t step = 0; step < 300; ++step) {
    std::string record = ScalarRecord("a", 1, step);
    if (step % 2 == 0) record[20] = static_cast<char>(record[20] ^ 1);
    file += record;
  }
  const auto view = ReadWhole(file);
  EXPECT_EQ(view->damage.size(), kMaxReportedDamage);
  EXPECT_EQ(view->damage_count, 150u);
  EXPECT_EQ(view->series.at(0).scalars[0].size(), 150u);
}

TEST(FileIndexDamage, WhereReadingPausesDoesNotMatter) {
  std::mt19937 random(3);
  std::string file = VersionRecord();
  for (std::int64_t step = 0; step < 60; ++step) {
    file += ScalarRecord("a", static_cast<float>(step), step);
    if (step % 11 == 0) file += HistogramRecord("h", step);
  }
  for (int round = 0; round < 200; ++round) {
    std::string damaged = file;
    for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] ^= static_cast<char>(random());
    const auto whole = ContentsOf(*ReadWhole(damaged));
    MemoryFile memory;
    const File opened = memory.Open();
    FileIndex index("events");
    for (std::size_t at = 0; at < damaged.size();) {
      const std::size_t bytes = std::min<std::size_t>(random() % 200, damaged.size() - at);
      memory.Append(std::string_view(damaged).substr(at, bytes));
      at += bytes;
      index.ContinueReading(opened, {});
    }
    ASSERT_EQ(ContentsOf(*index.View()), whole) << "round " << round;
  }
}

TEST(FileIndexDamage, LengthsThatAllClaimTheRestOfTheFileDoNotHoldItUp) {
  const std::string good = ScalarRecord("a", 1, 1);
  std::string file(1'000'000, '\0');
  const MutableByteSpan bytes = std::as_writable_bytes(std::span(file));
  const std::size_t stride = record::kRecordHeaderBytes + good.size();
  std::size_t records = 0;
  for (std::size_t i = 0; i + 2 * stride <= file.size(); i += stride) {
    StoreLittleEndian(std::uint64_t{file.size() - i - record::kRecordOverheadBytes},
                      bytes.subspan(i));
    StoreLittleEndian(record::ToInteger(record::ComputeMaskedCrc(bytes.subspan(i, 8))),
                      bytes.subspan(i + 8));
    std::ranges::copy(good, &file[i + record::kRecordHeaderBytes]);
    ++records;
  }
  std::atomic<std::uint64_t> read = 0;
  const auto view = ReadWhole(VersionRecord() + file, {.bytes_read = &read});
  EXPECT_EQ(view->series.at(0).scalars[0].size(), records);
  EXPECT_LT(read, 64 * file.size());
}

}  // namespace
}  // namespace cboard::reader
