// A file mapped into memory that another program may shorten at any time.
//
//   CBOARD_ASSIGN_OR_RETURN(const auto mapping, GuardedMapping::Map(file.descriptor(), size));
//   … read mapping->bytes() …
//   if (mapping->lost_bytes()) …  // Zeros were read where the file had ended.
//
// Reading a mapped page behind the end of its file raises SIGBUS, which ends the process. While at
// least one mapping exists, a handler for SIGBUS replaces the missing pages with zeros and marks
// the mapping. Other faults go to the handler that was there before, unchanged. Loading this code
// installs nothing, and the last mapping restores the earlier handler when it ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "cboard/base/bytes.h"

namespace cboard {

// Guards addresses at which its owner maps files, one after the other: missing pages there become
// zeros. End it before the addresses are given back to the system.
class MappingGuard {
 public:
  // Null when a mapping cannot be guarded: the calling thread blocks SIGBUS, kMaxGuards exist, or
  // the system refuses. The caller then reads the file instead.
  static std::unique_ptr<MappingGuard> Create(ByteSpan memory);

  // How many there may be at once in a process; the handler looks through all of them.
  static constexpr std::size_t kMaxGuards = 1024;

  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;
  ~MappingGuard();

  // Also guards the other mappings in this process of the file that is mapped at `address`. False
  // when /proc cannot be read.
  bool GuardOthers(const std::byte* address);

  // True once pages were replaced by zeros.
  bool lost_bytes() const;

 private:
  explicit MappingGuard(std::size_t slot) : slot_(slot) {}

  std::size_t slot_;
};

// Immutable and safe to share between threads, except that bytes change when another program
// writes to the file. A reader must therefore check every offset after it has loaded it, and must
// not load it again.
class GuardedMapping {
 public:
  // Maps `size` bytes, at least one, of an open file for reading. Null when a mapping cannot be
  // guarded (see MappingGuard), or the system refuses. The caller then reads the file instead.
  static std::unique_ptr<GuardedMapping> Map(int descriptor, std::size_t size);

  GuardedMapping(const GuardedMapping&) = delete;
  GuardedMapping& operator=(const GuardedMapping&) = delete;
  ~GuardedMapping();

  ByteSpan bytes() const { return bytes_; }

  // From now on the handler also replaces missing pages in mappings of this file that somebody else
  // in this process has made: ONNX Runtime maps the files with a model's weights. They count as
  // lost_bytes(), too. False when /proc cannot be read; then only this mapping is guarded.
  bool GuardOthers() { return guard_->GuardOthers(bytes_.data()); }

  // True once bytes were read that the file no longer had, or that the disk could not deliver:
  // from the first of them on, all bytes are zero.
  bool lost_bytes() const { return guard_->lost_bytes(); }

 private:
  GuardedMapping(ByteSpan bytes, std::unique_ptr<MappingGuard> guard)
      : bytes_(bytes), guard_(std::move(guard)) {}

  ByteSpan bytes_;
  std::unique_ptr<MappingGuard> guard_;
};

}  // namespace cboard
