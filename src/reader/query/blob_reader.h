// Reads values from the files of a run. Keeps the last file open.
#pragma once

#include <optional>

#include "cboard/base/file.h"
#include "cboard/reader/read_blob.h"

namespace cboard::reader {

// Reads several values of one run. It borrows `run`, and is not thread-safe.
class BlobReader {
 public:
  explicit BlobReader(const Run& run) : run_(run) {}

  // Reads a value. Fails like ReadBlob().
  Result<Blob> Read(const BlobEntry& entry);

 private:
  const Run& run_;
  std::optional<File> file_;
  std::uint32_t file_index_ = 0;  // The index of the open file `file_`.
};

// Reads the value of `entry` from an open event file. Does not use the index of the file in
// `entry`.
Result<Blob> ReadBlobAt(const File& file, const BlobEntry& entry);

}  // namespace cboard::reader
