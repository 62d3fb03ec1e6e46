// Reads logged values of one run from its files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cboard/base/file.h"
#include "cboard/reader/read_blob.h"

namespace cboard::data_server {

// Keeps the last file open. Borrows `run`. Not thread-safe.
class ValueReader {
 public:
  explicit ValueReader(const reader::Run& run) : run_(run) {}

  // The bytes of a value, with verified checksum. Fails with the errors of ReadBlob() of the
  // reader.
  Result<std::string> Read(const reader::BlobEntry& entry) const;

  // The number of blobs in a value. Reads only the first bytes, without verifying the checksum:
  // damage is detected when the value is read.
  Result<std::size_t> BlobCount(const reader::TagInfo& info, const reader::BlobEntry& entry);

 private:
  Result<std::string> FirstBytes(const reader::BlobEntry& entry);

  const reader::Run& run_;
  std::optional<File> file_;
  std::uint32_t file_index_ = 0;  // The index of the open file `file_`.
};

}  // namespace cboard::data_server
