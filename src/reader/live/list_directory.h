// Lists a directory: its event files and its subdirectories.
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

// The identity of a file or directory. It does not change when the file is renamed.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;

  friend auto operator<=>(const FileId&, const FileId&) = default;
};

// The status of a file. It shows whether the file has changed, without reading the file.
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
  // The identity of the directory. Not set if the path does not exist or is not a directory.
  std::optional<FileId> id;
  std::vector<ListedFile> files;  // The event files, sorted by name.
  // The subdirectories, sorted by name, including links to directories.
  std::vector<ListedDirectory> directories;
  // Links that lead nowhere yet. A target that appears later changes nothing in this directory.
  bool has_open_links = false;
  std::optional<Error> error;  // The reason if the listing is empty or incomplete.
};

// Joins two parts of a path: "a" and "b" give "a/b", and "" and "b" give "b".
std::string JoinPath(const std::string& directory, std::string_view name);

// Returns the last part of a path: "b" of "a/b".
std::string_view LastPart(std::string_view path);

// True if a regular file with this name is an event file: as in TensorBoard, its name contains
// "tfevents".
bool IsEventFileName(std::string_view name);

// Lists a directory. Needs one system call per event file and per link, and a few for the
// directory.
Listing ListDirectory(const std::string& path);

enum class EntryKind { kNothing, kEventFile, kDirectory };

// The entry at one path, with the same members as in a listing of its directory.
struct Entry {
  EntryKind kind = EntryKind::kNothing;
  FileStatus status;
  bool is_link = false;

  bool leads_nowhere() const { return is_link && status == FileStatus{}; }
};
Entry StatEntry(const std::string& path, std::string_view name);

// Returns the status of an open file, or nullopt if the system returns an error.
std::optional<FileStatus> StatusOf(int descriptor);

}  // namespace cboard::reader
