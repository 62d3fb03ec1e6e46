// Reads a file on a disk that cannot read some of its blocks.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/file.h"
#include "cboard/base/result.h"

namespace cboard::record {

// Not thread-safe.
class ReadableFile {
 public:
  explicit ReadableFile(const File& file) : file_(file) {}  // Borrows `file`.

  // Like File::ReadAt(), but the bytes of blocks that the disk cannot read are zeros: no record
  // consists of zeros, so these blocks are damage between the other records. Fails if there are
  // many such blocks, or if they take long: then the disk is probably gone.
  Result<std::size_t> ReadAt(std::uint64_t offset, MutableByteSpan buffer);

  // The error for the first block that cannot be read.
  const std::optional<Error>& error() const { return error_; }

  // Whether one of these blocks has bytes between `begin` and `end`.
  bool HasBadBlock(std::uint64_t begin, std::uint64_t end) const;

  const File& file() const { return file_; }

 private:
  Result<std::size_t> ReadBlocks(std::uint64_t offset, MutableByteSpan buffer, const Error& error);
  bool Skips(std::uint64_t block);

  const File& file_;
  std::optional<Error> error_;
  std::vector<std::uint64_t> bad_blocks_;
  std::chrono::steady_clock::time_point give_up_;  // Set with the first bad block.
};

}  // namespace cboard::record
