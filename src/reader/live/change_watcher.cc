#include "reader/live/change_watcher.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "cboard/base/strings.h"

namespace cboard::reader {
namespace {

constexpr std::uint32_t kMask = IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR |
                                IN_EXCL_UNLINK;

ChangeKind KindOf(std::uint32_t mask) {
  if ((mask & IN_Q_OVERFLOW) != 0) return ChangeKind::kLost;
  if ((mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) != 0) return ChangeKind::kDirectory;
  if ((mask & (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)) != 0) {
    return ChangeKind::kEntry;
  }
  // A change of permissions may make it possible to list a directory.
  if ((mask & IN_ATTRIB) != 0 && (mask & IN_ISDIR) != 0) return ChangeKind::kEntry;
  return ChangeKind::kContent;
}

}  // namespace

std::size_t DefaultMaxWatches() {
  constexpr std::size_t kMaxWatches = 65'536;
  constexpr std::size_t kShareOfUser = 4;
  std::ifstream file("/proc/sys/fs/inotify/max_user_watches");
  std::size_t of_user = 0;
  if (!(file >> of_user)) return kMaxWatches;  // inotify reports its own limit as an error.
  return std::clamp<std::size_t>(of_user / kShareOfUser, 1, kMaxWatches);
}

Result<std::unique_ptr<ChangeWatcher>> ChangeWatcher::Create() {
  const int descriptor = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor < 0) {
    Error error = ErrnoError(errno, "watch for changes");
    error.code = ErrorCode::kResourceExhausted;
    return Fail(std::move(error));
  }
  return std::unique_ptr<ChangeWatcher>(new ChangeWatcher(descriptor));
}

ChangeWatcher::~ChangeWatcher() { ::close(descriptor_); }

Result<int> ChangeWatcher::Add(const std::string& directory) {
  const int watch = ::inotify_add_watch(descriptor_, directory.c_str(), kMask);
  if (watch >= 0) return watch;
  if (errno == ENOSPC || errno == ENOMEM) {
    return Fail(
        ErrorCode::kResourceExhausted,
        "the system's limit of watched directories is reached (fs.inotify.max_user_watches); "
        "further directories are checked at intervals, so their changes appear later");
  }
  return Fail(ErrnoError(errno, "watch " + Quoted(directory, 1000)));
}

void ChangeWatcher::Remove(int watch) { ::inotify_rm_watch(descriptor_, watch); }

void ChangeWatcher::ForEachChange(const std::function<void(const Change&)>& visit) {
  alignas(inotify_event) std::array<char, 64 << 10> buffer;
  while (true) {
    const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(count);) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      const char* name = buffer.data() + at + sizeof(event);
      at += sizeof(event) + event.len;
      if ((event.mask & IN_IGNORED) != 0) continue;
      const ChangeKind kind = KindOf(event.mask);
      const std::string_view text(name, event.len > 0 ? ::strnlen(name, event.len) : 0);
      // Ignores events without a name, which are changes of the directory's own attributes.
      if (text.empty() && kind != ChangeKind::kLost && kind != ChangeKind::kDirectory) continue;
      visit({.kind = kind, .watch = event.wd, .name = text});
    }
  }
}

}  // namespace cboard::reader
