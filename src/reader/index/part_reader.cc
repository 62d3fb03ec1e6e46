#include "reader/index/part_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "cboard/record/crc32c.h"
#include "cboard/record/record_reader.h"
#include "cboard/record/record_writer.h"
#include "reader/index/long_field.h"
#include "reader/index/scalar_matcher.h"
#include "record/short_crc.h"

namespace cboard::reader {
namespace {

// Maximum number of damaged places after which the fast path is used again. After more of them,
// RecordReader reads the rest: it limits repeated searches, so that the time is proportional to the
// size of the file.
constexpr unsigned kMaxQuickDamage = 8;

// Number of bytes that are copied from the beginning and from the end of a long record. The bytes
// between them are not copied.
constexpr std::size_t kHeadBytes = 500;
constexpr std::size_t kMaxTailBytes = 1 << 10;
constexpr std::size_t kMinMappedRecordBytes = 4 << 10;
constexpr std::size_t kMaxMappedRecordBytes = 8 << 20;

// Minimum number of remaining bytes of the file for which long records are mapped.
constexpr std::uint64_t kMinMappedBytes = 1 << 20;

// Maximum size of an event with one scalar and a tag of usual length.
constexpr std::uint64_t kMaxScalarBytes = 255;

// The checksums of the length field of a record, for all lengths up to kMaxScalarBytes.
constexpr std::array<std::uint32_t, kMaxScalarBytes + 1> kHeaderCrcs = [] {
  std::array<std::uint32_t, kMaxScalarBytes + 1> crcs{};
  for (std::uint32_t length = 0; length <= kMaxScalarBytes; ++length) {
    std::uint32_t crc = ~length;
    for (int bit = 0; bit < 64; ++bit) crc = (crc >> 1) ^ (0x82F63B78u & (0u - (crc & 1u)));
    crcs[length] = record::ToInteger(record::Mask(~crc));
  }
  return crcs;
}();

template <typename T>
T Load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// Decodes a varint: joins the lower seven bits of each byte.
std::uint64_t JoinVarint(std::uint64_t bytes) {
  bytes = (bytes & 0x007F007F007F007F) | (bytes & 0x7F007F007F007F00) >> 1;
  bytes = (bytes & 0x00003FFF00003FFF) | (bytes & 0x3FFF00003FFF0000) >> 2;
  return (bytes & 0x000000000FFFFFFF) | (bytes & 0x0FFFFFFF00000000) >> 4;
}

// A matcher with the templates of earlier files of this thread. Ten thousand files with the same
// tags then need neither fresh memory nor a template each.
class LentMatcher {
 public:
  LentMatcher() {
    auto& spare = Spare();
    if (spare.empty()) {
      matcher_ = std::make_unique<ScalarMatcher>();
    } else {
      matcher_ = std::move(spare.back());
      spare.pop_back();
    }
  }
  ~LentMatcher() {
    if (matcher_->size() > kMaxKeptTemplates) return;
    matcher_->BeginFile();
    Spare().push_back(std::move(matcher_));
  }
  LentMatcher(const LentMatcher&) = delete;
  LentMatcher& operator=(const LentMatcher&) = delete;

  ScalarMatcher& operator*() const { return *matcher_; }
  ScalarMatcher* operator->() const { return matcher_.get(); }

 private:
  static constexpr std::size_t kMaxKeptTemplates = 4096;

  static std::vector<std::unique_ptr<ScalarMatcher>>& Spare() {
    thread_local std::vector<std::unique_ptr<ScalarMatcher>> spare;
    return spare;
  }

  std::unique_ptr<ScalarMatcher> matcher_;
};

// Returns a buffer for a record of which only the beginning and the end are written. The system
// allocates only the pages that are written.
std::byte* RoomForMappedRecord() {
  thread_local const std::unique_ptr<std::byte[]> room(new std::byte[kMaxMappedRecordBytes]);
  return room.get();
}

class Reader {
 public:
  Reader(const File& file, Part& part, std::uint64_t stop, std::uint64_t file_bytes,
         const ReadOptions& options, ByteSpan content)
      : part_(part),
        index_(part.index),
        stop_(stop),
        expected_end_(std::min(stop, file_bytes)),
        options_(options),
        window_(file, options.bytes_read),
        source_(file) {
    if (!content.empty()) {
      window_.Provide(content);
    } else if (options.may_map) {
      window_.SetLimit(expected_end_);
    }
  }

  void Read() {
    const std::uint64_t events_before = index_.event_count;
    part_.error.reset();
    while (part_.end < stop_ && ReadSubset()) {
    }
    if (!part_.bad_block) part_.bad_block = source_.file().error();
    if (options_.events_read != nullptr) {
      options_.events_read->fetch_add(index_.event_count - events_before,
                                      std::memory_order_relaxed);
    }
  }

 private:
  // Reads the records that are available. Returns false if there is not one complete record.
  bool ReadSubset() {
    if (is_long_) ReadLongRecords();
    if (part_.end >= stop_) return true;
    const Result<ByteSpan> bytes =
        window_.At(part_.end, kMaxScalarBytes + record::kRecordOverheadBytes);
    if (!bytes) return Fails(bytes.error());
    if (bytes->size() < record::kRecordHeaderBytes) return false;
    UpdateProgress();
    ByteSpan rest = *bytes;
    // The fast path is not used for old files, because every step of them must be checked (see
    // PartIndex).
    if (Load<std::uint64_t>(rest.data()) <= kMaxScalarBytes && index_.state.has_version_2 &&
        record::HasShortCrc()) {
      const std::uint64_t before = part_.end;
      rest = ReadScalars(rest);
      // Unless a complete record follows, the window must be filled first.
      if (part_.end > before && !BeginsWithWholeRecord(rest)) return true;
    }
    return part_.end >= stop_ || ReadRecord(rest);
  }

  static bool BeginsWithWholeRecord(ByteSpan bytes) {
    return bytes.size() >= record::kRecordOverheadBytes &&
           Load<std::uint64_t>(bytes.data()) <= bytes.size() - record::kRecordOverheadBytes;
  }

  void UpdateProgress() {
    const std::uint64_t left = expected_end_ > part_.end ? expected_end_ - part_.end : 0;
    index_.SetProgress(part_.end - part_.begin, left);
  }

  // Fast path for scalar events that are equal to the event before them except for wall time, step
  // and value. Stops at the first other record, and returns the bytes from there on.
  CBOARD_SSE42 ByteSpan ReadScalars(ByteSpan bytes) {
    constexpr std::uint64_t kMinEventBytes = 20;
    constexpr std::ptrdiff_t kAheadBytes = 2048;  // The buffer is larger than the L1 cache.
    // The distance to the bytes that are prefetched. If the position of the next window is known,
    // its bytes are prefetched.
    const std::ptrdiff_t distance =
        window_.ahead() != nullptr ? window_.ahead() - bytes.data() : kAheadBytes;
    const std::byte* record = bytes.data();
    const std::byte* const end = record + bytes.size();
    const std::byte* const stop =
        stop_ - part_.end < bytes.size() ? record + (stop_ - part_.end) : end;
    ScalarMatcher& matcher = *matcher_;
    double newest = index_.newest_wall_time_seconds;
    double first = index_.first_wall_time_seconds;
    std::uint64_t count = 0, crc_sum = 0;
    std::uint64_t last_varint = 0, last_step = 0;  // Most events have the step of the one before.
    while (record < stop &&
           end - record >= static_cast<std::ptrdiff_t>(record::kRecordHeaderBytes)) {
      __builtin_prefetch(record + distance, 0, 2);
      // Prefetches the next cache line too, because most records extend into it.
      __builtin_prefetch(record + distance + 64, 0, 2);
      const auto length = Load<std::uint64_t>(record);
      if (length < kMinEventBytes || length > kMaxScalarBytes ||
          static_cast<std::uint64_t>(end - record) < length + record::kRecordOverheadBytes ||
          kHeaderCrcs[length] != Load<std::uint32_t>(record + 8)) {
        break;
      }
      const std::byte* event = record + record::kRecordHeaderBytes;
      const auto wall_bits = Load<std::uint64_t>(event + 1);
      constexpr std::uint64_t kExponent = 0x7FF0000000000000;
      if (event[0] != std::byte{0x09} || (wall_bits & kExponent) == kExponent) break;

      const auto step_field = Load<std::uint64_t>(event + 9);
      std::uint64_t step = 0;
      const std::byte* rest = event + 9;
      if ((step_field & 0xFF) == 0x10) {
        const std::uint64_t bytes_behind = step_field >> 8;
        const std::uint64_t last_byte = ~bytes_behind & 0x8080808080808080;
        const std::uint64_t varint = bytes_behind & (last_byte ^ (last_byte - 1));
        const int size = std::countr_zero(last_byte) / 8 + 1;
        if (size > 5) break;
        if (varint != last_varint) {
          last_varint = varint;
          last_step = JoinVarint(varint);
        }
        step = last_step;
        rest += 1 + size;
      }
      const ScalarMatcher::Template* found =
          matcher.Match(rest, static_cast<std::size_t>(event + length - rest));
      const auto footer = Load<std::uint32_t>(event + length);
      if (found == nullptr ||
          record::ToInteger(record::Mask(record::ShortCrc32c(event, length))) != footer ||
          (found->series == ScalarMatcher::kNoSeries && !FindSeries(*found))) {
        break;
      }
      crc_sum += footer;
      const auto value = Load<float>(rest + found->hole);
      Series& series = index_.series[found->series];
      series.RecordStep(static_cast<std::int64_t>(step));
      if (!series.scalars.TryAppend(static_cast<std::int64_t>(step), wall_bits, value)) {
        const auto done = static_cast<std::uint64_t>(record - bytes.data()) + part_.end;
        const std::uint64_t left = expected_end_ > done ? expected_end_ - done : 0;
        index_.SetProgress(done - part_.begin, left);
        series.scalars.Append(static_cast<std::int64_t>(step), std::bit_cast<double>(wall_bits),
                              static_cast<double>(value),
                              index_.ExpectedMore(series.scalars.size()));
      }
      const double wall = std::bit_cast<double>(wall_bits);
      newest = wall > newest ? wall : newest;
      first = wall < first ? wall : first;
      ++count;
      record += length + record::kRecordOverheadBytes;
    }
    index_.newest_wall_time_seconds = newest;
    index_.first_wall_time_seconds = first;
    index_.record_count += count;
    index_.event_count += count;
    index_.crc_sum += crc_sum;
    part_.end += static_cast<std::uint64_t>(record - bytes.data());
    return bytes.subspan(static_cast<std::size_t>(record - bytes.data()));
  }

  // Finds or adds the series of a template of an earlier file. Returns false if the event must be
  // parsed.
  bool FindSeries(const ScalarMatcher::Template& found) {
    const std::shared_ptr<const TagInfo>& info = matcher_->InfoOf(found);
    if (info == nullptr) return false;
    const std::optional<std::uint32_t> series = index_.ScalarSeriesOf(info);
    if (series) matcher_->SetSeries(found, *series);
    return series.has_value();
  }

  // Fast path for images, sounds, tensors and histograms. Checksums are computed without copying
  // the data. Stops at the first damaged or different record.
  void ReadLongRecords() {
    is_long_ = false;
    if (!options_.may_map || expected_end_ < part_.end + kMinMappedBytes) return;
    while (part_.end < stop_ && ReadLongRecord()) {
    }
  }

  bool ReadLongRecord() {
    constexpr std::size_t kBegin = record::kRecordHeaderBytes + kHeadBytes;
    ByteSpan mapped = window_.Mapped(part_.end, kBegin);
    if (mapped.size() < kBegin) return false;
    std::array<std::byte, kBegin> begin;  // Copied, because another program may change the file.
    std::memcpy(begin.data(), mapped.data(), kBegin);
    const auto length = Load<std::uint64_t>(begin.data());
    if (length < kMinMappedRecordBytes || length > kMaxMappedRecordBytes ||
        record::ToInteger(record::ComputeMaskedCrc(ByteSpan(begin).first<8>())) !=
            Load<std::uint32_t>(&begin[8])) {
      return false;
    }
    const auto size = static_cast<std::size_t>(length);
    const ByteSpan head = ByteSpan(begin).subspan(record::kRecordHeaderBytes);
    const std::optional<LongField> field = FindLongField(head, size);
    if (!field || size - field->end > kMaxTailBytes) return false;
    mapped = window_.Mapped(part_.end, size + record::kRecordOverheadBytes);
    if (mapped.size() < size + record::kRecordOverheadBytes) return false;
    const ByteSpan payload_in_file = mapped.subspan(record::kRecordHeaderBytes, size);

    std::byte* const room = RoomForMappedRecord();
    const ByteSpan tail(room + field->end, size - field->end);
    std::memcpy(room, head.data(), head.size());
    std::memcpy(room + field->end, payload_in_file.data() + field->end, tail.size());
    std::uint32_t footer = 0;
    std::memcpy(&footer, payload_in_file.data() + size, sizeof(footer));
    index_.series.PrefetchNext();  // The field is complete, because the checksum after it was read.
    std::uint32_t crc = record::ComputeCrc32c(head);
    crc = record::ExtendCrc32c(crc, payload_in_file.subspan(kHeadBytes, field->end - kHeadBytes));
    crc = record::ExtendCrc32c(crc, tail);
    if (record::ToInteger(record::Mask(crc)) != footer) return false;
    const ByteSpan payload(room, size);
    if (field->is_tensor && index_.HoldsScalar(AsText(payload.subspan(field->value_begin)))) {
      return false;
    }
    UpdateProgress();
    index_.crc_sum += footer;
    index_.AddRecord(part_.end, payload);
    part_.end += size + record::kRecordOverheadBytes;
    return true;
  }

  // Slow path for one record of any kind. `bytes` starts at the current end of the part.
  bool ReadRecord(ByteSpan bytes) {
    if (bytes.size() < record::kRecordHeaderBytes) {
      const Result<ByteSpan> more = window_.At(part_.end, record::kRecordHeaderBytes);
      if (!more) return Fails(more.error());
      if (more->size() < record::kRecordHeaderBytes) return false;
      bytes = *more;
    }
    const auto length = LoadLittleEndian<std::uint64_t>(bytes);
    if (record::ToInteger(record::ComputeMaskedCrc(bytes.first<8>())) !=
            Load<std::uint32_t>(&bytes[8]) ||
        length > record::kMaxRecordBytes) {
      return SkipDamagedRecords();
    }
    const std::size_t total = static_cast<std::size_t>(length) + record::kRecordOverheadBytes;
    if (bytes.size() < total) {
      const Result<ByteSpan> more = window_.At(part_.end, total);
      if (!more) return Fails(more.error());
      if (more->size() < total) return SkipDamagedRecords();
      bytes = *more;
    }
    const ByteSpan payload =
        bytes.subspan(record::kRecordHeaderBytes, static_cast<std::size_t>(length));
    // The record is complete: the bytes of its last checksum are available.
    index_.series.PrefetchNext();
    const auto footer = Load<std::uint32_t>(payload.data() + payload.size());
    if (record::ToInteger(record::ComputeMaskedCrc(payload)) != footer) {
      return SkipDamagedRecords();
    }
    index_.crc_sum += footer;
    AddRecord(part_.end, payload);
    part_.end += total;
    is_long_ = length >= kMinMappedRecordBytes && index_.state.has_version_2;
    return true;
  }

  void AddRecord(std::uint64_t offset, ByteSpan payload) {
    const std::size_t count = index_.series.size();
    const std::optional<std::uint32_t> scalar = index_.AddRecord(offset, payload);
    if (!scalar) return;
    const bool is_first_of_tag = *scalar >= count;
    matcher_->Learn(payload, *scalar, is_first_of_tag ? index_.series[*scalar].info : nullptr);
  }

  // Uses RecordReader to skip damaged or truncated records. If this has happened often,
  // RecordReader reads the rest of the part.
  bool SkipDamagedRecords() {
    const bool to_the_end = part_.damage_count + 1 >= kMaxQuickDamage;
    record::RecordReader reader(source_, part_.end);
    reader.SkipSearched(part_.searched_end);
    do {
      const Result<record::Record> record = reader.Next();
      if (record) {
        UpdateProgress();
        index_.crc_sum += record::ToInteger(record::ComputeMaskedCrc(record->payload));
        AddRecord(record->offset, record->payload);
      } else if (record.error().code == ErrorCode::kDataLoss) {
        ++part_.damage_count;
        std::string reason = record.error().message;
        if (source_.file().HasBadBlock(part_.end, reader.offset())) {
          reason += "; " + source_.file().error()->message;
        }
        index_.AddSkipped({part_.end, reader.offset() - part_.end, std::move(reason)});
      } else if (record.error().code == ErrorCode::kTruncated) {
        part_.searched_end = reader.searched_end();
        return false;
      } else {
        return Fails(record.error());
      }
      part_.end = reader.offset();
    } while (to_the_end && part_.end < stop_);
    return true;
  }

  bool Fails(Error error) {
    part_.error = std::move(error);
    return false;
  }

  Part& part_;
  PartIndex& index_;
  const std::uint64_t stop_;
  const std::uint64_t expected_end_;
  const ReadOptions& options_;
  FileWindow window_;
  record::FileSource source_;  // For damaged records.
  bool is_long_ = false;       // The last record was long, so the next one may be long, too.
  const LentMatcher matcher_;
};

}  // namespace

void ReadPart(const File& file, Part& part, std::uint64_t stop, std::uint64_t file_bytes,
              const ReadOptions& options, ByteSpan content) {
  Reader(file, part, stop, file_bytes, options, content).Read();
}

}  // namespace cboard::reader
