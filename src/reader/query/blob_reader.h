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

  // Reads a value like ReadBlob().
  Result<Blob> Read(const BlobEntry& entry);

 private:
  const Run& run_;
  std::optional<File> file_;
  std::uint32_t file_index_ = 0;  // The index of the open file `file_`.
};

// Reads the value that `entry` points to from an open event file; ignores the entry's file index.
Result<Blob> ReadBlobAt(const File& file, const BlobEntry& entry);

}  // namespace cboard::reader
