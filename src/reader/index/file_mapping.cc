#include "reader/index/file_mapping.h"

#include <sys/mman.h>

#include <algorithm>

#include "reader/index/populate.h"

namespace cboard::reader {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kHugePageBytes = std::uint64_t{2} << 20;

// Number of bytes that are mapped at once. Each thread has such a piece, and its pages count as
// memory of the process. Larger pieces are not faster.
constexpr std::uint64_t kMappedBytes = std::uint64_t{8} << 20;

constexpr std::uint64_t RoundDown(std::uint64_t value, std::uint64_t unit) {
  return value / unit * unit;
}

// True if a few sample pages are in memory. mincore() for all pages would cost more time than it
// saves.
bool AreInMemory(ByteSpan pages) {
  for (std::size_t part = 0; part < 3; ++part) {
    const std::size_t at = RoundDown((pages.size() - 1) / 2 * part, kPageBytes);
    unsigned char in_memory = 0;
    void* const page = const_cast<std::byte*>(pages.data() + at);
    if (::mincore(page, 1, &in_memory) != 0 || (in_memory & 1) == 0) return false;
  }
  return true;
}

// Maps all pages in small pieces: during a call, no other thread can map or unmap memory.
bool PopulateAll(ByteSpan pages) {
  while (!pages.empty()) {
    const ByteSpan some = pages.first(std::min<std::size_t>(pages.size(), kHugePageBytes));
    if (!Populate(some)) return false;
    pages = pages.subspan(some.size());
  }
  return true;
}

}  // namespace

FileMapping::~FileMapping() { Release(); }

ByteSpan FileMapping::Map(std::uint64_t offset, std::size_t wanted, std::uint64_t limit) {
  const std::uint64_t size = file_.Size().value_or(0);
  if (size < offset || size - offset < wanted) return {};
  const std::uint64_t first = RoundDown(offset, kHugePageBytes);
  const std::uint64_t end =
      std::max(offset + wanted, std::min({limit, size, first + kMappedBytes}));
  ByteSpan pages = MapPages(first, end);
  if (!pages.empty()) pages = pages.subspan(RoundDown(offset - first, kPageBytes));
  if (pages.empty() || !AreInMemory(pages) || !(PopulateCached(pages) || PopulateAll(pages))) {
    return {};
  }
  return pages.subspan(static_cast<std::size_t>(offset % kPageBytes));
}

// Maps bytes of the file. Addresses and file offsets differ by a multiple of a huge page; the
// system can then map huge pages, which makes mapping and reading faster.
ByteSpan FileMapping::MapPages(std::uint64_t first, std::uint64_t end) {
  const auto bytes = static_cast<std::size_t>(end - first);
  if (!Reserve(bytes + kHugePageBytes)) return {};
  // Releases the pages of the previous piece first. Mapping over existing pages would block all
  // other threads that map memory.
  ::madvise(memory_, memory_bytes_, MADV_DONTNEED);
  const auto address = reinterpret_cast<std::uintptr_t>(memory_);
  const std::uint64_t shift = (first - address) % kHugePageBytes;
  void* const mapped = ::mmap(memory_ + shift, bytes, PROT_READ, MAP_SHARED | MAP_FIXED,
                              file_.descriptor(), static_cast<off_t>(first));
  if (mapped == MAP_FAILED) return {};
  return {static_cast<const std::byte*>(mapped), bytes};
}

// Reserves an address range that all pieces use. A change of the range would block all threads with
// a mapped piece.
bool FileMapping::Reserve(std::size_t bytes) {
  if (memory_bytes_ >= bytes) return true;
  Release();
  const std::size_t wanted = std::max<std::size_t>(bytes, kMappedBytes + kHugePageBytes);
  void* const memory =
      ::mmap(nullptr, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  memory_ = static_cast<std::byte*>(memory);
  memory_bytes_ = wanted;
  guard_ = MappingGuard::Create({memory_, memory_bytes_});
  if (!guard_) Release();
  return guard_ != nullptr;
}

void FileMapping::Release() {
  guard_.reset();
  if (memory_ != nullptr) ::munmap(memory_, memory_bytes_);
  memory_ = nullptr;
  memory_bytes_ = 0;
}

}  // namespace cboard::reader
