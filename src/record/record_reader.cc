#include "cboard/record/record_reader.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string>

#include "cboard/record/crc32c.h"
#include "cboard/record/record_writer.h"

namespace cboard::record {
namespace {

// Bytes per read: large enough that one system call reads many small records.
constexpr std::size_t kWindowBytes = std::size_t{256} << 10;

std::string Hex(MaskedCrc crc) {
  std::array<char, 16> text;
  std::snprintf(text.data(), text.size(), "0x%08x", ToInteger(crc));
  return text.data();
}

std::string At(std::uint64_t offset) { return "record at offset " + std::to_string(offset) + ": "; }

MaskedCrc StoredCrc(ByteSpan bytes) { return MaskedCrc{LoadLittleEndian<std::uint32_t>(bytes)}; }

bool HeaderChecksumMatches(ByteSpan header) {
  return LoadLittleEndian<std::uint64_t>(header) <= kMaxRecordBytes &&
         ComputeMaskedCrc(header.first<8>()) == StoredCrc(header.subspan<8, 4>());
}

// Returns the number of zero bytes at the start of `bytes`. Files whose space was reserved in
// advance have long runs of zeros.
std::size_t LeadingZeros(ByteSpan bytes) {
  std::size_t count = 0;
  while (count + 8 <= bytes.size() && LoadLittleEndian<std::uint64_t>(bytes.subspan(count)) == 0) {
    count += 8;
  }
  while (count < bytes.size() && bytes[count] == std::byte{0}) ++count;
  return count;
}

// Returns the position of the first header with a valid checksum; if there is none, the position
// after the last possible header.
std::size_t FindHeader(ByteSpan window) {
  std::size_t i = 0;
  while (i + kRecordHeaderBytes <= window.size()) {
    if (window[i] == std::byte{0} && window[i + kRecordHeaderBytes - 1] == std::byte{0}) {
      // Twelve zero bytes cannot be a header, because the checksum of the length 0 is not 0.
      const std::size_t zeros = LeadingZeros(window.subspan(i));
      if (zeros >= kRecordHeaderBytes) {
        i += zeros - kRecordHeaderBytes + 1;
        continue;
      }
    }
    if (HeaderChecksumMatches(window.subspan(i, kRecordHeaderBytes))) break;
    ++i;
  }
  return i;
}

// Returns advice for the error message if the file is compressed with gzip.
std::string HintAtFormat(std::uint64_t offset, ByteSpan header) {
  const bool is_gzip = offset == 0 && header[0] == std::byte{0x1F} && header[1] == std::byte{0x8B};
  return is_gzip ? " (it is compressed with gzip: decompress it with gunzip)" : "";
}

Error IncompleteRecord(std::uint64_t offset, std::size_t available) {
  return {ErrorCode::kTruncated, available == 0 ? "end of file at offset " + std::to_string(offset)
                                                : At(offset) + "the file ends " +
                                                      std::to_string(available) + " bytes into it"};
}

}  // namespace

std::uint64_t FileSource::EndOfHole(std::uint64_t offset) {
  const off_t data = ::lseek(file_.file().descriptor(), static_cast<off_t>(offset), SEEK_DATA);
  if (data >= 0) return static_cast<std::uint64_t>(data);
  return errno == ENXIO ? std::max(offset, file_.file().Size().value_or(offset)) : offset;
}

// Returns `size` bytes from `offset` on, or fewer at the current end of the source.
Result<ByteSpan> RecordReader::Window(std::uint64_t offset, std::size_t size) {
  const auto covered = [&] {
    return offset >= window_offset_ && offset + size <= window_offset_ + window_.size();
  };
  if (!covered()) {
    // The buffer grows as bytes arrive. The size of the file thus limits the memory, even if a
    // damaged length field asks for more.
    std::size_t wanted = std::max(std::min(size, kWindowBytes), kWindowBytes);
    std::vector<std::byte> window;
    while (true) {
      const std::size_t had = window.size();
      window.resize(wanted);
      CBOARD_ASSIGN_OR_RETURN(const std::size_t got,
                              source_.ReadAt(offset + had, MutableByteSpan(window).subspan(had)));
      window.resize(had + got);
      if (had + got < wanted || wanted >= size) break;
      wanted = std::min(size, wanted * 2);
    }
    window_ = std::move(window);
    window_offset_ = offset;
  }
  const auto start = static_cast<std::size_t>(offset - window_offset_);
  return ByteSpan(window_).subspan(start, std::min(size, window_.size() - start));
}

// Limits the time that damaged lengths cost. Normal damage costs at most one useless check per
// byte, because records do not overlap. In a crafted file, a valid header can begin at every byte,
// each with a payload up to the end of the file; checking all these payloads would take quadratic
// time.
bool RecordReader::ShouldCheckPayload(std::uint64_t offset, std::uint64_t length) const {
  constexpr std::uint64_t kAlwaysBytes = 4096;
  constexpr std::uint64_t kFirstBytes = std::uint64_t{64} << 20;
  constexpr std::uint64_t kLooksPerByte = 4;
  return length <= kAlwaysBytes || wasted_bytes_ <= kFirstBytes + kLooksPerByte * (offset + length);
}

Result<Record> RecordReader::Next() {
  CBOARD_ASSIGN_OR_RETURN(const ByteSpan header, Window(offset_, kRecordHeaderBytes));
  if (header.size() < kRecordHeaderBytes) return Fail(IncompleteRecord(offset_, header.size()));
  const auto length = LoadLittleEndian<std::uint64_t>(header);
  const MaskedCrc length_crc = ComputeMaskedCrc(header.first<8>());
  if (length_crc != StoredCrc(header.subspan<8, 4>())) {
    return SkipDamage("length checksum is " + Hex(StoredCrc(header.subspan<8, 4>())) +
                      " but the bytes give " + Hex(length_crc) + HintAtFormat(offset_, header));
  }
  if (length > kMaxRecordBytes) {
    return SkipDamage("length " + std::to_string(length) + " is more than a record can hold");
  }
  if (!ShouldCheckPayload(offset_, length)) {
    return SkipDamage("length " + std::to_string(length) +
                      " was not believed, since so many before were wrong");
  }
  const std::size_t total = kRecordOverheadBytes + static_cast<std::size_t>(length);
  CBOARD_ASSIGN_OR_RETURN(const ByteSpan record, Window(offset_, total));
  if (record.size() < total) return SkipTorn(record.size());
  const ByteSpan payload = record.subspan(kRecordHeaderBytes, static_cast<std::size_t>(length));
  const MaskedCrc stored = StoredCrc(record.last<kRecordFooterBytes>());
  if (const MaskedCrc actual = ComputeMaskedCrc(payload); actual != stored) {
    wasted_bytes_ += total;
    return SkipDamage("payload checksum is " + Hex(stored) + " but the bytes give " + Hex(actual));
  }
  const Record found{offset_, payload};
  offset_ += total;
  return found;
}

// Finds the first complete, valid record at or after `from`.
Result<RecordReader::Found> RecordReader::FindRecord(std::uint64_t from) {
  Found found{.offset = from};
  while (true) {
    CBOARD_ASSIGN_OR_RETURN(const ByteSpan at_hand, Window(found.offset, kRecordHeaderBytes));
    // The remaining bytes may be the start of a header that is still being written.
    if (at_hand.size() < kRecordHeaderBytes) return found;
    const ByteSpan window =
        ByteSpan(window_).subspan(static_cast<std::size_t>(found.offset - window_offset_));
    const std::size_t i = FindHeader(window);
    found.offset += i;
    if (i + kRecordHeaderBytes > window.size()) {
      if (LeadingZeros(window) == window.size()) {  // A header may start with the last zeros.
        constexpr std::uint64_t kOverlapBytes = kRecordHeaderBytes - 1;
        const std::uint64_t end = source_.EndOfHole(found.offset);
        if (end > found.offset + kOverlapBytes) found.offset = end - kOverlapBytes;
      }
      continue;
    }
    const ByteSpan header = window.subspan(i, kRecordHeaderBytes);
    const auto length = static_cast<std::size_t>(LoadLittleEndian<std::uint64_t>(header));
    if (ShouldCheckPayload(found.offset, length)) {
      CBOARD_ASSIGN_OR_RETURN(const ByteSpan record,
                              Window(found.offset, length + kRecordOverheadBytes));
      if (record.size() < length + kRecordOverheadBytes) {
        if (found.first_torn == 0) found.first_torn = found.offset;
      } else if (ComputeMaskedCrc(record.subspan(kRecordHeaderBytes, length)) ==
                 StoredCrc(record.last<kRecordFooterBytes>())) {
        found.is_whole = true;
        return found;
      }
      // The payload is damaged or incomplete, or the bytes before it look like a header only by
      // chance.
      wasted_bytes_ += record.size();
    }
    ++found.offset;
  }
}

// Moves to the next complete, valid record. If there is none, moves to the first incomplete record,
// which a program may still be writing. If there is none either, moves to the current end.
Result<Record> RecordReader::SkipDamage(std::string reason) {
  CBOARD_ASSIGN_OR_RETURN(const Found found, FindRecord(offset_ + 1));
  const bool is_torn = !found.is_whole && found.first_torn != 0;
  return Skipped(reason, is_torn ? found.first_torn : found.offset);
}

// Handles an incomplete record at the current position; `available` bytes of the record exist.
Result<Record> RecordReader::SkipTorn(std::size_t available) {
  CBOARD_ASSIGN_OR_RETURN(const Found found, FindRecord(std::max(offset_ + 1, searched_end_)));
  if (!found.is_whole) {
    searched_end_ = found.first_torn != 0 ? found.first_torn : found.offset;
    return Fail(IncompleteRecord(offset_, available));
  }
  return Skipped("it was cut, and others follow", found.offset);
}

tl::unexpected<Error> RecordReader::Skipped(const std::string& reason, std::uint64_t end) {
  const std::uint64_t begin = offset_;
  skipped_bytes_ += end - begin;
  offset_ = end;
  return Fail(ErrorCode::kDataLoss,
              At(begin) + reason + "; skipped " + std::to_string(end - begin) +
                  " bytes of the event file, up to offset " + std::to_string(end));
}

}  // namespace cboard::record
