// Maps a piece of a file into memory without copying it.
#pragma once

#include <cstdint>
#include <memory>

#include "base/guarded_mapping.h"
#include "cboard/base/bytes.h"
#include "cboard/base/file.h"

namespace cboard::reader {

// Other programs may change the file at any time: then the mapped bytes change, and bytes behind a
// new end of the file become zero. Never parse the mapped bytes directly. Compare them with a
// checksum that was copied before, or copy them first. Not thread-safe, but several threads may map
// pieces of the same file, each with its own object.
class FileMapping {
 public:
  // Creates an object that maps nothing yet. It borrows the file.
  explicit FileMapping(const File& file) : file_(file) {}
  ~FileMapping();
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  // Maps at least `wanted` bytes from `offset` on. Bytes behind `limit` are mapped only if they are
  // among the `wanted` bytes. The result is valid until the next call. It is empty if the file is
  // too short, if mappings cannot be guarded (see MappingGuard), or if the bytes are not in the
  // page cache. In the last case, reading is faster, because the system reads ahead.
  ByteSpan Map(std::uint64_t offset, std::size_t wanted, std::uint64_t limit);

 private:
  ByteSpan MapPages(std::uint64_t first, std::uint64_t end);
  bool Reserve(std::size_t bytes);
  void Release();

  const File& file_;
  std::byte* memory_ = nullptr;  // The address range that all pieces use, one after the other.
  std::size_t memory_bytes_ = 0;
  std::unique_ptr<MappingGuard> guard_;  // Guards the mapping against SIGBUS.
};

}  // namespace cboard::reader
