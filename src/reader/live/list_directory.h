// The content of one directory, as far as it concerns log directories.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::reader {

// A file or directory, whatever path leads to it.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;

  friend auto operator<=>(const FileId&, const FileId&) = default;
};

// The status that shows whether a file has changed without reading it.
struct FileStatus {
  FileId id;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  // mtime; programs may set it to any time.
  std::int64_t changed_ns = 0;   // ctime; programs cannot set it.

  friend bool operator==(const FileStatus&, const FileStatus&) = default;
};

struct ListedFile {
  std::string name;
  FileStatus status;
  bool is_link = false;  // A symbolic link, or one of several names of the file.
};

struct ListedDirectory {
  std::string name;
  bool is_link = false;
};

struct Listing {
  std::optional<FileId> id;                  // Not set if the path is missing or no directory.
  std::vector<ListedFile> files;             // Event files, by name.
  std::vector<ListedDirectory> directories;  // By name; links to directories among them.
  std::optional<Error> error;                // Why it is empty or incomplete.
};

// "a" and "b" give "a/b", an empty directory "b".
std::string JoinPath(const std::string& directory, std::string_view name);

// "b" of "a/b".
std::string_view LastPart(std::string_view path);

// Any regular file whose name contains "tfevents", as in TensorBoard.
bool IsEventFileName(std::string_view name);

// One call of the system per event file and link, and a few for the directory.
Listing ListDirectory(const std::string& path);

enum class EntryKind { kNothing, kEventFile, kDirectory };

// The entry at one path: ListDirectory for a single name.
struct Entry {
  EntryKind kind = EntryKind::kNothing;
  FileStatus status;
  bool is_link = false;
};
Entry StatEntry(const std::string& path, std::string_view name);

// The status of an open file; nothing if the system refuses.
std::optional<FileStatus> StatusOf(int descriptor);

}  // namespace cboard::reader
