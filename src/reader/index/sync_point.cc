#include "reader/index/sync_point.h"

#include "cboard/record/crc32c.h"
#include "cboard/record/record_writer.h"

namespace cboard::reader {
namespace {

constexpr std::uint64_t kMaxScannedBytes = 32 << 20;
// Maximum number of positions that are checked. Random bytes almost never look like a record; a
// crafted file may have many such positions.
constexpr int kMaxCandidates = 16;

bool HeaderChecksumMatches(ByteSpan header) {
  const auto length = LoadLittleEndian<std::uint64_t>(header);
  return length <= record::kMaxRecordBytes &&
         record::ToInteger(record::ComputeMaskedCrc(header.first<8>())) ==
             LoadLittleEndian<std::uint32_t>(header.subspan<8, 4>());
}

}  // namespace

std::optional<std::uint64_t> EndOfRecord(FileWindow& window, std::uint64_t offset,
                                         std::uint64_t end) {
  Result<ByteSpan> bytes = window.At(offset, record::kRecordHeaderBytes);
  if (!bytes || bytes->size() < record::kRecordHeaderBytes || !HeaderChecksumMatches(*bytes))
    return std::nullopt;
  const auto length = static_cast<std::size_t>(LoadLittleEndian<std::uint64_t>(*bytes));
  const std::size_t total = length + record::kRecordOverheadBytes;
  if (offset > end || total > end - offset) return std::nullopt;
  bytes = window.At(offset, total);
  if (!bytes || bytes->size() < total) return std::nullopt;
  const ByteSpan payload = bytes->subspan(record::kRecordHeaderBytes, length);
  const auto stored =
      LoadLittleEndian<std::uint32_t>(bytes->subspan(record::kRecordHeaderBytes + length));
  if (record::ToInteger(record::ComputeMaskedCrc(payload)) != stored) return std::nullopt;
  return offset + total;
}

std::optional<std::uint64_t> FindSyncPoint(const File& file, std::uint64_t from,
                                           std::uint64_t end) {
  FileWindow window(file);
  int candidates = 0;
  std::uint64_t offset = from;
  while (offset < end && offset - from < kMaxScannedBytes) {
    const Result<ByteSpan> bytes = window.At(offset, record::kRecordHeaderBytes);
    if (!bytes || bytes->size() < record::kRecordHeaderBytes) return std::nullopt;
    std::size_t i = 0;
    const std::size_t last = bytes->size() - record::kRecordHeaderBytes;
    while (i <= last) {
      const ByteSpan header = bytes->subspan(i, record::kRecordHeaderBytes);
      if (LoadLittleEndian<std::uint32_t>(header.subspan<4, 4>()) == 0 &&
          HeaderChecksumMatches(header))
        break;
      ++i;
    }
    offset += i;
    if (i > last) continue;
    if (const auto behind = EndOfRecord(window, offset, end)) {
      if (*behind < end && EndOfRecord(window, *behind, end)) return offset;
    }
    if (++candidates == kMaxCandidates) return std::nullopt;
    ++offset;
  }
  return std::nullopt;
}

}  // namespace cboard::reader
