// Preloaded by bad_disk_test.py: simulates a disk that cannot read some blocks of event files.
//
//   LD_PRELOAD=… UNREADABLE=file: the file contains the first and the last of these blocks as two
//   numbers; without the file, the disk works.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr off_t kBlockBytes = 4096;

bool IsEventFile(int descriptor) {
  std::array<char, 4096> target = {};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  return ::readlink(link.c_str(), target.data(), target.size() - 1) > 0 &&
         std::strstr(target.data(), "tfevents") != nullptr;
}

// The bytes at `offset` that can be read; `wanted` if all can be read.
std::size_t Readable(int descriptor, off_t offset, std::size_t wanted) {
  const char* const path = std::getenv("UNREADABLE");
  if (path == nullptr || !IsEventFile(descriptor)) return wanted;
  std::FILE* const file = std::fopen(path, "re");
  if (file == nullptr) return wanted;
  long first = 0, last = -1;
  const bool is_valid = std::fscanf(file, "%ld %ld", &first, &last) == 2;
  std::fclose(file);
  const off_t begin = first * kBlockBytes, end = (last + 1) * kBlockBytes;
  if (!is_valid || offset >= end) return wanted;
  if (offset >= begin) return 0;
  return std::min(wanted, static_cast<std::size_t>(begin - offset));
}

}  // namespace

#define CBOARD_EXPORTED __attribute__((visibility("default")))

extern "C" {

CBOARD_EXPORTED ssize_t pread64(int descriptor, void* buffer, std::size_t wanted, off64_t offset) {
  using Read = ssize_t (*)(int, void*, std::size_t, off64_t);
  static const auto read = reinterpret_cast<Read>(::dlsym(RTLD_NEXT, "pread64"));
  const std::size_t count = Readable(descriptor, offset, wanted);
  if (count > 0 || wanted == 0) return read(descriptor, buffer, count, offset);
  errno = EIO;
  return -1;
}

CBOARD_EXPORTED ssize_t pread(int descriptor, void* buffer, std::size_t wanted, off_t offset) {
  return pread64(descriptor, buffer, wanted, offset);
}

// Nothing is in memory, so that files are read and not mapped.
CBOARD_EXPORTED int mincore(void*, std::size_t bytes, unsigned char* in_memory) noexcept {
  std::memset(in_memory, 0, (bytes + kBlockBytes - 1) / kBlockBytes);
  return 0;
}

}  // extern "C"
