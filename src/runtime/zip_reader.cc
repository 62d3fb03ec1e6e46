#include "runtime/zip_reader.h"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cboard/base/strings.h"

namespace cboard::runtime {
namespace {

// Signatures and fixed sizes from APPNOTE.TXT, the specification of the ZIP format.
constexpr std::uint32_t kLocalHeader = 0x04034b50, kDirectoryEntry = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50, kEnd64 = 0x06064b50, kEnd64Locator = 0x07064b50;
constexpr std::size_t kLocalHeaderBytes = 30, kDirectoryEntryBytes = 46, kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56, kEnd64LocatorBytes = 20, kMaxComment = 65535;

// Maximum expansion factor of deflate.
constexpr std::uint64_t kMaxExpansion = 1032;

tl::unexpected<Error> Damaged(std::string what) {
  return Fail(ErrorCode::kDataLoss, "the ZIP file is damaged: " + std::move(what));
}

template <typename T>
T At(ByteSpan bytes, std::size_t offset) {
  return LoadLittleEndian<T>(bytes.subspan(offset, sizeof(T)));
}

// Returns `size` bytes at `offset`, or nullopt if the file is shorter.
std::optional<ByteSpan> Part(ByteSpan file, std::uint64_t offset, std::uint64_t size) {
  if (offset > file.size() || size > file.size() - offset) return std::nullopt;
  return file.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t count = 0;
};

Result<Directory> FindDirectory(ByteSpan file) {
  // Finds the end record, which a comment of unknown length follows. It is the last end record in
  // the file whose comment ends exactly at the end of the file.
  if (file.size() < kEndBytes) return Fail(ErrorCode::kTruncated, "truncated, or not a ZIP file");
  const std::size_t last = file.size() - kEndBytes;
  const std::size_t first = last > kMaxComment ? last - kMaxComment : 0;
  for (std::size_t at = last + 1; at-- > first;) {
    const ByteSpan end = file.subspan(at);
    if (At<std::uint32_t>(end, 0) != kEnd) continue;
    if (At<std::uint16_t>(end, 20) != end.size() - kEndBytes) continue;
    Directory directory{At<std::uint32_t>(end, 16), At<std::uint32_t>(end, 12),
                        At<std::uint16_t>(end, 10)};
    const bool is_large = directory.offset == 0xFFFFFFFFu || directory.size == 0xFFFFFFFFu ||
                          directory.count == 0xFFFFu;
    if (!is_large || at < kEnd64LocatorBytes) return directory;
    const ByteSpan locator = file.subspan(at - kEnd64LocatorBytes, kEnd64LocatorBytes);
    if (At<std::uint32_t>(locator, 0) != kEnd64Locator) return directory;
    const auto large = Part(file, At<std::uint64_t>(locator, 8), kEnd64Bytes);
    if (!large || At<std::uint32_t>(*large, 0) != kEnd64) {
      return Damaged("its 64-bit end record is missing");
    }
    return Directory{At<std::uint64_t>(*large, 48), At<std::uint64_t>(*large, 40),
                     At<std::uint64_t>(*large, 32)};
  }
  return Fail(ErrorCode::kTruncated, "truncated, or not a ZIP file");
}

// Reads the 64-bit sizes of an entry from its extra field. The field contains only sizes that do
// not fit into 32 bits, always in the same order.
Result<void> ReadLargeSizes(ByteSpan extra, ZipEntry& entry) {
  while (extra.size() >= 4) {
    const auto id = At<std::uint16_t>(extra, 0);
    const std::size_t size = At<std::uint16_t>(extra, 2);
    if (size > extra.size() - 4) break;
    ByteSpan field = extra.subspan(4, size);
    extra = extra.subspan(4 + size);
    if (id != 1) continue;
    for (std::uint64_t* value :
         {&entry.size_bytes, &entry.compressed_bytes, &entry.header_offset}) {
      if (*value != 0xFFFFFFFFu) continue;
      if (field.size() < 8) return Damaged("a 64-bit size is missing");
      *value = At<std::uint64_t>(field, 0);
      field = field.subspan(8);
    }
    return {};
  }
  return {};
}

}  // namespace

bool LooksLikeZip(ByteSpan file) {
  if (file.size() < 4) return false;
  const auto signature = At<std::uint32_t>(file, 0);
  // An empty archive consists only of the end record.
  return signature == kLocalHeader || signature == kEnd;
}

Result<std::vector<ZipEntry>> ListZip(ByteSpan file) {
  CBOARD_ASSIGN_OR_RETURN(const Directory directory, FindDirectory(file));
  auto rest = Part(file, directory.offset, directory.size);
  if (!rest) return Damaged("its directory ends after the end of the file");
  std::vector<ZipEntry> entries;
  std::uint64_t left_bytes = file.size();
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    if (rest->size() < kDirectoryEntryBytes || At<std::uint32_t>(*rest, 0) != kDirectoryEntry) {
      return Damaged("entry " + std::to_string(i) + " of its directory is invalid");
    }
    ZipEntry entry{.flags = At<std::uint16_t>(*rest, 8),
                   .method = At<std::uint16_t>(*rest, 10),
                   .crc = At<std::uint32_t>(*rest, 16),
                   .compressed_bytes = At<std::uint32_t>(*rest, 20),
                   .size_bytes = At<std::uint32_t>(*rest, 24),
                   .header_offset = At<std::uint32_t>(*rest, 42)};
    const std::size_t name = At<std::uint16_t>(*rest, 28), extra = At<std::uint16_t>(*rest, 30);
    const std::size_t comment = At<std::uint16_t>(*rest, 32);
    if (rest->size() - kDirectoryEntryBytes < name + extra + comment) {
      return Damaged("entry " + std::to_string(i) +
                     " of its directory ends after the end of the file");
    }
    entry.name = AsText(rest->subspan(kDirectoryEntryBytes, name));
    CBOARD_RETURN_IF_ERROR(
        ReadLargeSizes(rest->subspan(kDirectoryEntryBytes + name, extra), entry));
    // Refuses overlapping files, because a small archive could otherwise expand without limit.
    if (entry.compressed_bytes > left_bytes) return Damaged("two of its files overlap");
    left_bytes -= entry.compressed_bytes;
    entries.push_back(entry);
    rest = rest->subspan(kDirectoryEntryBytes + name + extra + comment);
  }
  return entries;
}

namespace {

// Decompresses the start of `deflated` until `out` is full, and stops there.
bool InflateBeginning(ByteSpan deflated, std::string& out) {
  constexpr std::size_t kMaxStepBytes = std::size_t{1} << 30;  // zlib's counters have 32 bits.
  const auto state = std::make_unique<inflate_state>();
  ::isal_inflate_init(state.get());
  state->crc_flag = ISAL_DEFLATE;
  std::size_t given = 0, filled = 0;
  while (filled < out.size()) {
    if (state->avail_in == 0 && given < deflated.size()) {
      const std::size_t step = std::min(deflated.size() - given, kMaxStepBytes);
      // The cast is safe: the library does not write to the bytes, although its type is not const.
      state->next_in = reinterpret_cast<std::uint8_t*>(
          const_cast<std::byte*>(deflated.data() + given));  // NOLINT
      state->avail_in = static_cast<std::uint32_t>(step);
      given += step;
    }
    const std::size_t room = std::min(out.size() - filled, kMaxStepBytes);
    state->next_out = reinterpret_cast<std::uint8_t*>(out.data() + filled);
    state->avail_out = static_cast<std::uint32_t>(room);
    const std::uint32_t left_before = state->avail_in;
    if (::isal_inflate(state.get()) != ISAL_DECOMP_OK) return false;
    const std::size_t made = room - state->avail_out;
    filled += made;
    const bool is_stuck = made == 0 && state->avail_in == left_before && given == deflated.size();
    if (is_stuck || (state->block_state == ISAL_BLOCK_FINISH && made == 0)) return false;
  }
  return true;
}

std::uint32_t ChecksumOf(ByteSpan bytes, const std::function<void()>& after_part) {
  constexpr std::size_t kPartBytes = std::size_t{16} << 20;
  std::uint32_t crc = 0;
  for (std::size_t begin = 0; begin < bytes.size(); begin += kPartBytes) {
    const ByteSpan part = bytes.subspan(begin, std::min(kPartBytes, bytes.size() - begin));
    crc = libdeflate_crc32(crc, part.data(), part.size());
    if (after_part) after_part();
  }
  return crc;
}

bool InflateWhole(ByteSpan deflated, std::string& out) {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> inflater(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  return inflater != nullptr &&
         libdeflate_deflate_decompress(inflater.get(), deflated.data(), deflated.size(), out.data(),
                                       out.size(), nullptr) == LIBDEFLATE_SUCCESS;
}

}  // namespace

Result<ZipContent> ReadZipEntry(ByteSpan file, const ZipEntry& entry, std::uint64_t wanted_bytes,
                                std::uint64_t max_bytes, const std::function<void()>& after_part) {
  const std::string shown = Quoted(entry.name);
  if ((entry.flags & 1) != 0) {
    return Fail(ErrorCode::kInvalidArgument,
                "the file " + shown + " in the ZIP file is encrypted; save it without a password");
  }
  const auto header = Part(file, entry.header_offset, kLocalHeaderBytes);
  if (!header || At<std::uint32_t>(*header, 0) != kLocalHeader) {
    return Damaged(shown + " is not at the place that the directory names");
  }
  const std::uint64_t start = entry.header_offset + kLocalHeaderBytes +
                              At<std::uint16_t>(*header, 26) + At<std::uint16_t>(*header, 28);
  const auto stored = Part(file, start, entry.compressed_bytes);
  if (!stored) return Damaged(shown + " ends after the end of the file");

  const std::uint64_t count = std::min(wanted_bytes, entry.size_bytes);
  const bool is_whole = count == entry.size_bytes;
  ZipContent content;
  constexpr std::uint16_t kStored = 0, kDeflated = 8;
  if (entry.method == kStored) {
    if (entry.size_bytes != entry.compressed_bytes)
      return Damaged(shown + " has two different sizes");
    content.in_place = stored->first(static_cast<std::size_t>(count));
  } else if (entry.method == kDeflated) {
    if (entry.size_bytes / kMaxExpansion > entry.compressed_bytes) {
      return Damaged(shown + " would decompress to " + std::to_string(entry.size_bytes) +
                     " bytes from only " + std::to_string(entry.compressed_bytes));
    }
    if (count > max_bytes) {
      return Fail(ErrorCode::kResourceExhausted,
                  "the file " + shown + " in the ZIP file needs " +
                      HumanBytes(static_cast<double>(count)) +
                      " of memory to be decompressed, but only " +
                      HumanBytes(static_cast<double>(max_bytes)) +
                      " are free; save it uncompressed with numpy.savez, or use fewer samples");
    }
    content.memory.resize(static_cast<std::size_t>(count));
    content.is_inflated = true;
    if (!(is_whole ? InflateWhole : InflateBeginning)(*stored, content.memory)) {
      return Damaged(shown + " cannot be decompressed");
    }
  } else {
    return Fail(ErrorCode::kInvalidArgument,
                "the file " + shown + " in the ZIP file is compressed with method " +
                    std::to_string(entry.method) +
                    ", but only stored and deflated files can be read; save it with numpy.savez");
  }
  const ByteSpan bytes = content.bytes();
  if (is_whole && ChecksumOf(bytes, after_part) != entry.crc) {
    return Damaged(shown + " does not match its checksum");
  }
  return content;
}

}  // namespace cboard::runtime
