// A piece of a file in memory without copying it.
#pragma once

#include <cstdint>
#include <memory>

#include "base/guarded_mapping.h"
#include "cboard/base/bytes.h"
#include "cboard/base/file.h"

namespace cboard::reader {

// Other programs may write to the file at any time: the bytes change, and those behind a new end of
// the file become zeros. Never interpret them: compare them with a checksum that was copied before,
// or copy them first.
//
// Not thread-safe, but others may map pieces of the same file.
class FileMapping {
 public:
  // Borrows the file.
  explicit FileMapping(const File& file) : file_(file) {}
  ~FileMapping();
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  // The bytes from `offset` on: `wanted` of them or more, but none at or behind `limit` unless they
  // are wanted. Valid until the next call. Empty if the file is too short, mappings cannot be
  // guarded (see MappingGuard), or the bytes are not in memory: bytes on the disk are better read,
  // since the system then reads ahead.
  ByteSpan Map(std::uint64_t offset, std::size_t wanted, std::uint64_t limit);

 private:
  ByteSpan MapPages(std::uint64_t first, std::uint64_t end);
  bool Reserve(std::size_t bytes);
  void Release();

  const File& file_;
  std::byte* memory_ = nullptr;  // Addresses for all pieces, one after the other.
  std::size_t memory_bytes_ = 0;
  std::unique_ptr<MappingGuard> guard_;  // Guards the mapping.
};

}  // namespace cboard::reader
