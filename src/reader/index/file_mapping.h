// A piece of a file in memory without copying it.
#pragma once

#include <cstdint>

#include "cboard/base/bytes.h"
#include "cboard/base/file.h"
#include "reader/index/file_lease.h"

namespace cboard::reader {

// Not thread-safe, but others may map pieces of the same file with the same lease.
class FileMapping {
 public:
  // Borrows both.
  FileMapping(const File& file, FileLease& lease) : file_(file), lease_(lease) {}
  ~FileMapping() { Unmap(); }
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  // The bytes from `offset` on: `wanted` of them or more, but none at or behind `limit` unless they
  // are wanted. Behind them `padding` more may be looked at. Valid until the next call. Empty if
  // the file is too short, is not lent (see FileLease), or is not in memory: what comes from the
  // disk is better read, since the system then reads ahead.
  ByteSpan Map(std::uint64_t offset, std::size_t wanted, std::uint64_t limit, std::size_t padding);

  void Unmap();

 private:
  ByteSpan MapPages(std::uint64_t first, std::uint64_t end);
  bool AreInMemory(ByteSpan pages) const;

  bool Reserve(std::size_t bytes);
  void Leave();

  const File& file_;
  FileLease& lease_;
  void* memory_ = nullptr;  // Addresses for all pieces, one after the other.
  std::size_t memory_bytes_ = 0;
  bool has_entered_ = false;
};

}  // namespace cboard::reader
