#include "reader/index/populate.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

namespace cboard::reader {
namespace {

constexpr std::size_t kPageBytes = 4096;
// Number of bytes that Linux maps at most at once by default.
constexpr std::size_t kAroundBytes = 64 << 10;

// Size of the pieces in which pages are mapped. They are small, because no other thread can map or
// unmap memory during a call.
constexpr std::size_t kSomeBytes = std::size_t{2} << 20;

// Maps each of `pages`. Since Linux 6.14, this is one system call for all pages; before, it is one
// call per page.
bool PopulateEach(std::span<const iovec> pages) {
  constexpr int kThisProcess = -10000;  // The value of PIDFD_SELF_THREAD.
  const auto bytes = static_cast<long>(pages.size() * kPageBytes);
  if (::syscall(SYS_process_madvise, kThisProcess, pages.data(), pages.size(), MADV_POPULATE_READ,
                0) == bytes) {
    return true;
  }
  return std::ranges::all_of(pages, [](const iovec& page) {
    return ::madvise(page.iov_base, page.iov_len, MADV_POPULATE_READ) == 0;
  });
}

bool AreInMemory(ByteSpan pages) {
  std::array<unsigned char, kSomeBytes / kPageBytes> in_memory;
  if (::mincore(const_cast<std::byte*>(pages.data()), pages.size(), in_memory.data()) != 0) {
    return false;
  }
  const std::size_t count = (pages.size() + kPageBytes - 1) / kPageBytes;
  return std::all_of(in_memory.begin(), in_memory.begin() + static_cast<std::ptrdiff_t>(count),
                     [](unsigned char flags) { return (flags & 1) != 0; });
}

}  // namespace

bool PopulateCached(ByteSpan mapped) {
  while (!mapped.empty()) {
    const ByteSpan some = mapped.first(std::min(mapped.size(), kSomeBytes));
    std::array<iovec, kSomeBytes / kAroundBytes + 1> pages;
    std::size_t count = 0;
    for (std::size_t at = 0; at < some.size();) {
      std::byte* const page = const_cast<std::byte*>(some.data() + at);
      pages[count++] = {page, kPageBytes};
      at += kAroundBytes - reinterpret_cast<std::uintptr_t>(page) % kAroundBytes;
    }
    if (!PopulateEach(std::span(pages).first(count)) || !AreInMemory(some)) return false;
    mapped = mapped.subspan(some.size());
  }
  return true;
}

}  // namespace cboard::reader
