// Lists the content of one directory that is relevant for log directories.
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

// Identifies a file or directory independently of its path.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;

  friend auto operator<=>(const FileId&, const FileId&) = default;
};

// The status of a file, which shows without reading whether the file has changed.
struct FileStatus {
  FileId id;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  // The modification time (mtime); programs may set it to any time.
  std::int64_t changed_ns = 0;   // The status change time (ctime); programs cannot set it.

  friend bool operator==(const FileStatus&, const FileStatus&) = default;
};

struct ListedFile {
  std::string name;
  FileStatus status;
  bool is_link = false;  // The file is a symbolic link, or one of several names of a file.
};

struct ListedDirectory {
  std::string name;
  bool is_link = false;
};

struct Listing {
  // Not set if the path does not exist or is not a directory.
  std::optional<FileId> id;
  std::vector<ListedFile> files;  // The event files, sorted by name.
  // The directories, sorted by name, including links to directories.
  std::vector<ListedDirectory> directories;
  // Links that lead nowhere yet. What appears there later changes nothing in this directory.
  bool has_open_links = false;
  std::optional<Error> error;  // The reason if the listing is empty or incomplete.
};

// Joins path parts: "a" and "b" give "a/b"; an empty directory and "b" give "b".
std::string JoinPath(const std::string& directory, std::string_view name);

// The last part of a path: "b" of "a/b".
std::string_view LastPart(std::string_view path);

// Whether a regular file with this name is an event file: the name contains "tfevents", as in
// TensorBoard.
bool IsEventFileName(std::string_view name);

// Lists a directory, with one system call per event file and per link, and a few for the directory.
Listing ListDirectory(const std::string& path);

enum class EntryKind { kNothing, kEventFile, kDirectory };

// The entry at one path, as ListDirectory() would show it.
struct Entry {
  EntryKind kind = EntryKind::kNothing;
  FileStatus status;
  bool is_link = false;

  bool leads_nowhere() const { return is_link && status == FileStatus{}; }
};
Entry StatEntry(const std::string& path, std::string_view name);

// The status of an open file; nullopt if the system returns an error.
std::optional<FileStatus> StatusOf(int descriptor);

}  // namespace cboard::reader
