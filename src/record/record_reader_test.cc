#include "cboard/record/record_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "cboard/record/crc32c.h"
#include "cboard/record/record_writer.h"
#include "testing/matchers.h"
#include "testing/sinks.h"
#include "testing/temp_dir.h"

namespace cboard::record {
namespace {

using testing::FailsSaying;
using testing::FailsWith;
using testing::GrowingSource;

std::string Framed(std::string_view payload) {
  std::string framed;
  AppendRecord(AsBytes(payload), framed);
  return framed;
}

MATCHER_P(HoldsText, text, "") { return arg && AsText(arg->payload) == text; }

struct Reading {
  std::vector<std::string> payloads;
  std::vector<std::string> damage;
};

Reading ReadAll(std::string_view bytes) {
  GrowingSource source;
  source.Grow(AsBytes(bytes));
  RecordReader reader(source);
  Reading reading;
  while (true) {
    const Result<Record> record = reader.Next();
    if (record) {
      reading.payloads.emplace_back(AsText(record->payload));
    } else if (record.error().code == ErrorCode::kDataLoss) {
      reading.damage.push_back(record.error().message);
    } else {
      return reading;
    }
  }
}

TEST(RecordReader, ReadsBackWhatWasWritten) {
  EXPECT_EQ(ReadAll(Framed("one") + Framed("") + Framed(std::string(600'000, 'x'))).payloads,
            (std::vector<std::string>{"one", "", std::string(600'000, 'x')}));
}

TEST(RecordReader, SaysThatAFileIsCompressed) {
  EXPECT_THAT(ReadAll("\x1F\x8B\x08" + std::string(100, 'x')).damage,
              ::testing::ElementsAre(::testing::HasSubstr("decompress it with gunzip")));
}

TEST(RecordReader, DoesNotReadTheHolesOfASparseFile) {
  testing::TempDir dir;
  Result<File> created = File::Create(dir / "sparse");
  ASSERT_TRUE(created);
  File& file = *created;
  constexpr off_t kEnd = off_t{1} << 40;  // Reading so many bytes would take minutes.
  const auto write = [&](off_t at, const std::string& bytes) {
    ASSERT_EQ(::pwrite(file.descriptor(), bytes.data(), bytes.size(), at),
              static_cast<ssize_t>(bytes.size()));
  };
  write(0, Framed("first"));
  write(kEnd, Framed(std::string(256, 'x')));  // Its length begins with a zero.
  const Result<File> opened = File::OpenForReading(dir / "sparse");
  ASSERT_TRUE(opened);
  FileSource source(*opened);
  RecordReader reader(source);
  EXPECT_THAT(reader.Next(), HoldsText("first"));
  EXPECT_THAT(reader.Next(), FailsWith(ErrorCode::kDataLoss));
  EXPECT_EQ(reader.offset(), static_cast<std::uint64_t>(kEnd));
  EXPECT_THAT(reader.Next(), HoldsText(std::string(256, 'x')));
  EXPECT_THAT(reader.Next(), FailsWith(ErrorCode::kTruncated));
  ASSERT_EQ(::ftruncate(file.descriptor(), 2 * kEnd), 0);
  EXPECT_THAT(reader.Next(), FailsWith(ErrorCode::kDataLoss)) << "a hole at the end";
  EXPECT_THAT(reader.Next(), FailsWith(ErrorCode::kTruncated));
}

TEST(RecordReader, ResumesARecordThatWasStillBeingWritten) {
  const std::string record = Framed("loss=0.25");
  GrowingSource source;
  RecordReader reader(source);

  source.Grow(AsBytes(record).first(7));  // Less than a header.
  EXPECT_THAT(reader.Next(), FailsWith(ErrorCode::kTruncated));

  source.Grow(AsBytes(record).subspan(7));
  EXPECT_THAT(reader.Next(), HoldsText("loss=0.25"));
}

TEST(RecordReader, EveryTruncationWaitsAndThenContinues) {
  const std::string record = Framed("loss=0.25");
  for (std::size_t cut = 0; cut < record.size(); ++cut) {
    GrowingSource source;
    RecordReader reader(source);
    source.Grow(AsBytes(record).first(cut));
    ASSERT_THAT(reader.Next(), FailsWith(ErrorCode::kTruncated)) << cut;
    source.Grow(AsBytes(record).subspan(cut));
    ASSERT_THAT(reader.Next(), HoldsText("loss=0.25")) << cut;
  }
}

TEST(RecordReader, FindsWholeRecordsBehindOneThatWasCut) {
  const std::string large = Framed(std::string(600'000, 'x'));
  for (const std::size_t cut : {std::size_t{12}, std::size_t{13}, large.size() / 2}) {
    const Reading reading = ReadAll(Framed("a") + large.substr(0, cut) + Framed("b") + Framed("c"));
    EXPECT_EQ(reading.payloads, (std::vector<std::string>{"a", "b", "c"})) << cut;
    EXPECT_THAT(reading.damage, ::testing::ElementsAre(::testing::HasSubstr(
                                    "record at offset 17: it was cut, and others follow; skipped " +
                                    std::to_string(cut) + " bytes")))
        << cut;
  }
}

TEST(RecordReader, FindsWholeRecordsBehindSeveralThatWereCut) {
  const std::string large = Framed(std::string(1000, 'x'));
  const std::string cut = large.substr(0, 500);
  const Reading reading = ReadAll(cut + cut + Framed("a") + cut + Framed("b") + cut);
  EXPECT_EQ(reading.payloads, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(reading.damage.size(), 2u);
}

TEST(RecordReader, SearchesTheBeginningOfALongRecordOnce) {
  const std::string large = Framed(std::string(4'000'000, 'x'));
  GrowingSource source;
  RecordReader reader(source);
  for (std::size_t at = 0; at < large.size(); at += 1'000'000) {
    EXPECT_THAT(reader.Next(), FailsWith(ErrorCode::kTruncated));
    // The last bytes could start a header.
    EXPECT_GE(reader.searched_end() + kRecordHeaderBytes, at);
    source.Grow(AsBytes(std::string_view(large).substr(at, 1'000'000)));
  }
  EXPECT_THAT(reader.Next(), HoldsText(std::string(4'000'000, 'x')));
}

TEST(RecordReader, EveryBitFlipIsFoundAndCostsOneRecordOnly) {
  const std::string first = Framed("first");
  const std::string file = first + Framed("second") + Framed("third");
  for (std::size_t bit = 0; bit < 8 * first.size(); ++bit) {
    std::string damaged = file;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const Reading reading = ReadAll(damaged);
    ASSERT_EQ(reading.payloads, (std::vector<std::string>{"second", "third"})) << "bit " << bit;
    ASSERT_EQ(reading.damage.size(), 1u) << "bit " << bit;
  }
}

TEST(RecordReader, SaysWhereTheDamageIsAndWhatWasExpected) {
  std::string file = Framed("a") + Framed("bb") + Framed("c");
  file[Framed("a").size() + kRecordHeaderBytes] ^= 1;
  EXPECT_THAT(ReadAll(file).damage,
              ::testing::ElementsAre(::testing::AllOf(
                  ::testing::HasSubstr("record at offset 17: payload checksum is 0x"),
                  ::testing::HasSubstr("skipped 18 bytes of the event file, up to offset 35"))));
}

TEST(RecordReader, FindsTheNextRecordBehindAZeroedBlock) {
  const std::string file = Framed("a") + std::string(700'001, '\0') + Framed("b");
  const Reading reading = ReadAll(file);
  // Zeros are a record of length zero with a wrong checksum, never a valid one.
  EXPECT_EQ(reading.payloads, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(reading.damage.size(), 1u);
}

TEST(RecordReader, AHugeLengthWithAValidChecksumAllocatesNothing) {
  std::string header(kRecordHeaderBytes, '\0');
  const MutableByteSpan bytes = std::as_writable_bytes(std::span(header));
  StoreLittleEndian(std::uint64_t{1} << 62, bytes);
  StoreLittleEndian(ToInteger(ComputeMaskedCrc(AsBytes(header).first(8))), bytes.subspan(8));
  EXPECT_EQ(ReadAll(header + Framed("next")).payloads, (std::vector<std::string>{"next"}));
}

// Counts the bytes that are read, as a measure of time that does not depend on the machine.
class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::string bytes) { inner_.Grow(AsBytes(bytes)); }
  Result<std::size_t> ReadAt(std::uint64_t offset, MutableByteSpan buffer) override {
    Result<std::size_t> count = inner_.ReadAt(offset, buffer);
    read_bytes += *count;
    return count;
  }
  std::size_t read_bytes = 0;

 private:
  GrowingSource inner_;
};

TEST(RecordReader, LengthsThatAllClaimTheRestOfTheFileTakeLinearTime) {
  for (const bool good_records_between : {false, true}) {
    std::string file(6'000'000, '\0');
    const MutableByteSpan bytes = std::as_writable_bytes(std::span(file));
    const std::string good = Framed("good");
    const std::size_t stride = kRecordHeaderBytes + (good_records_between ? good.size() : 0);
    std::size_t records = 0;
    for (std::size_t i = 0; i + 2 * stride <= file.size(); i += stride) {
      StoreLittleEndian(std::uint64_t{file.size() - i - kRecordOverheadBytes}, bytes.subspan(i));
      StoreLittleEndian(ToInteger(ComputeMaskedCrc(bytes.subspan(i, 8))), bytes.subspan(i + 8));
      if (good_records_between) std::ranges::copy(good, &file[i + kRecordHeaderBytes]);
      ++records;
    }
    CountingSource source(file);
    RecordReader reader(source);
    std::size_t found = 0;
    while (true) {
      const Result<Record> record = reader.Next();
      if (record) ++found;
      if (!record && record.error().code != ErrorCode::kDataLoss) break;
    }
    EXPECT_LT(source.read_bytes, 64 * file.size());
    EXPECT_EQ(found, good_records_between ? records : 0);
  }
}

TEST(RecordReader, ATornTailBehindDamageIsStillAwaited) {
  const std::string last = Framed("last");
  std::string file = Framed("x");
  file[0] ^= 1;
  GrowingSource source;
  source.Grow(AsBytes(file + last.substr(0, 14)));
  RecordReader reader(source);
  EXPECT_THAT(reader.Next(), FailsWith(ErrorCode::kDataLoss));
  EXPECT_THAT(reader.Next(), FailsWith(ErrorCode::kTruncated));
  source.Grow(AsBytes(last.substr(14)));
  EXPECT_THAT(reader.Next(), HoldsText("last"));
}

}  // namespace
}  // namespace cboard::record
