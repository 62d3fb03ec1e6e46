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

// Guards an address range in which its owner maps files, one after the other: pages that the file
// no longer has are read as zeros. Destroy the guard before the range is unmapped.
class MappingGuard {
 public:
  // Returns null if the range cannot be guarded: the calling thread blocks SIGBUS, kMaxGuards
  // exist, or the system refuses. The caller must then read the file without a mapping.
  static std::unique_ptr<MappingGuard> Create(ByteSpan memory);

  // Maximum number of guards in a process; the handler searches all of them.
  static constexpr std::size_t kMaxGuards = 1024;

  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;
  ~MappingGuard();

  // Also guards all other mappings that this process has of the file mapped at `address`. Returns
  // false if /proc cannot be read.
  bool GuardOthers(const std::byte* address);

  // True if missing pages of the address range were replaced by zeros.
  bool lost_bytes() const;

 private:
  explicit MappingGuard(std::size_t slot) : slot_(slot) {}

  std::size_t slot_;
};

// A mapped file. Threads may share it. The bytes change if another program writes to the file. A
// reader must therefore load an offset once, check the loaded value, and not load it again.
class GuardedMapping {
 public:
  // Maps `size` bytes of an open file for reading; `size` is at least one. Returns null if the
  // mapping cannot be guarded (see MappingGuard), or if the system refuses. The caller must then
  // read the file without a mapping.
  static std::unique_ptr<GuardedMapping> Map(int descriptor, std::size_t size);

  GuardedMapping(const GuardedMapping&) = delete;
  GuardedMapping& operator=(const GuardedMapping&) = delete;
  ~GuardedMapping();

  ByteSpan bytes() const { return bytes_; }

  // Also guards the mappings of this file that other code in this process creates, now or later;
  // for example, ONNX Runtime maps the files with a model's weights. lost_bytes() then also reports
  // missing pages of those mappings. Returns false if /proc cannot be read; then only this mapping
  // is guarded.
  bool GuardOthers() { return guard_->GuardOthers(bytes_.data()); }

  // True if bytes were read that were no longer in the file, or that the disk could not deliver.
  // These bytes, and all bytes after them, were read as zeros.
  bool lost_bytes() const { return guard_->lost_bytes(); }

 private:
  GuardedMapping(ByteSpan bytes, std::unique_ptr<MappingGuard> guard)
      : bytes_(bytes), guard_(std::move(guard)) {}

  ByteSpan bytes_;
  std::unique_ptr<MappingGuard> guard_;
};

}  // namespace cboard
