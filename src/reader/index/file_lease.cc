#include "reader/index/file_lease.h"

#include <fcntl.h>

#include <csignal>

#include "cboard/base/check.h"
#include "reader/index/file_system.h"

namespace cboard::reader {

bool FileLease::Enter() {
  std::lock_guard lock(mutex_);
  if (is_refused_) return false;
  if (entered_ == 0) {
    is_refused_ = !Ask();
    if (is_refused_) return false;
  } else if (::fcntl(descriptor_, F_GETLEASE) != F_RDLCK) {
    return false;  // To be given back.
  }
  ++entered_;
  return true;
}

bool FileLease::Ask() {
  if (!was_asked_) {
    was_asked_ = true;
    // Another machine shortens a file without asking this one.
    if (IsRemote(descriptor_)) return false;
    // Who waits for the file makes the system send a signal; by default it is one that ends the
    // program, this one is ignored. Leave() comes soon enough without it.
    if (::fcntl(descriptor_, F_SETSIG, SIGURG) != 0) return false;
  }
  return ::fcntl(descriptor_, F_SETLEASE, F_RDLCK) == 0;
}

void FileLease::Leave() {
  std::lock_guard lock(mutex_);
  CBOARD_CHECK(entered_ > 0);
  if (--entered_ == 0) ::fcntl(descriptor_, F_SETLEASE, F_UNLCK);
}

}  // namespace cboard::reader
