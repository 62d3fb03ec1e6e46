// Reads values from the files of a run, keeping the last file open.
#pragma once

#include <optional>

#include "cboard/base/file.h"
#include "cboard/reader/read_blob.h"

namespace cboard::reader {

// Borrows `run`. Not thread-safe.
class BlobReader {
 public:
  explicit BlobReader(const Run& run) : run_(run) {}

  // As ReadBlob.
  Result<Blob> Read(const BlobEntry& entry);

 private:
  const Run& run_;
  std::optional<File> file_;
  std::uint32_t file_index_ = 0;  // File index of `file_`.
};

// The value that `entry` points to in an open event file; the index of the file is not looked at.
Result<Blob> ReadBlobAt(const File& file, const BlobEntry& entry);

}  // namespace cboard::reader
