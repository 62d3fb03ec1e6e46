// A file mapped into memory that another program may truncate at any time.
//
//   CBOARD_ASSIGN_OR_RETURN(const auto mapping, GuardedMapping::Map(file.descriptor(), size));
//   … read mapping->bytes() …
//   if (mapping->lost_bytes()) …  // Zeros were read where the file had ended.
//
// Reading a mapped page behind the end of its file raises SIGBUS, which ends the process. While at
// least one mapping exists, a handler for SIGBUS replaces the missing pages with zeros and marks
// the mapping. Other faults are forwarded to the earlier handler. The handler is installed with the
// first mapping and removed with the last one.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "cboard/base/bytes.h"

namespace cboard {

// Guards an address range at which its owner maps files, one after the other: missing pages become
// zeros. Destroy it before the range is unmapped.
class MappingGuard {
 public:
  // Returns null if the range cannot be guarded: the calling thread blocks SIGBUS, kMaxGuards
  // exist, or the system refuses. The caller then reads the file instead.
  static std::unique_ptr<MappingGuard> Create(ByteSpan memory);

  // Maximum number of guards in a process; the handler searches all of them.
  static constexpr std::size_t kMaxGuards = 1024;

  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;
  ~MappingGuard();

  // Also guards all other mappings in this process of the file that is mapped at `address`. Returns
  // false if /proc cannot be read.
  bool GuardOthers(const std::byte* address);

  // True if missing pages of the mapping were replaced by zeros.
  bool lost_bytes() const;

 private:
  explicit MappingGuard(std::size_t slot) : slot_(slot) {}

  std::size_t slot_;
};

// A mapped file. Safe to share between threads. Its bytes change if another program
// writes to the file, so a reader must load an offset once, check it, and not load it
// again.
class GuardedMapping {
 public:
  // Maps `size` bytes, at least one, of an open file for reading. Returns null if a mapping cannot
  // be guarded (see MappingGuard), or if the system refuses. The caller then reads the file
  // instead.
  static std::unique_ptr<GuardedMapping> Map(int descriptor, std::size_t size);

  GuardedMapping(const GuardedMapping&) = delete;
  GuardedMapping& operator=(const GuardedMapping&) = delete;
  ~GuardedMapping();

  ByteSpan bytes() const { return bytes_; }

  // Also guards the mappings of this file that other code in this process creates, now or later:
  // ONNX Runtime maps the files with a model's weights. lost_bytes() includes them. Returns false
  // if /proc cannot be read; then only this mapping is guarded.
  bool GuardOthers() { return guard_->GuardOthers(bytes_.data()); }

  // True if bytes were read that no longer existed in the file, or that the disk could not deliver.
  // All bytes from the first of them on are zero.
  bool lost_bytes() const { return guard_->lost_bytes(); }

 private:
  GuardedMapping(ByteSpan bytes, std::unique_ptr<MappingGuard> guard)
      : bytes_(bytes), guard_(std::move(guard)) {}

  ByteSpan bytes_;
  std::unique_ptr<MappingGuard> guard_;
};

}  // namespace cboard
