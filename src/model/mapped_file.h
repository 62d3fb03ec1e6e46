// A file as memory, so that a model of many gigabytes is read only where somebody looks.
//
//   CBOARD_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
//   file->bytes();
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cboard/base/bytes.h"
#include "cboard/base/file.h"
#include "cboard/base/result.h"

namespace cboard {

// Immutable and safe to share between threads. The bytes live as long as the object.
//
// A mapping cannot protect itself: when another program cuts the file off, touching what is gone
// ends the process (SIGBUS). CheckSize narrows this to files that are cut off while being read.
class MappedFile {
 public:
  // Fails with kNotFound or kPermissionDenied, and with kInvalidArgument for what is no regular
  // file: a directory, a pipe.
  static Result<std::shared_ptr<const MappedFile>> Open(const std::filesystem::path& path);

  // Bytes that are in memory already, under the name `path`.
  static std::shared_ptr<const MappedFile> FromMemory(std::string bytes,
                                                      std::filesystem::path path);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  ByteSpan bytes() const { return bytes_; }
  std::string_view text() const { return AsText(bytes_); }
  const std::filesystem::path& path() const { return path_; }

  // Fails with kDataLoss when the file has become shorter than it was when it was opened.
  Result<void> CheckSize() const;

 private:
  MappedFile() = default;

  std::filesystem::path path_;
  ByteSpan bytes_;
  std::optional<File> file_;  // Kept open to see when it shrinks; none for memory.
  std::string memory_;
};

}  // namespace cboard
