#include "reader/live/list_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "cboard/base/strings.h"

namespace cboard::reader {
namespace {

// Programs may set times to any year. Those outside of the years 1678 to 2262 wrap around, which
// keeps different times different.
std::int64_t ToNanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
                                   static_cast<std::uint64_t>(time.tv_nsec));
}

FileStatus ToStatus(const struct stat& status) {
  return {.id = {status.st_dev, status.st_ino},
          .size_bytes = static_cast<std::uint64_t>(status.st_size),
          .modified_ns = ToNanoseconds(status.st_mtim),
          .changed_ns = ToNanoseconds(status.st_ctim)};
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// True if the file has several names (hard links). The system reports a change only for the name
// that was used to make it, so changes under other names are missed.
bool HasOtherNames(const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_nlink > 1;
}

// True if the error means that the entry was removed after it was listed, or that it is a link to a
// missing file.
bool IsMissing(int reason) { return reason == ENOENT || reason == ENOTDIR || reason == ELOOP; }

// The type of `entry` in `directory`, with links followed; for most entries no system call is
// needed. If the entry exists but its type cannot be determined, `reason` is set to the system's
// error. A link that leads nowhere is nothing, with `is_link` set.
Entry Classify(int directory, const dirent64& entry, int& reason) {
  const bool is_event_file = IsEventFileName(entry.d_name);
  if (entry.d_type == DT_DIR) return {.kind = EntryKind::kDirectory};
  if (entry.d_type == DT_REG && !is_event_file) return {};
  if (entry.d_type != DT_REG && entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) return {};

  Entry result;
  struct stat status;
  const auto look = [&](int flags) {
    if (::fstatat(directory, entry.d_name, &status, flags) == 0) return true;
    // A link to a missing file is not an error. Other errors are reported, unless the link cannot
    // be an event file.
    if (!IsMissing(errno) && (is_event_file || entry.d_type != DT_LNK)) reason = errno;
    return false;
  };
  // Some file systems do not include the type in a listing. stat() returns it.
  if (entry.d_type == DT_UNKNOWN) {
    if (!look(AT_SYMLINK_NOFOLLOW)) return {};
    result.is_link = S_ISLNK(status.st_mode);
  } else {
    result.is_link = entry.d_type == DT_LNK;
  }
  if (!look(0)) return {.is_link = result.is_link};
  result.status = ToStatus(status);
  if (S_ISDIR(status.st_mode)) result.kind = EntryKind::kDirectory;
  if (S_ISREG(status.st_mode) && is_event_file) result.kind = EntryKind::kEventFile;
  result.is_link = result.is_link || HasOtherNames(status);
  return result;
}

}  // namespace

std::string JoinPath(const std::string& directory, std::string_view name) {
  std::string path = directory;
  if (!path.empty() && path.back() != '/') path += '/';
  return path += name;
}

std::string_view LastPart(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool IsEventFileName(std::string_view name) {
  return name.find("tfevents") != std::string_view::npos;
}

std::optional<FileStatus> StatusOf(int descriptor) {
  struct stat status;
  if (::fstat(descriptor, &status) != 0) return std::nullopt;
  return ToStatus(status);
}

Entry StatEntry(const std::string& path, std::string_view name) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) return {};
  Entry entry{.is_link = S_ISLNK(status.st_mode)};
  if (entry.is_link && ::stat(path.c_str(), &status) != 0) return entry;
  entry.status = ToStatus(status);
  if (S_ISDIR(status.st_mode)) entry.kind = EntryKind::kDirectory;
  if (S_ISREG(status.st_mode) && IsEventFileName(name)) entry.kind = EntryKind::kEventFile;
  entry.is_link = entry.is_link || HasOtherNames(status);
  return entry;
}

Listing ListDirectory(const std::string& path) {
  Listing listing;
  const auto failed = [&](int reason) {
    listing.error = ErrnoError(reason, "list " + Quoted(path, 1000));
  };
  const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK));
  if (directory.number() < 0) {
    const int reason = errno;
    struct stat status;
    // The directory exists, even if it cannot be listed because permission is missing.
    if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      listing.id = ToStatus(status).id;
    }
    failed(reason);
    return listing;
  }
  if (const auto status = StatusOf(directory.number())) listing.id = status->id;
  // Calls getdents64() directly: for many small directories, readdir() would allocate memory and
  // make two more system calls per directory.
  alignas(dirent64) std::array<char, 32 << 10> buffer;
  while (true) {
    const ssize_t bytes = ::getdents64(directory.number(), buffer.data(), buffer.size());
    if (bytes < 0) failed(errno);
    if (bytes <= 0) break;
    for (ssize_t at = 0; at < bytes;) {
      const auto& entry = *reinterpret_cast<const dirent64*>(buffer.data() + at);
      at += entry.d_reclen;
      const std::string_view name = entry.d_name;
      if (name == "." || name == "..") continue;
      int reason = 0;
      const Entry found = Classify(directory.number(), entry, reason);
      if (reason != 0) failed(reason);
      if (found.kind == EntryKind::kDirectory) {
        listing.directories.push_back({std::string(name), found.is_link});
      } else if (found.kind == EntryKind::kEventFile) {
        listing.files.push_back({std::string(name), found.status, found.is_link});
      } else if (found.leads_nowhere()) {
        listing.has_open_links = true;
      }
    }
  }
  std::ranges::sort(listing.files, {}, &ListedFile::name);
  std::ranges::sort(listing.directories, {}, &ListedDirectory::name);
  return listing;
}

}  // namespace cboard::reader
